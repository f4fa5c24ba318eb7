package command

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/snaphook-go/snaphook/events/claude"
	"github.com/snaphook-go/snaphook/fleet"
	"github.com/snaphook-go/snaphook/fleet/embedded"
	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/pipeline"
	"github.com/snaphook-go/snaphook/wire"
)

// The printed address shows the page until an interrupt, both for an empty record and for a record that does not exist
// yet.
func TestUIServesItsPageUntilAnInterrupt(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "empty.jsonl"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, "snaphook", "ui", "empty.jsonl", "later.jsonl") // testscript.Main put snaphook on PATH
	cmd.Dir = dir
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	address, err := bufio.NewReader(out).ReadString('\n')
	if address = strings.TrimSpace(address); err != nil || !regexp.MustCompile(`^http://127\.0\.0\.1:\d+/[A-Z2-7]{26}/$`).MatchString(address) {
		t.Fatalf("it prints %q, %v", address, err)
	}
	defer http.DefaultClient.CloseIdleConnections()
	for path, want := range map[string]int{"": 200, "explain?id=x": 404, "../": 404, "etc/passwd": 404} {
		answer, err := http.Get(address + path)
		if err != nil {
			t.Fatal(err)
		}
		_, _ = io.Copy(io.Discard, answer.Body)
		_ = answer.Body.Close()
		if answer.StatusCode != want {
			t.Errorf("%s is answered by %d, want %d", path, answer.StatusCode, want)
		}
	}
	events, err := http.Get(address + "events") // this response is still open at the interrupt
	if err != nil {
		t.Fatal(err)
	}
	defer events.Body.Close()
	if err := cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Wait(); err != nil {
		t.Errorf("after an interrupt it ends with %v", err)
	}
}

func TestUISaysThatAPortIsTaken(t *testing.T) {
	other, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	port := other.Addr().(*net.TCPAddr).Port
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, "snaphook", "ui", filepath.Join(t.TempDir(), "r.jsonl"), "--port", fmt.Sprint(port))
	text, err := cmd.CombinedOutput()
	want := fmt.Sprintf("snaphook: --port %d: another program listens at this port; write another port, or leave the flag out", port)
	if err == nil || !strings.Contains(string(text), want) {
		t.Errorf("got %v, %s; want %s", err, text, want)
	}
}

// The page shows the records of a fleet: those that its server has, and new ones.
func TestUIFollowsAFleet(t *testing.T) {
	server, err := embedded.Start(embedded.Options{URL: "nats://127.0.0.1:0", Dir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	defer server.Close()
	nc, err := fleet.Connect(server.ClientURL(), fleet.ConnectOptions{Need: true, Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	defer nc.Close()
	if err := fleet.Prepare(t.Context(), nc, 1, fleet.Retention{}); err != nil {
		t.Fatal(err)
	}
	recorder, err := fleet.Records(nc, t.TempDir(), fleet.RecordOptions{Host: "h", Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	system := pipeline.NewSystem(pipeline.Config{Observe: []pipeline.Observer{recorder}, Log: slog.New(slog.DiscardHandler)})
	defer system.Close()
	session, err := system.NewSession(t.Context(), pipeline.SessionConfig{ID: "fleet-1", Dir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	fire := func(tool string) {
		t.Helper()
		claude.PreToolUse.On(session, "refuses "+tool, func(context.Context, claude.PreToolUseInput) (hook.Output[claude.PreToolUseOutput], error) {
			return hook.Output[claude.PreToolUseOutput]{Decision: hook.Deny, Reason: "no"}, nil
		})
		if _, err := claude.PreToolUse.Fire(t.Context(), session, &claude.PreToolUseInput{Name: tool, Input: wire.Object("{}")}); err != nil {
			t.Fatal(err)
		}
	}
	fire("First")
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, "snaphook", "ui", "--nats", server.ClientURL())
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	address, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	defer http.DefaultClient.CloseIdleConnections()
	events, err := http.Get(strings.TrimSpace(address) + "events")
	if err != nil {
		t.Fatal(err)
	}
	defer events.Body.Close()
	messages := bufio.NewReader(events.Body)
	for _, tool := range []string{"First", "Second"} {
		if tool == "Second" {
			fire(tool)
		}
		for text := ""; !strings.Contains(text, `"`+tool+`"`); {
			if text, err = messages.ReadString('\n'); err != nil {
				t.Fatalf("%s is not on the page: %v", tool, err)
			}
		}
	}
	if err := cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Wait(); err != nil {
		t.Errorf("after an interrupt it ends with %v", err)
	}
}
