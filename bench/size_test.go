//go:build !race

package bench

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/snaphook-go/snaphook/internal/testkit"
)

// mostMegabytes limits by how much firing an event of Claude Code enlarges the stripped binary of a
// program that already uses net/http, encoding/json and regexp. It is 6.5 on linux/amd64, plus a
// margin. Half of it is libraries and code that is not generic: the regular expressions of
// JavaScript, JSON, the syntax of shells, processes.
const mostMegabytes = 7

func TestWhatAHostGrowsByIsBounded(t *testing.T) {
	testkit.Timed(t)
	if runtime.GOOS != "linux" || runtime.GOARCH != "amd64" {
		t.Skip("the code of other systems and processors has other sizes")
	}
	grows := float64(stripped(t, "with")-stripped(t, "without")) / 1e6
	counted(place{what: "a host with claude and its load, MB stripped"}, grows, mostMegabytes).test(t)
}

// stripped returns the size of a program without symbols.
func stripped(t *testing.T, program string) int64 {
	t.Helper()
	file := filepath.Join(t.TempDir(), program)
	build := exec.Command("go", "build", "-ldflags", "-s -w", "-o", file, "./testdata/host/"+program)
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v: %v\n%s", build.Args, err, out)
	}
	info, err := os.Stat(file)
	if err != nil {
		t.Fatal(err)
	}
	return info.Size()
}
