package bench

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/snaphook-go/snaphook/events/llxprt"
	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/pipeline"
	"github.com/snaphook-go/snaphook/settings"
	"github.com/snaphook-go/snaphook/wire"
)

// setup configures a session.
type setup struct {
	settings string
	shell    bool // starts a shell for every command
	workers  int  // 0 means the default
}

// session makes a session of a system with these settings.
func session(tb testing.TB, text string) *pipeline.Session {
	tb.Helper()
	return setup{settings: text}.session(tb)
}

func (s setup) session(tb testing.TB) *pipeline.Session {
	tb.Helper()
	ses, end, err := s.open(tb.TempDir())
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(end)
	return ses
}

func (s setup) open(dir string) (ses *pipeline.Session, end func(), err error) {
	layer := settings.Layer{Name: "project", Source: hook.Project, File: "settings.json", Data: []byte(s.settings)}
	sys := pipeline.NewSystem(pipeline.Config{
		Load:    []pipeline.Load{llxprt.Settings{Layers: []settings.Layer{layer}, Shell: s.shell}.Load},
		Workers: s.workers,
		Log:     slog.New(slog.NewTextHandler(io.Discard, nil)),
	})
	ses, err = sys.NewSession(context.Background(), pipeline.SessionConfig{ID: "bench", Dir: dir})
	if err == nil && len(ses.Problems()) > 0 {
		err = fmt.Errorf("settings: %v", ses.Problems())
	}
	return ses, func() { sys.Close() }, err
}

// commands returns settings with hooks for BeforeTool.
func commands(group string, scripts ...string) string {
	entries := make([]string, len(scripts))
	for i, script := range scripts {
		entries[i] = fmt.Sprintf(`{"type": "command", "command": %s}`, wire.Quote(script))
	}
	return fmt.Sprintf(`{"tools": {"enableHooks": true}, "hooks": {"BeforeTool": [{%s "hooks": [%s]}]}}`, group, strings.Join(entries, ","))
}

const off = `{"tools": {"enableHooks": true}, "hooks": {}}`

// unmatched returns n groups of hooks, none of which matches the called tool.
func unmatched(n int) string {
	groups := make([]string, n)
	for i := range groups {
		groups[i] = fmt.Sprintf(`{"matcher": "^mcp__server%d__(read|write)_.*$", "hooks": [{"type": "command", "command": "true %d"}]}`, i, i)
	}
	return fmt.Sprintf(`{"tools": {"enableHooks": true}, "hooks": {"BeforeTool": [%s]}}`, strings.Join(groups, ","))
}

var arguments = wire.Object(`{"path": "notes.txt", "content": "hello"}`)

// answer is a small hook that reads its input and allows.
const answer = `cat > /dev/null; echo '{"decision":"allow","reason":"ok"}'`

// rewrite is a hook that changes an argument.
const rewrite = `cat > /dev/null; echo '{"hookSpecificOutput":{"tool_input":{"path":"safe.txt"}}}'`

// variants returns commands that differ, therefore none is a duplicate.
func variants(n int, script string) []string {
	scripts := make([]string, n)
	for i := range scripts {
		scripts[i] = fmt.Sprintf("%s # %d", script, i)
	}
	return scripts
}

// output1MB returns settings with a hook whose answer is a message of 1 MB.
func output1MB(tb testing.TB) string {
	tb.Helper()
	file := filepath.Join(tb.TempDir(), "answer.json")
	if err := os.WriteFile(file, []byte(`{"systemMessage":"`+strings.Repeat("x", 1<<20)+`"}`), 0o644); err != nil {
		tb.Fatal(err)
	}
	return commands("", "cat "+file+"; true")
}

// silent adds a hook in Go without an answer.
func silent(ses *pipeline.Session) {
	llxprt.BeforeTool.On(ses, "silent", func(context.Context, llxprt.BeforeToolInput) (o hook.Output[llxprt.BeforeToolOutput], err error) {
		return o, nil
	})
}

// fireOnce fires BeforeTool, and fails unless every hook works.
func fireOnce(ses *pipeline.Session) error {
	res, err := llxprt.BeforeTool.Fire(context.Background(), ses, &llxprt.BeforeToolInput{Name: "write_file", Input: arguments})
	return errors.Join(err, errors.Join(res.Errs()...))
}

// fireConcurrently fires n times at once.
func fireConcurrently(ses *pipeline.Session, n int) error {
	errs := make([]error, n)
	var all sync.WaitGroup
	for i := range errs {
		all.Go(func() { errs[i] = fireOnce(ses) })
	}
	all.Wait()
	return errors.Join(errs...)
}

// outputs returns n answers of AfterTool hooks: each decides, and every tenth has a reason and a
// message.
func outputs(n int) []hook.Output[llxprt.BasicOutput] {
	outs := make([]hook.Output[llxprt.BasicOutput], n)
	for i := range outs {
		outs[i].Decision, outs[i].Set = hook.Allow, hook.SetAnswer|hook.SetDecision
		if i%10 == 0 {
			outs[i].Reason, outs[i].Message = "looked at it", "a message for the user"
		}
	}
	return outs
}

func reports(n int) iter.Seq[*hook.Report[llxprt.BasicOutput]] {
	outs, all, h := outputs(n), room(n), &hook.Hook{}
	for i := range outs {
		all[i] = hook.Report[llxprt.BasicOutput]{Hook: h, Index: i, Output: outs[i], Answered: true}
	}
	return func(yield func(*hook.Report[llxprt.BasicOutput]) bool) {
		for i := range all {
			if !yield(&all[i]) {
				return
			}
		}
	}
}

// room allocates reports for n hooks.
func room(n int) []hook.Report[llxprt.BasicOutput] { return make([]hook.Report[llxprt.BasicOutput], n) }

func sessionBytes(tb testing.TB, n int) float64 {
	tb.Helper()
	sys := pipeline.NewSystem(pipeline.Config{})
	defer sys.Close()
	dir := tb.TempDir()
	sessions := make([]*pipeline.Session, n)
	before := heap()
	for i := range sessions {
		ses, err := sys.NewSession(context.Background(), pipeline.SessionConfig{
			ID: fmt.Sprintf("01890a5d-ac96-774b-bcce-%012d", i), Dir: dir, Transcript: fmt.Sprintf("%s/transcripts/%d.jsonl", dir, i),
		})
		if err != nil {
			tb.Fatal(err)
		}
		sessions[i] = ses
	}
	after := heap()
	runtime.KeepAlive(sessions)
	return float64(after-before) / float64(n)
}

func heap() int64 {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}
