//go:build !race

package bench

import (
	"bytes"
	"os"
	"os/exec"
	"regexp"
	"strconv"
	"testing"
)

// mostAtStart limits the allocations of all packages of the project before main of a program begins that links them
// all: the tables of the six dialects make most of them. Each regular expression that is compiled at the start takes
// about 100; see package lazyregexp.
const mostAtStart = 5400

// A host pays for the packages that it links at each start, whether or not it fires an event.
func TestLinkedPackagesAllocateLittleAtTheStart(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	program := exec.Command(self, "-test.run=^$")
	program.Env = append(os.Environ(), "GODEBUG=inittrace=1")
	var trace bytes.Buffer
	program.Stderr = &trace
	if err := program.Run(); err != nil {
		t.Fatalf("%v: %s", err, trace.Bytes())
	}
	line := regexp.MustCompile(`(?m)^init (github\.com/snaphook-go/snaphook\S*) .* (\d+) bytes, (\d+) allocs$`)
	all := 0
	for _, found := range line.FindAllStringSubmatch(trace.String(), -1) {
		n, err := strconv.Atoi(found[3])
		if err != nil {
			t.Fatal(err)
		}
		all += n
		t.Logf("%s: %s allocations, %s bytes", found[1], found[3], found[2])
	}
	if all == 0 {
		t.Fatalf("the trace names no package of the project:\n%s", trace.Bytes())
	}
	counted(place{what: "packages of the project at the start of a program, allocations"}, float64(all), mostAtStart).test(t)
}
