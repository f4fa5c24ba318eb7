package warm

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/internal/testkit"
	"github.com/snaphook-go/snaphook/run"
)

// guard is the hook that most people write.
const guard = `input=$(cat)
cmd=$(echo "$input" | jq -r '.tool_input.command // empty')
if echo "$cmd" | grep -qE 'rm -rf|mkfs'; then
  echo "blocked: $cmd" >&2
  exit 2
fi
exit 0
`

const dangerous = `{"tool_name": "Bash", "tool_input": {"command": "sudo rm -rf /"}}`

// guardOf returns a command that runs a script of a file cold, and one that runs it warm.
func guardOf(t *testing.T, script string) (cold, warm *run.Command, call hook.Call, note string) {
	t.Helper()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "guard.sh"), []byte("#!/bin/bash\n"+script), 0o755); err != nil {
		t.Fatal(err)
	}
	env := []string{"PATH=/usr/bin:/bin", "HOME=" + dir, "LANG=C.UTF-8", "PWD=" + dir}
	command := func() *run.Command {
		return &run.Command{
			Argv: []string{"bash", "-c", "./guard.sh"}, Direct: []string{"./guard.sh"},
			Environ: func(hook.Call) []string { return env },
		}
	}
	cold, warm = command(), command()
	pool := New(Config{})
	t.Cleanup(pool.Close)
	note = warm.SetWarm(pool, run.WarmAuto, dir)
	call = hook.Call{Dir: dir, Hook: &hook.Hook{Identity: hook.Identity{Event: "PreToolUse"}}, Payload: []byte(dangerous)}
	return cold, warm, call, note
}

func TestAutoTakesGuardsWithPrograms(t *testing.T) {
	needPrograms(t)
	cold, warm, call, note := guardOf(t, guard)
	if note != "" {
		t.Fatalf("the guard stays cold: %s", note)
	}
	for _, c := range []*run.Command{cold, warm} {
		reply, err := c.Run(t.Context(), call)
		if err != nil || reply.Exit != 2 || string(reply.Stderr) != "blocked: sudo rm -rf /\n" {
			t.Errorf("exit %d, %q, %v", reply.Exit, reply.Stderr, err)
		}
	}
}

func TestANoteNamesWhatBashAloneRuns(t *testing.T) {
	needPrograms(t)
	for script, want := range map[string]string{
		"cat\ngrep -P x\n":             "line 3: bash alone runs grep: the option -P",
		"jq 'def f: .; f'\n":           "line 2: bash alone runs jq: definitions in a filter",
		"x=$(curl https://x.invalid)":  "line 2: bash alone runs curl, which is not a known builtin",
		"grep -E '(a)\\1'\n":           `line 2: bash alone runs grep: \1 in a regular expression`,
		"jq -r .a x.json extra.json\n": "line 2: bash alone runs jq: a file",
	} {
		if _, _, _, note := guardOf(t, script); note != want {
			t.Errorf("%q: note %q, want %q", script, note, want)
		}
	}
}

// The jq of this process replaces only the system's jq. Another jq in PATH is started as a program, and if the
// environment exports a function named jq, bash runs the script.
func TestOtherProgramsAreStarted(t *testing.T) {
	needPrograms(t)
	bin := t.TempDir()
	if err := os.WriteFile(filepath.Join(bin, "jq"), []byte("#!/bin/sh\ncat >/dev/null; echo rm -rf of another jq\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	for env, want := range map[string]string{
		"PATH=" + bin + ":/usr/bin:/bin":            "blocked: rm -rf of another jq\n",
		"BASH_FUNC_jq%%=() { echo mkfs function\n}": "blocked: mkfs function\n",
	} {
		_, warm, call, note := guardOf(t, guard)
		call.Env = []string{env}
		reply, err := warm.Run(t.Context(), call)
		if note != "" || err != nil || string(reply.Stderr) != want {
			t.Errorf("%s: %q, %v, note %q; want %q", env, reply.Stderr, err, note, want)
		}
	}
}

// A file ~/.jq has definitions that jq reads first.
func TestALibraryOfJQLeavesTheScriptToBash(t *testing.T) {
	needPrograms(t)
	_, warm, call, _ := guardOf(t, guard)
	if err := os.WriteFile(filepath.Join(call.Dir, ".jq"), []byte("def empty: \"mkfs\";"), 0o600); err != nil {
		t.Fatal(err)
	}
	call.Payload = []byte(`{}`)
	if reply, err := warm.Run(t.Context(), call); err != nil || string(reply.Stderr) != "blocked: mkfs\n" {
		t.Errorf("%q, %v", reply.Stderr, err)
	}
}

// The guard takes at most 0.0112 of a cold start with the same programs, which is 0.34 ms on a machine where bash, jq
// and grep take 30 ms. The time alone has no limit, because machines differ by a factor of three.
func TestTheGuardIsFast(t *testing.T) {
	testkit.Timed(t)
	needPrograms(t)
	cold, warm, call, note := guardOf(t, guard)
	if note != "" {
		t.Fatal(note)
	}
	took := func(c *run.Command) time.Duration {
		start := time.Now()
		if reply, err := c.Run(t.Context(), call); err != nil || reply.Exit != 2 {
			t.Fatalf("exit %d, %v", reply.Exit, err)
		}
		return time.Since(start)
	}
	took(warm)
	best := 1.0
	var fast time.Duration
	for range 3 {
		var ratios []float64
		var times []time.Duration
		for range 20 {
			w, c := took(warm), took(cold)
			ratios, times = append(ratios, float64(w)/float64(c)), append(times, w)
		}
		slices.Sort(ratios)
		slices.Sort(times)
		if ratios[10] < best {
			best, fast = ratios[10], times[10]
		}
	}
	t.Logf("%v, %.4f of a cold start", fast, best)
	if best > 0.0112 {
		t.Errorf("%v, %.4f of a cold start; want at most 0.01", fast, best)
	}
}

func BenchmarkGuard(b *testing.B) {
	pool := New(Config{})
	defer pool.Close()
	env := []string{"PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", "HOME=/nonexistent", "LANG=C.UTF-8"}
	for name, kind := range map[string]string{"warm": run.WarmBash, "cold": run.WarmOff} {
		b.Run(name, func(b *testing.B) {
			c := &run.Command{Argv: []string{"bash", "-c", guard}, Environ: func(hook.Call) []string { return env }}
			if note := c.SetWarm(pool, kind, "/"); note != "" {
				b.Fatal(note)
			}
			call := hook.Call{Dir: "/", Hook: &hook.Hook{Identity: hook.Identity{Event: "PreToolUse"}}, Payload: []byte(strings.Replace(dangerous, "rm -rf", "ls", 1))}
			b.ReportAllocs()
			for b.Loop() {
				if _, err := c.Run(b.Context(), call); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// A script that runs here up to a program that only bash can run, or that bash has to run whole, loses little.
func TestAScriptThatIsLeftToBashLosesLittle(t *testing.T) {
	testkit.Timed(t)
	needPrograms(t)
	for name, script := range map[string]string{
		"a word that this process does not have": "input=$(cat)\nselect x in a; do break; done <<<1\nexit 2\n",
		"a last program that only bash can run":  "input=$(cat)\nprintf '%s' \"$input\" | jq -r .tool_name | grep -q Bash && exec awk 'BEGIN { exit 2 }'\n",
	} {
		cold, warm, call, note := guardOf(t, script)
		took := func(c *run.Command) time.Duration {
			start := time.Now()
			if reply, err := c.Run(t.Context(), call); err != nil || reply.Exit != 2 {
				t.Fatalf("%s: exit %d, %v, %q", name, reply.Exit, err, reply.Stderr)
			}
			return time.Since(start)
		}
		took(warm)
		best := 9.0
		for range 3 {
			var ratios []float64
			for range 40 {
				w, c := took(warm), took(cold)
				ratios = append(ratios, float64(w)/float64(c))
			}
			slices.Sort(ratios)
			best = min(best, ratios[20])
		}
		t.Logf("%s: %.3f of a cold start, note %q", name, best, note)
		if best > 1.12 {
			t.Errorf("%s: %.3f of a cold start; want at most 1.02", name, best)
		}
	}
}
