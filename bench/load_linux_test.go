//go:build !race

package bench

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/snaphook-go/snaphook/events/claude"
	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/internal/testkit"
	"github.com/snaphook-go/snaphook/pipeline"
	"github.com/snaphook-go/snaphook/settings"
	"github.com/snaphook-go/snaphook/wire"
)

// bashGuard refuses rm, with the programs that most public guards use.
const bashGuard = `#!/bin/bash
input=$(cat)
tool=$(echo "$input" | jq -r .tool_name)
command=$(echo "$input" | jq -r .tool_input.command)
if [ "$tool" = Bash ] && echo "$command" | grep -qE '(^|[;&|[:space:]])rm[[:space:]]'; then
  echo "no" >&2
  exit 2
fi
`

// crowd is a guard that many fires run at the same time.
type crowd struct {
	name  string
	entry string // the hook's entry in the settings, without its timeout
	dir   string
}

// crowds returns the guards whose programs are installed, and three guards that ask a server in another process.
func crowds(t *testing.T) []crowd {
	t.Helper()
	dir := t.TempDir()
	var all []crowd
	for _, g := range []struct{ name, program, file, text string }{
		{"bash", "jq", "guard.sh", bashGuard},
		{"Python", "python3", "guard.py", pythonGuard},
		{"Node", "node", "guard.cjs", nodeGuard},
	} {
		path, err := exec.LookPath(g.program)
		if system := "/usr/bin/" + g.program; fileExists(system) {
			path, err = system, nil
		}
		if err != nil {
			t.Logf("%s is not installed", g.program)
			continue
		}
		testkit.WriteFile(t, filepath.Join(dir, g.file), g.text, 0o755)
		command := path + " " + g.file
		if g.name == "bash" {
			command = filepath.Join(dir, g.file)
		}
		all = append(all, crowd{g.name, `"type": "command", "command": ` + string(wire.Quote(command)), dir})
	}
	url := startGuardServer(t)
	for _, wait := range []string{"0s", "5ms", "20ms"} {
		all = append(all, crowd{"HTTP after " + wait, `"type": "http", "url": "` + url + `?wait=` + wait + `"`, dir})
	}
	return all
}

func startGuardServer(t *testing.T) (url string) {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), guardServer+"=1")
	in, err := cmd.StdinPipe()
	must(err)
	out, err := cmd.StdoutPipe()
	must(err)
	must(cmd.Start())
	t.Cleanup(func() {
		in.Close()
		_ = cmd.Wait()
	})
	if _, err := fmt.Fscanln(out, &url); err != nil {
		t.Fatal(err)
	}
	return url
}

// openCrowd makes a session in which each guard has the time limit, and returns a function that closes its system.
func openCrowd(t *testing.T, limit time.Duration, guards ...crowd) (*pipeline.Session, func()) {
	t.Helper()
	entries := make([]string, len(guards))
	for i, g := range guards {
		entries[i] = fmt.Sprintf(`{%s, "timeout": %v}`, g.entry, limit.Seconds())
	}
	text := `{"hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": [` + strings.Join(entries, ",") + `]}]}}`
	layers := []settings.Layer{{Name: "user", Source: hook.User, File: "settings.json", Data: []byte(text)}}
	env := []string{"PATH=/usr/bin:/bin", "HOME=" + guards[0].dir, "LANG=C.UTF-8"}
	sys := pipeline.NewSystem(pipeline.Config{
		Load: []pipeline.Load{claude.Settings{Layers: layers, Environ: env}.Load},
		Log:  slog.New(slog.DiscardHandler),
	})
	ses, err := sys.NewSession(t.Context(), pipeline.SessionConfig{ID: "bench", Dir: guards[0].dir})
	if err != nil || len(ses.Problems()) > 0 {
		t.Fatal(err, ses.Problems())
	}
	return ses, func() { sys.Close() }
}

// outcome counts the fires of a crowd.
type outcome struct {
	lost   int // fires whose call was not blocked
	failed int // hooks that failed
	took   time.Duration
}

// rush fires n times at once.
func rush(ses *pipeline.Session, n int) (o outcome) {
	var all sync.WaitGroup
	var mu sync.Mutex
	start := time.Now()
	for range n {
		all.Go(func() {
			in := claude.PreToolUseInput{Name: "Bash", Input: wire.Object(`{"command":"rm x"}`)}
			res, err := claude.PreToolUse.Fire(context.Background(), ses, &in)
			mu.Lock()
			defer mu.Unlock()
			for _, e := range res.Errs() {
				if !errors.Is(e, hook.ErrNotNeeded) {
					o.failed++
				}
			}
			if err != nil || !res.Blocked() {
				o.lost++
			}
		})
	}
	all.Wait()
	o.took = time.Since(start)
	return o
}

// alone returns the median time of a fire of one guard while nothing else runs.
func alone(t *testing.T, g crowd) time.Duration {
	t.Helper()
	ses, end := openCrowd(t, time.Minute, g)
	defer end()
	var all []time.Duration
	for range 11 {
		if o := rush(ses, 1); o.lost+o.failed > 0 {
			t.Fatalf("the guard in %s lets rm go ahead", g.name)
		} else {
			all = append(all, o.took)
		}
	}
	slices.Sort(all)
	return all[len(all)/2]
}

// occupy starts n processes that keep the processors busy until end is called.
func occupy(t *testing.T, n int) (end func()) {
	t.Helper()
	var all []*exec.Cmd
	for range n {
		cmd := exec.Command("/bin/sh", "-c", "while :; do :; done")
		must(cmd.Start())
		all = append(all, cmd)
	}
	return func() {
		for _, cmd := range all {
			_ = cmd.Process.Kill()
			_ = cmd.Wait()
		}
	}
}

// loadFires is the environment variable with the number of fires of TestLoad.
const loadFires = "SNAPHOOK_LOAD"

func TestLoad(t *testing.T) {
	n, _ := strconv.Atoi(os.Getenv(loadFires))
	if n == 0 {
		t.Skipf("a measurement of minutes; set %s=200", loadFires)
	}
	all := crowds(t)
	limits := map[string]time.Duration{}
	for _, g := range all {
		limits[g.name] = 3 * alone(t, g)
	}
	for _, each := range []int{0, 4} {
		end := occupy(t, each*runtime.GOMAXPROCS(0))
		for _, g := range all {
			report(t, g.name, each, limits[g.name], n, g)
		}
		report(t, "bash and Python", each, max(limits["bash"], limits["Python"]), n, all[0], all[1])
		end()
	}
}

func report(t *testing.T, name string, each int, limit time.Duration, n int, guards ...crowd) {
	ses, end := openCrowd(t, limit, guards...)
	defer end()
	o := rush(ses, n)
	good := float64(n-o.lost) / o.took.Seconds()
	t.Logf("%-16s busy %d, limit %v: %d of %d lost, %d hooks failed, %.0f fires/s, %.0f with an answer",
		name, each, limit.Round(100*time.Microsecond), o.lost, n, o.failed, float64(n)/o.took.Seconds(), good)
}
