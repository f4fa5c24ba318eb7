//go:build !race

package bench

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/snaphook-go/snaphook/internal/testkit"
)

// mostMegabytes limits the megabytes that firing an event of Claude Code adds to the stripped binary of a program that
// already uses net/http, encoding/json and regexp. On linux/amd64 it adds 6.96 MB. Half of this is libraries and code
// without type parameters: the regular expressions of JavaScript, JSON, the syntax of shells, processes.
const mostMegabytes = 7

func TestWhatAHostGrowsByIsBounded(t *testing.T) {
	testkit.Timed(t)
	if runtime.GOOS != "linux" || runtime.GOARCH != "amd64" {
		t.Skip("the code of other systems and processors has other sizes")
	}
	grows := float64(stripped(t, "with")-stripped(t, "without")) / 1e6
	counted(place{what: "a host with claude and its load, MB stripped"}, grows, mostMegabytes).test(t)
}

// mostOfOthers limits the megabytes that firing an event of one of these dialects adds to the stripped binary of a
// program: the code of other dialects must not be linked. On linux/amd64 it adds 4.5, 4.8 and 5.4 MB.
var mostOfOthers = map[string]float64{"codex": 5, "copilot": 5.5, "cursor": 6}

func TestAHostOfOneSystemLinksNoOther(t *testing.T) {
	testkit.Timed(t)
	if runtime.GOOS != "linux" || runtime.GOARCH != "amd64" {
		t.Skip("the code of other systems and processors has other sizes")
	}
	text, err := os.ReadFile("testdata/host/with/main.go")
	if err != nil {
		t.Fatal(err)
	}
	without := stripped(t, "without")
	for dialect, most := range mostOfOthers {
		host := filepath.Join(t.TempDir(), "main.go")
		program := strings.NewReplacer(
			`events/claude"`, `events/`+dialect+`"`,
			`claude.PreToolUseInput{Name: "WebFetch", Input: input}`, dialect+".PreToolUseInput{}",
			`input, _ := json.Marshal(map[string]string{"url": url})`, "_ = url",
			"claude.PreToolUse.Fire", dialect+".PreToolUse.Fire",
			"claude.ApplyPreToolUse(&call, res).Run", "!res.Blocked()",
		).Replace(string(text))
		if err := os.WriteFile(host, []byte(program), 0o644); err != nil {
			t.Fatal(err)
		}
		grows := float64(strippedOf(t, host)-without) / 1e6
		counted(place{what: "a host with " + dialect + " and its load, MB stripped"}, grows, most).test(t)
	}
}

// stripped returns the size of a program of testdata/host without symbols.
func stripped(t *testing.T, program string) int64 {
	t.Helper()
	return strippedOf(t, "./testdata/host/"+program)
}

// strippedOf returns the size of a program without symbols.
func strippedOf(t *testing.T, program string) int64 {
	t.Helper()
	file := filepath.Join(t.TempDir(), "program")
	build := exec.Command("go", "build", "-trimpath", "-ldflags", "-s -w", "-o", file, program)
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v: %v\n%s", build.Args, err, out)
	}
	info, err := os.Stat(file)
	if err != nil {
		t.Fatal(err)
	}
	return info.Size()
}
