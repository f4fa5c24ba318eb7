package trust_test

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/internal/deep"
	"github.com/snaphook-go/snaphook/internal/testkit"
	"github.com/snaphook-go/snaphook/trust"
)

func FuzzFilesOfAnyCommand(f *testing.F) {
	for _, command := range []string{
		"./a.sh", `"$x"/y`, "a && (b; c)", "$(rm x)", "cat <<E\nE\n", "\x00", "~/", "${a[@]}", "a=(b)", "((1/0))", "diff <(a) >(b)", "a=$a$a; a=$a$a; $a", "{1..99999999}",
		"{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}", "bash -c 'bash -c \"a b\"'", "echo 'a b c' | sh", "for i in 1 2 3; do $i; done", ". ./lib", "0=x; $0", "$(a=1)",
	} {
		f.Add(command)
	}
	dir := project(f, map[string]string{"lib": ". ./lib; . ./more", "more": "bash lib; ./lib 'a b'"})
	f.Fuzz(func(t *testing.T, command string) {
		late := time.AfterFunc(10*time.Second, func() { panic(fmt.Sprintf("no end with %q", command)) })
		defer late.Stop()
		covered(t, dir, command)
	})
}

// raceDetector shortens tests that run on one goroutine; they also run without the detector.
var raceDetector bool

func TestNoCommandIsNestedTooDeepToBeLookedAt(t *testing.T) {
	defer debug.SetMaxStack(debug.SetMaxStack(256 << 20))
	dir, lengths := project(t, nil), []int{8 << 10, 1 << 20}
	if !testkit.Whole() {
		lengths = []int{1 << 10, 200 << 10}
	}
	for _, length := range lengths {
		for command := range deep.Shell(length) {
			h := &hook.Hook{Identity: hook.Identity{Type: "command", Command: command}}
			if _, err := trust.Cover(t.Context(), dir, []*hook.Hook{h}, trust.Options{}); err != nil {
				t.Errorf("%.20q: %v", command, err)
			}
		}
	}
}

// TestNoCommandKeepsTrustBusy tries commands whose words multiply the work of the words before
// them. One limit applies to the work for all hooks together; a hook beyond it is unclear.
func TestNoCommandKeepsTrustBusy(t *testing.T) {
	if raceDetector {
		t.Skip("one goroutine reads the commands, which takes it twenty seconds with the race detector")
	}
	files := map[string]string{}
	for i := range 300 {
		files[fmt.Sprintf("d/%d", i)] = "x"
	}
	dir := project(t, files)
	var hooks []*hook.Hook
	for _, text := range []string{
		"x=$; " + strings.Repeat("x=$x$x ", 8000) + "; $x", // each value doubles the one before it, and may be a script
		strings.Repeat("find d -exec ", 8000),              // each script runs all later ones
		strings.Repeat("run-parts d;", 8000),               // each runs a whole directory
		strings.Repeat("PATH=d ", 8000),
		strings.Repeat("eval ", 20000),
		strings.Repeat(`x="a b; c d"; $x;`, 6000),
	} {
		h := &hook.Hook{Identity: hook.Identity{Type: "command", Command: text}}
		if c, err := trust.Cover(t.Context(), dir, []*hook.Hook{h}, trust.Options{}); err != nil || c.Hooks[0].Unclear == "" {
			t.Errorf("%.20q: %v; want a hook that cannot be seen through", text, err)
		}
		hooks = append(hooks, h)
	}
	c, err := trust.Cover(t.Context(), dir, hooks, trust.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, h := range c.Hooks {
		if h.Unclear == "" || len(h.Files) != len(files) {
			t.Errorf("%.20q: %d files, unclear %q; want all files of the project", h.Command, len(h.Files), h.Unclear)
		}
	}
}

// TestTrustHasABoundOnWhatItCovers checks two limits: for the files of all hooks, where a file counts once for every
// hook that has it, and for missing files.
func TestTrustHasABoundOnWhatItCovers(t *testing.T) {
	files := map[string]string{}
	for i := range 1000 {
		files[fmt.Sprint(i)] = ""
	}
	many := slices.Repeat([]*hook.Hook{{Identity: hook.Identity{Type: "command", Command: "make"}}}, 1001)
	if _, err := trust.Cover(t.Context(), project(t, files), many, trust.Options{}); err == nil || !strings.Contains(err.Error(), "1000000 files for all hooks") {
		t.Errorf("1001 hooks of 1000 files each: %v; want an error with the bound", err)
	}
	var missing strings.Builder
	for i := range 20_010 { // some names, such as con, are devices of Windows
		missing.WriteString("./" + strconv.FormatInt(int64(i), 36) + ";")
	}
	absent := []*hook.Hook{{Identity: hook.Identity{Type: "command", Command: missing.String()}}}
	if _, err := trust.Cover(t.Context(), project(t, nil), absent, trust.Options{}); err == nil || !strings.Contains(err.Error(), "20000 files") {
		t.Errorf("20001 files that are not there: %v; want an error with the bound", err)
	}
}

func TestTheSearchForFilesHearsItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	h := &hook.Hook{Identity: hook.Identity{Type: "command", Command: "a; b"}}
	if _, err := trust.Cover(ctx, project(t, nil), []*hook.Hook{h}, trust.Options{}); !errors.Is(err, context.Canceled) {
		t.Errorf("%v; want %v", err, context.Canceled)
	}
}
