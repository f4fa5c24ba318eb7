//go:build unix

package command

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/snaphook-go/snaphook/internal/testkit"
	"github.com/snaphook-go/snaphook/run"
)

const (
	costFixtures = 200
	costJobs     = 2
	mostRatio    = 1.5
)

// TestFixturesCostLittleMoreThanTheirHooks compares 200 fixtures with the same commands started
// without snaphook, on an equal number of goroutines, in one run. It compares the processor time of
// this process and its children, which other processes do not affect: the median of five pairs, in the best of three
// attempts.
func TestFixturesCostLittleMoreThanTheirHooks(t *testing.T) {
	testkit.Timed(t)
	if raceDetector {
		t.Skip("the race detector makes the engine slower and leaves hooks as they are")
	}
	dir := t.TempDir()
	write := func(name, text string, mode os.FileMode) {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), mode); err != nil {
			t.Fatal(err)
		}
	}
	const command = "$CLAUDE_PROJECT_DIR/guard.sh"
	const input = `{"tool_name": "Bash", "tool_input": {"command": "git push"}}`
	write("guard.sh", "#!/bin/sh\ncall=$(cat)\ncase $call in *--force*) exit 2;; esac\necho x > seen\n", 0o755)
	write(".claude/settings.json", fmt.Sprintf(
		`{"hooks": {"PreToolUse": [{"hooks": [{"type": "command", "command": %q}]}]}}`, command), 0o644)
	for i := range 30 {
		write(fmt.Sprintf("src/%d.txt", i), "text", 0o644)
	}
	one := `{"files": {"a.txt": "{{DIR}}"}, "session": [{"event": "claude.PreToolUse", "input": ` + input + `, "expect": {"ran": ["*"], "blocked": false}}]}`
	write("all.hooktest.jsonl", strings.Repeat(one+"\n", costFixtures), 0o644)

	took := func(run func()) float64 {
		start := processorTime(t)
		run()
		return (processorTime(t) - start).Seconds()
	}
	attempt := func() (median float64) {
		var ratios []float64
		for range 5 {
			bare := took(func() { startBare(t, dir, command, input) })
			ratios = append(ratios, took(func() {
				status, out, err := execute(t, "test", "--dir", dir, "--jobs", fmt.Sprint(costJobs))
				if err != nil || status != 0 {
					t.Fatalf("status %d, %v\n%s", status, err, out)
				}
			})/bare)
		}
		slices.Sort(ratios)
		t.Logf("%.2f", ratios)
		return ratios[2]
	}
	best := attempt()
	for range 2 {
		if best > mostRatio {
			best = min(best, attempt())
		}
	}
	if best > mostRatio {
		t.Errorf("%d fixtures take %.2f times as much of the processors as their hooks alone; want at most %v",
			costFixtures, best, mostRatio)
	}
}

// processorTime returns the processor time of this process and of its children that have ended.
func processorTime(t *testing.T) (all time.Duration) {
	t.Helper()
	for _, who := range []int{syscall.RUSAGE_SELF, syscall.RUSAGE_CHILDREN} {
		var used syscall.Rusage
		if err := syscall.Getrusage(who, &used); err != nil {
			t.Fatal(err)
		}
		all += time.Duration(used.Utime.Nano() + used.Stime.Nano())
	}
	return all
}

// startBare starts a command as often as there are fixtures, in the shell in which a hook runs.
func startBare(t *testing.T, dir, command, input string) {
	var wait sync.WaitGroup
	for range costJobs {
		wait.Go(func() {
			for range costFixtures / costJobs {
				argv := run.Bash(command)
				cmd := exec.CommandContext(t.Context(), argv[0], argv[1:]...)
				cmd.Dir, cmd.Env = dir, append(os.Environ(), "CLAUDE_PROJECT_DIR="+dir)
				cmd.Stdin = strings.NewReader(input)
				if out, err := cmd.CombinedOutput(); err != nil {
					t.Errorf("%v\n%s", err, out)
					return
				}
			}
		})
	}
	wait.Wait()
}
