package command

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"os"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"github.com/snaphook-go/snaphook/cmd/snaphook/internal/cli"
	"github.com/snaphook-go/snaphook/cmd/snaphook/internal/records"
	"github.com/snaphook-go/snaphook/record/tracepage"
)

func newUI(f *flags) *cobra.Command {
	port := 0
	cmd := &cobra.Command{
		Use:   "ui [FILE…]",
		Short: "Show what hooks do, as it happens, on a page in the browser",
		Long: "Follows records, as fire --record and record-event keep them, of the FILEs, or of SNAPHOOK_RECORD, with the files rotated away from them; " +
			"one that is not there yet is waited for. It prints the address of a page: sessions and turns as they happen, the waterfall, the hooks with their latest times, " +
			"failures first, and beside each call its explanation. The filters are in the address.\n\n" +
			"The page is on this machine alone, at a free port. The address has a token, without which nothing is shown; other sites and other names are refused. " +
			"It only reads, and loads nothing from elsewhere. It ends with an interrupt. trace --html writes the same page as a file.",
		Example: `# The record that the environment names
snaphook ui
# Several, at a port of your own
snaphook ui hooks.jsonl other.jsonl --port 8080`,
		RunE: func(cmd *cobra.Command, args []string) error { return f.ui(cmd, args, port) },
	}
	cmd.Flags().IntVar(&port, "port", 0, "Listen at `PORT`; a free one if not given: --port 8080")
	return cmd
}

// uiPatience is how long the end of ui waits for answers that are being written.
const uiPatience = time.Second

func (f *flags) ui(cmd *cobra.Command, files []string, port int) error {
	if len(files) == 0 {
		path := os.Getenv(records.RecordVariable)
		if path == "" {
			return fmt.Errorf("which record? Name its file, or set %s", records.RecordVariable)
		}
		files = []string{path}
	}
	if port < 0 || port > 65535 {
		return fmt.Errorf("--port %d: write a number from 1 to 65535", port)
	}
	token := rand.Text()
	page, err := tracepage.New(tracepage.Config{Files: files, Token: token, Log: f.uiLog(cmd)})
	if err != nil {
		return err
	}
	defer page.Close()
	listener, err := net.Listen("tcp", net.JoinHostPort("127.0.0.1", strconv.Itoa(port)))
	switch {
	case errors.Is(err, syscall.EADDRINUSE):
		return fmt.Errorf("--port %d: another program listens there; write another, or leave the flag out", port)
	case errors.Is(err, syscall.EACCES):
		return fmt.Errorf("--port %d: this user may not listen there; write one above 1023, or leave the flag out", port)
	case err != nil:
		return fmt.Errorf("--port %d: %w", port, err)
	}
	server := &http.Server{Handler: page, ReadHeaderTimeout: 10 * time.Second, MaxHeaderBytes: 16 << 10}
	ended := make(chan error, 1)
	go func() { ended <- server.Serve(listener) }()
	if err := cli.Say(cmd, "http://"+listener.Addr().String()+"/"+token+"/"); err != nil {
		_ = server.Close()
		return err
	}
	fmt.Fprintf(cmd.ErrOrStderr(), "%s: open the address in a browser; an interrupt ends it\n", cli.OneLine(strings.Join(files, ", ")))
	select {
	case <-cmd.Context().Done():
	case err := <-ended:
		return err
	}
	_ = page.Close() // it ends the answers that are being written
	patient, cancel := context.WithTimeout(context.Background(), uiPatience)
	defer cancel()
	if server.Shutdown(patient) != nil {
		_ = server.Close()
	}
	return nil
}

// uiLog tells which lines cannot be read, as warnings.
func (f *flags) uiLog(cmd *cobra.Command) *slog.Logger {
	return slog.New(slog.NewTextHandler(cmd.ErrOrStderr(), &slog.HandlerOptions{Level: slog.LevelWarn}))
}
