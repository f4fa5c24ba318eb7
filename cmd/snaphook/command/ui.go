package command

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/spf13/cobra"

	"github.com/snaphook-go/snaphook/cmd/snaphook/internal/cli"
	"github.com/snaphook-go/snaphook/cmd/snaphook/internal/records"
	"github.com/snaphook-go/snaphook/fleet"
	"github.com/snaphook-go/snaphook/record"
	"github.com/snaphook-go/snaphook/record/tracepage"
)

// uiFlags holds the flags of ui.
type uiFlags struct{ *cli.Global }

func newUI(global *cli.Global) *cobra.Command {
	f := &uiFlags{Global: global}
	port, server := 0, records.NATS{}
	cmd := &cobra.Command{
		Use:   "ui [FILE…]",
		Short: "Show fires and hooks on a live page in the browser",
		Long: "Follows the records in the FILEs, or in SNAPHOOK_RECORD, with their rotated files, as fire --record and record-event write them; " +
			"it waits for a file that does not exist yet. With --nats it follows the records of a fleet. It prints the address of a page, which shows sessions and turns as they happen, the waterfall, the hooks with their latest times, " +
			"failures first, and an explanation beside each call. The address of the page contains its filters.\n\n" +
			"The page can be reached only from this machine, at a free port. The address has a token; requests without the token, from other sites or for other host names are refused. " +
			"The page changes nothing, and loads nothing from elsewhere. An interrupt ends it. trace --html writes the same page as a file.",
		Example: `# The record that the environment names
snaphook ui
# Several records, at a port that you choose
snaphook ui hooks.jsonl other.jsonl --port 8080
# A fleet
snaphook ui --nats nats://127.0.0.1:4222`,
		RunE: func(cmd *cobra.Command, args []string) error { return f.ui(cmd, args, server.Path(), port) },
	}
	server.AddTo(cmd.Flags())
	cmd.Flags().IntVar(&port, "port", 0, "Listen at `PORT`; default: a free port: --port 8080")
	return cmd
}

// uiPatience limits the wait, at the end of ui, for HTTP responses that are being written.
const uiPatience = time.Second

func (f *uiFlags) ui(cmd *cobra.Command, files []string, fleetRecords string, port int) error {
	if len(files) == 0 && fleetRecords == "" {
		path := os.Getenv(records.RecordVariable)
		if path == "" {
			return fmt.Errorf("no record is named: give its file, or set %s, or give --nats", records.RecordVariable)
		}
		files = []string{path}
	}
	if port < 0 || port > 65535 {
		return fmt.Errorf("--port %d: write a number from 1 to 65535", port)
	}
	token := rand.Text()
	log := f.uiLog(cmd)
	page, err := tracepage.New(tracepage.Config{Files: files, Token: token, Log: log})
	if err != nil {
		return err
	}
	defer page.Close()
	if fleetRecords != "" {
		lines, err := records.OpenNATS(fleetRecords, func(nc *nats.Conn) (io.ReadCloser, error) {
			return fleet.FollowRecords(cmd.Context(), nc)
		})
		if err != nil {
			return err
		}
		added := make(chan struct{})
		go func() { defer close(added); addLines(page, lines, log) }()
		defer func() { _ = lines.Close(); <-added }()
		address, _, _ := strings.Cut(fleetRecords, "?")
		files = append(files, address)
	}
	listener, err := net.Listen("tcp", net.JoinHostPort("127.0.0.1", strconv.Itoa(port)))
	switch {
	case errors.Is(err, syscall.EADDRINUSE):
		return fmt.Errorf("--port %d: another program listens at this port; write another port, or leave the flag out", port)
	case errors.Is(err, syscall.EACCES):
		return fmt.Errorf("--port %d: this user may not listen at this port; write a port above 1023, or leave the flag out", port)
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
	fmt.Fprintf(cmd.ErrOrStderr(), "%s: open the address in a browser; an interrupt ends the server\n", cli.OneLine(strings.Join(files, ", ")))
	select {
	case <-cmd.Context().Done():
	case err := <-ended:
		return err
	}
	_ = page.Close() // ends the HTTP responses that are being written
	patient, cancel := context.WithTimeout(context.Background(), uiPatience)
	defer cancel()
	if server.Shutdown(patient) != nil {
		_ = server.Close()
	}
	return nil
}

// addLines adds the fires of a fleet to the page, until the records are closed.
func addLines(page *tracepage.Page, lines io.Reader, log *slog.Logger) {
	unread := 0
	for _, line := range record.Lines(lines, func(number int, why error) {
		if number == 0 {
			log.Error("the fleet's records cannot be followed any longer", slog.String("error", why.Error()))
		} else if unread++; unread <= records.MaxToldLines {
			log.Warn("a line of the fleet's records cannot be read", slog.Int("line", number), slog.String("error", why.Error()))
		}
	}) {
		page.Add(line)
	}
}

// uiLog returns the log of the page, which prints warnings and errors.
func (f *uiFlags) uiLog(cmd *cobra.Command) *slog.Logger {
	return slog.New(slog.NewTextHandler(cmd.ErrOrStderr(), &slog.HandlerOptions{Level: slog.LevelWarn}))
}
