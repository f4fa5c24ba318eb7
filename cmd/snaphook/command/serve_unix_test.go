//go:build unix

package command

import (
	"bufio"
	"bytes"
	"context"
	"io"
	"log/slog"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/snaphook-go/snaphook/cmd/snaphook/command/serve"
	"github.com/snaphook-go/snaphook/fleet"
	"github.com/snaphook-go/snaphook/fleet/embedded"
	"github.com/snaphook-go/snaphook/internal/testkit"
)

// servedFleet is a process of snaphook serve --embedded.
type servedFleet struct {
	t           *testing.T
	cmd         *exec.Cmd
	data        string
	url, health string
	log         *bufio.Reader
}

// startServe starts serve with a data directory, and reads its addresses.
func startServe(t *testing.T, data string) *servedFleet {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	s := &servedFleet{t: t, data: data}
	s.cmd = exec.CommandContext(ctx, "snaphook", "serve", "--embedded", "--data", data, "--nats", "nats://127.0.0.1:0", "--http", "127.0.0.1:0")
	out, err := s.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	log, err := s.cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := s.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		cancel()
		_ = s.cmd.Wait() // the error does not matter: the process has ended, or was killed
	})
	s.log = bufio.NewReader(log)
	s.health = "http://" + s.until(`"address":"([^"]+)"`)
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	s.url = regexp.MustCompile(`nats://[\d.:]+`).FindString(line)
	return s
}

// until reads the log up to a line that matches pattern, and returns the first group of the match.
func (s *servedFleet) until(pattern string) string {
	s.t.Helper()
	for want := regexp.MustCompile(pattern); ; {
		line, err := s.log.ReadString('\n')
		if err != nil {
			s.t.Fatalf("the log ends before %s: %v", pattern, err)
		}
		if found := want.FindStringSubmatch(line); found != nil {
			return found[len(found)-1]
		}
	}
}

func (s *servedFleet) snaphook(stdin string, args ...string) (status int, text string) {
	s.t.Helper()
	return snaphookWith(s.t, stdin, append(args, "--nats", s.url)...)
}

// snaphookWith runs snaphook, and returns its exit status and the text of both output streams.
func snaphookWith(t *testing.T, stdin string, args ...string) (status int, text string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, "snaphook", args...)
	cmd.Stdin = strings.NewReader(stdin)
	cmd.Dir = t.TempDir()
	cmd.Env = append(os.Environ(), "HOME="+cmd.Dir)
	out, err := cmd.CombinedOutput()
	if cmd.ProcessState == nil {
		t.Fatal(err)
	}
	return cmd.ProcessState.ExitCode(), string(out)
}

const (
	guardSettings = `{"hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": [
  {"type": "command", "command": "sh ${CLAUDE_PROJECT_DIR}/guard.sh"}]}]}}`
	bashCall = `{"tool_name": "Bash", "tool_input": {"command": "ls"}}`
)

// waitingGuard pushes a guard that denies after a write to the pipe gate, and makes a call, which waits for the guard.
func waitingGuard(t *testing.T, s *servedFleet) (gate string, guard int, called chan string) {
	t.Helper()
	dir := t.TempDir()
	begun, gate := filepath.Join(dir, "begun"), filepath.Join(dir, "gate")
	for _, name := range []string{begun, gate} {
		if err := syscall.Mkfifo(name, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	policy := t.TempDir()
	testkit.Write(t, policy, map[string]string{
		".claude/settings.json": guardSettings,
		"guard.sh":              "#!/bin/sh\necho $$ >" + begun + "\nread -r line <" + gate + "\necho late >&2\nexit 2\n",
	})
	if status, text := s.snaphook("", "fleet", "push", policy, "--key", filepath.Join(s.data, "policy.key")); status != 0 {
		t.Fatal(text)
	}
	s.until(`takes effect`)
	called = make(chan string, 1)
	ended := make(chan struct{})
	t.Cleanup(func() { <-ended }) // the test's context ends the call
	go func() {
		defer close(ended)
		status, text := s.snaphook(bashCall, "fire", "claude.PreToolUse")
		called <- strconv.Itoa(status) + " " + text
	}()
	f, err := os.Open(begun) // waits for the guard
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	line, err := io.ReadAll(f)
	if err != nil {
		t.Fatal(err)
	}
	guard, err = strconv.Atoi(strings.TrimSpace(string(line)))
	if err != nil {
		t.Fatal(err)
	}
	return gate, guard, called
}

// After the first SIGTERM the hook in flight finishes, and its answer reaches the agent. A worker that starts again in
// the same directory has the policy.
func TestServeDrainsAndStartsAgain(t *testing.T) {
	data := t.TempDir()
	s := startServe(t, data)
	gate, _, called := waitingGuard(t, s)
	for path, want := range map[string]string{
		"/healthz": "ok", "/readyz": "ok, revision 1", "/metrics": "snaphook_requests_running 1\n",
	} {
		answer, err := http.Get(s.health + path)
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(answer.Body)
		_ = answer.Body.Close()
		if err != nil || !strings.Contains(string(text), want) {
			t.Errorf("%s says %s, %v; want %q", path, text, err, want)
		}
	}
	http.DefaultClient.CloseIdleConnections()
	if err := s.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	s.until(`"msg":"draining`)
	if err := os.WriteFile(gate, []byte("go\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if got := <-called; !strings.HasPrefix(got, "2 ") || !strings.Contains(got, "late") {
		t.Errorf("the call in flight got %s; want the denial of its guard", got)
	}
	s.until(`"msg":"drained"`)
	_, _ = io.Copy(io.Discard, s.log)
	if err := s.cmd.Wait(); err != nil {
		t.Errorf("the worker ends with %v", err)
	}
	again := startServe(t, data)
	status, text := again.snaphook("", "fleet", "status", "--json")
	var told fleet.Status
	if err := json.Unmarshal([]byte(text), &told); err != nil || status != 0 || told.Revision != 1 {
		t.Errorf("the status is %d %s, %v; want revision 1", status, text, err)
	}
}

// The second signal ends the worker at once, and its hook with it. The call in flight does not go ahead.
func TestServeEndsAtOnceWithASecondSignal(t *testing.T) {
	s := startServe(t, t.TempDir())
	_, guard, called := waitingGuard(t, s)
	for _, wait := range []string{`"msg":"draining`, ""} {
		if err := s.cmd.Process.Signal(syscall.SIGTERM); err != nil {
			t.Fatal(err)
		}
		if wait != "" {
			s.until(wait)
		}
	}
	rest, _ := io.ReadAll(s.log)
	began := time.Now()
	err := s.cmd.Wait()
	if err == nil || bytes.Contains(rest, []byte("drained")) {
		t.Errorf("the worker ends with %v, and says %s", err, rest)
	}
	for due := began.Add(10 * time.Second); syscall.Kill(guard, 0) == nil; {
		if time.Now().After(due) {
			_ = syscall.Kill(guard, syscall.SIGKILL)
			t.Fatal("the worker's hook is left running")
		}
	}
	select {
	case got := <-called:
		if !strings.HasPrefix(got, "2 ") {
			t.Errorf("the call in flight got %s; want a denial, or that it waits for its time", got)
		}
	default:
	}
}

// Each row is a mistake. The test checks the exit status, and that the error explains the mistake.
func TestAFleetSaysWhatIsWrong(t *testing.T) {
	t.Setenv("SNAPHOOK_LISTEN", "127.0.0.1:-1")
	t.Setenv("SNAPHOOK_STORE", t.TempDir())
	for _, user := range []string{"ADMIN", "AGENT", "WORKER", "READER"} {
		t.Setenv("SNAPHOOK_"+user, "pa55word")
	}
	server, err := embedded.Start(embedded.Options{Config: "../../../examples/fleet/nats.conf"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(server.Close)
	address := strings.TrimPrefix(server.ClientURL(), "nats://")
	as := func(user, password string) string { return "nats://" + user + ":" + password + "@" + address }
	nc, err := fleet.Connect(as("admin", "pa55word"), fleet.ConnectOptions{Need: true, Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(nc.Close)
	if err := fleet.Prepare(t.Context(), nc, 1, fleet.Retention{}); err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if err := serve.MakeKeys(dir); err != nil {
		t.Fatal(err)
	}
	key := filepath.Join(dir, "policy.key")
	testkit.Write(t, dir, map[string]string{
		"broken/.claude/settings.json": guardSettings, "broken/guard.sh": "#!/bin/sh\nif true; then\n",
		"large/.claude/settings.json": guardSettings, "large/guard.sh": "#!/bin/sh\n", "large/big": strings.Repeat("x", fleet.MaxBundle),
		"linked/.claude/settings.json": guardSettings, "linked/guard.sh": "#!/bin/sh\n",
		"good/.claude/settings.json": guardSettings, "good/guard.sh": "#!/bin/sh\nexit 0\n",
	})
	if err := os.Symlink("../../etc/passwd", filepath.Join(dir, "linked", "out")); err != nil {
		t.Fatal(err)
	}
	push := func(name, url string) []string {
		return []string{"fleet", "push", filepath.Join(dir, name), "--key", key, "--nats", url}
	}
	fire := func(event, url string) []string { return []string{"fire", event, "--nats", url} }
	admin, agent := as("admin", "pa55word"), as("agent", "pa55word")
	for name, tt := range map[string]struct {
		args   []string
		input  string
		status int
		says   string
	}{
		"an unknown server":                {[]string{"fleet", "status", "--nats", "nats://127.0.0.1:1"}, "", 1, "cannot be reached"},
		"a call and an unknown server":     {fire("claude.PreToolUse", "nats://127.0.0.1:1"), bashCall, 2, `failure class "remote"`},
		"no address":                       {[]string{"fleet", "status", "--nats", "example.org"}, "", 1, "write nats://HOST:4222"},
		"a wrong password":                 {[]string{"fleet", "status", "--nats", as("reader", "oops")}, "", 1, "refuses"},
		"a call with a wrong password":     {fire("claude.PreToolUse", as("agent", "oops")), bashCall, 1, "refuses"},
		"credentials that are not there":   {[]string{"fleet", "status", "--nats", admin, "--creds", "gone.creds"}, "", 1, "name the .creds file"},
		"a push by an agent":               {push("good", agent), "", 1, "snaphook-policy"},
		"a broken script":                  {push("broken", admin), "", 1, "guard.sh"},
		"8 MiB and a bit":                  {push("large", admin), "", 1, "8 MiB"},
		"a link out":                       {push("linked", admin), "", 1, "is a link"},
		"no policy":                        {push("gone", admin), "", 1, "no such file"},
		"the public key":                   {[]string{"fleet", "push", filepath.Join(dir, "good"), "--key", filepath.Join(dir, "policy.pub"), "--nats", admin}, "", 1, "name the .key file"},
		"a call without a worker":          {fire("claude.PreToolUse", agent), bashCall, 2, `failure class "remote"`},
		"a call over the server's limit":   {fire("claude.PreToolUse", agent), strings.Replace(bashCall, "ls", strings.Repeat("x", 1<<20), 1), 2, `failure class "oversize"`},
		"an event with a wildcard":         {fire("claude.Pre*", agent), bashCall, 1, "claude.Pre*"},
		"an event that is everything":      {fire(">", agent), bashCall, 1, ">"},
		"a worker without a key":           {[]string{"serve", "--nats", admin, "--data", dir}, "", 1, "--key is missing"},
		"a worker with a key that is none": {[]string{"serve", "--nats", admin, "--data", dir, "--key", filepath.Join(dir, "good", "guard.sh")}, "", 1, "name the .pub file"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			status, text := snaphookWith(t, tt.input, tt.args...)
			if status != tt.status || !strings.Contains(text, tt.says) {
				t.Errorf("status %d: %.2000s\nwant %d and %q", status, text, tt.status, tt.says)
			}
			if strings.Contains(text, "pa55word") {
				t.Errorf("it shows the password: %.2000s", text)
			}
		})
	}
}
