// Package bench holds the promises about cost: tests of allocations and of ratios of times, and benchmarks for
// comparisons. See README.md.
package bench

import (
	"context"
	"slices"
	"testing"

	"github.com/snaphook-go/snaphook/events/llxprt"
	"github.com/snaphook-go/snaphook/stages"
)

func BenchmarkFireIdle(b *testing.B) {
	ses := session(b, off)
	ctx := context.Background()
	b.ReportAllocs()
	for b.Loop() {
		llxprt.BeforeTool.Fire(ctx, ses, &llxprt.BeforeToolInput{Name: "write_file", Input: arguments})
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
		llxprt.BeforeTool.Fire(ctx, ses, &llxprt.BeforeToolInput{Name: "write_file", Input: arguments})
	}
}

func BenchmarkFireGo(b *testing.B) {
	ses := session(b, off)
	silent(ses)
	b.ReportAllocs()
	for b.Loop() {
		fireOnce(ses)
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
	b.SetBytes(1 << 20)
	benchmarkHooks(b, output1MB(b))
}

func benchmarkHooks(b *testing.B, text string) {
	ses := session(b, text)
	b.ReportAllocs()
	for b.Loop() {
		if err := fireOnce(ses); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkFireConcurrent200 fires 200 events at once, with one hook each.
func BenchmarkFireConcurrent200(b *testing.B) {
	ses := session(b, commands("", answer))
	b.ReportAllocs()
	for b.Loop() {
		if err := fireConcurrently(ses, 200); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkReduce1000(b *testing.B) {
	outs := outputs(1000)
	b.ReportAllocs()
	for b.Loop() {
		llxprt.AfterTool.Reduce(slices.Values(outs))
	}
}

// BenchmarkReduceReports1000 runs the whole reduce stage, from reports to the result.
func BenchmarkReduceReports1000(b *testing.B) {
	reports := reports(1000)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := stages.Reduce(reports, room(1000), llxprt.AfterTool.Reduce, func() {}); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkSessionIdle reports how many bytes an idle session holds.
func BenchmarkSessionIdle(b *testing.B) {
	for b.Loop() {
		b.ReportMetric(sessionBytes(b, 10_000), "B/session")
	}
}
