// Package bench holds the promises about cost: allocation counts as ordinary
// tests, and benchmarks to compare by. See README.md.
package bench

import (
	"context"
	"fmt"
	"io"
	"iter"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/snaphook-go/snaphook/events/llxprt"
	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/pipeline"
	"github.com/snaphook-go/snaphook/settings"
	"github.com/snaphook-go/snaphook/stages"
	"github.com/snaphook-go/snaphook/wire"
)

// session makes a session of a system with these settings.
func session(tb testing.TB, text string) *pipeline.Session {
	tb.Helper()
	sys := pipeline.NewSystem(pipeline.Config{
		Load: []pipeline.Load{llxprt.Settings{Layers: []settings.Layer{
			{Name: "project", Source: hook.Project, File: "settings.json", Data: []byte(text)},
		}}.Load},
		Log: slog.New(slog.NewTextHandler(io.Discard, nil)),
	})
	tb.Cleanup(func() { sys.Close() })
	ses, err := sys.NewSession(context.Background(), pipeline.SessionConfig{ID: "bench", Dir: tb.TempDir()})
	if err != nil {
		tb.Fatal(err)
	}
	if problems := ses.Problems(); len(problems) > 0 {
		tb.Fatal(problems)
	}
	return ses
}

// commands are settings with hooks for BeforeTool.
func commands(group string, scripts ...string) string {
	entries := make([]string, len(scripts))
	for i, script := range scripts {
		entries[i] = fmt.Sprintf(`{"type": "command", "command": %s}`, wire.Quote(script))
	}
	return fmt.Sprintf(`{"tools": {"enableHooks": true}, "hooks": {"BeforeTool": [{%s "hooks": [%s]}]}}`, group, strings.Join(entries, ","))
}

const off = `{"tools": {"enableHooks": true}, "hooks": {}}`

// unmatched has n groups of hooks, and none for the tool that is called.
func unmatched(n int) string {
	groups := make([]string, n)
	for i := range groups {
		groups[i] = fmt.Sprintf(`{"matcher": "^mcp__server%d__(read|write)_.*$", "hooks": [{"type": "command", "command": "true %d"}]}`, i, i)
	}
	return fmt.Sprintf(`{"tools": {"enableHooks": true}, "hooks": {"BeforeTool": [%s]}}`, strings.Join(groups, ","))
}

var arguments = wire.Object(`{"path": "notes.txt", "content": "hello"}`)

// answer reads its input and allows, like a small hook does.
const answer = `cat > /dev/null; echo '{"decision":"allow","reason":"ok"}'`

// rewrite changes an argument.
const rewrite = `cat > /dev/null; echo '{"hookSpecificOutput":{"tool_input":{"path":"safe.txt"}}}'`

func BenchmarkFireIdle(b *testing.B) {
	ses := session(b, off)
	ctx := context.Background()
	b.ReportAllocs()
	for b.Loop() {
		llxprt.BeforeTool.Fire(ctx, ses, &llxprt.ToolCall{Name: "write_file", Input: arguments})
	}
}

func BenchmarkActive(b *testing.B) {
	ses := session(b, off)
	n := 0
	b.ReportAllocs()
	for b.Loop() {
		if llxprt.BeforeTool.Active(ses) {
			n++
		}
	}
	if n > 0 {
		b.Fatal("active without hooks")
	}
}

func BenchmarkFireUnmatched10(b *testing.B) { benchmarkUnmatched(b, 10) }

func BenchmarkFireUnmatched1000(b *testing.B) { benchmarkUnmatched(b, 1000) }

func benchmarkUnmatched(b *testing.B, n int) {
	ses := session(b, unmatched(n))
	ctx := context.Background()
	b.ReportAllocs()
	for b.Loop() {
		llxprt.BeforeTool.Fire(ctx, ses, &llxprt.ToolCall{Name: "write_file", Input: arguments})
	}
}

func BenchmarkFireGo(b *testing.B) {
	ses := session(b, off)
	llxprt.BeforeTool.On(ses, "silent", func(context.Context, llxprt.ToolCall) (o hook.Output[llxprt.ToolGate], err error) {
		return o, nil
	})
	ctx := context.Background()
	b.ReportAllocs()
	for b.Loop() {
		llxprt.BeforeTool.Fire(ctx, ses, &llxprt.ToolCall{Name: "write_file", Input: arguments})
	}
}

func BenchmarkFireCommand(b *testing.B) { benchmarkHooks(b, commands("", answer)) }

func BenchmarkFireParallel8(b *testing.B) {
	benchmarkHooks(b, commands("", variants(8, answer)...))
}

func BenchmarkFireChained4(b *testing.B) {

	benchmarkHooks(b, commands(`"sequential": true,`, variants(4, rewrite)...))
}

func BenchmarkFireOutput1MB(b *testing.B) {
	dir := b.TempDir()
	file := filepath.Join(dir, "answer.json")
	if err := os.WriteFile(file, []byte(`{"systemMessage":"`+strings.Repeat("x", 1<<20)+`"}`), 0o644); err != nil {
		b.Fatal(err)
	}
	b.SetBytes(1 << 20)
	benchmarkHooks(b, commands("", "cat "+file))
}

// variants makes commands that differ, so that none is a duplicate.
func variants(n int, script string) []string {
	scripts := make([]string, n)
	for i := range scripts {
		scripts[i] = fmt.Sprintf("%s # %d", script, i)
	}
	return scripts
}

func benchmarkHooks(b *testing.B, text string) {
	ses := session(b, text)
	ctx := context.Background()
	b.ReportAllocs()
	for b.Loop() {
		res, err := llxprt.BeforeTool.Fire(ctx, ses, &llxprt.ToolCall{Name: "write_file", Input: arguments})
		if err != nil || !res.OK() {
			b.Fatal(err, res.Errs())
		}
	}
}

// BenchmarkFireConcurrent200 fires 200 events at once, with one hook each.
func BenchmarkFireConcurrent200(b *testing.B) {
	ses := session(b, commands("", answer))
	ctx := context.Background()
	b.ReportAllocs()
	for b.Loop() {
		var all sync.WaitGroup
		for range 200 {
			all.Go(func() {
				res, err := llxprt.BeforeTool.Fire(ctx, ses, &llxprt.ToolCall{Name: "write_file", Input: arguments})
				if err != nil || !res.OK() {
					b.Error(err, res.Errs())
				}
			})
		}
		all.Wait()
	}
}

// outputs are n answers like those of a crowd of AfterTool hooks: each
// decides, every tenth gives a reason and a message.
func outputs(n int) []hook.Output[llxprt.Plain] {
	outs := make([]hook.Output[llxprt.Plain], n)
	for i := range outs {
		outs[i].Decision, outs[i].Given = hook.Allow, hook.Spoke|hook.GaveDecision
		if i%10 == 0 {
			outs[i].Reason, outs[i].Message = "looked at it", "a message for the user"
		}
	}
	return outs
}

func BenchmarkReduce1000(b *testing.B) {
	outs := outputs(1000)
	b.ReportAllocs()
	for b.Loop() {
		llxprt.AfterTool.Reduce(slices.Values(outs))
	}
}

// BenchmarkReduceReports1000 is the whole stage: reports in, result out.
func BenchmarkReduceReports1000(b *testing.B) {
	reports := reports(1000)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := stages.Reduce(reports, 1000, llxprt.AfterTool.Reduce, func() {}); err != nil {
			b.Fatal(err)
		}
	}
}

func reports(n int) iter.Seq[hook.Report[llxprt.Plain]] {
	outs, h := outputs(n), &hook.Hook{}
	return func(yield func(hook.Report[llxprt.Plain]) bool) {
		for i := range outs {
			if !yield(hook.Report[llxprt.Plain]{Hook: h, Index: i, Output: outs[i], Said: true}) {
				return
			}
		}
	}
}

// BenchmarkSessionIdle reports what a session keeps, in bytes.
func BenchmarkSessionIdle(b *testing.B) {
	for b.Loop() {
		b.ReportMetric(sessionBytes(b, 10_000), "B/session")
	}
}

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
