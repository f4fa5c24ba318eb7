package command

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"
)

// The page is there at the address that is printed, for a record that is empty and one that is not there yet, until an
// interrupt.
func TestUIServesItsPageUntilAnInterrupt(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "empty.jsonl"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, "snaphook", "ui", "empty.jsonl", "later.jsonl") // testscript.Main put it on PATH
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
	events, err := http.Get(address + "events") // it is open at the interrupt
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
	want := fmt.Sprintf("snaphook: --port %d: another program listens there; write another, or leave the flag out", port)
	if err == nil || !strings.Contains(string(text), want) {
		t.Errorf("got %v, %s; want %s", err, text, want)
	}
}
