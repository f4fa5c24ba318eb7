//go:build ignore

// Wine reads the output of go test -json from standard input, and compares the tests that failed with a
// list of tests that fail because Wine lacks a call of Windows.
//
//	go test -json -exec wine ./... | go run .ci/wine.go .ci/wine.txt
//
// Each line of the list is "package test call: reason"; the entry of a test includes its subtests, and a package whose
// process fails is listed with the test "-". Wine exits with status 1 if a test fails that is not listed. It also does
// so if a listed test passes, is skipped, or did not run although its package did: the list never hides other failures.
// A listed test whose reason has the word sometimes may pass or be skipped. A test that is listed with "time" as its
// call takes minutes under Wine, and is not run.
package main

import (
	"bufio"
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
)

const module = "github.com/snaphook-go/snaphook"

// test names a test of a package. Both fields are "" for output that belongs to no test.
type test struct{ Package, Test string }

// event is a line of go test -json.
type event struct {
	test
	Action, Output string
}

// outcome is the end of a test, and its output.
type outcome struct {
	action string
	output strings.Builder
	inner  map[string]*outcome // the subtests, by their whole names
	listed bool
}

// ended reports whether a test passed, or was skipped.
func (o *outcome) ended() bool { return o.action == "pass" || o.action == "skip" }

// text returns the last lines of the output of a test that has failed or not ended. If tests in it have failed or
// not ended, it returns the last lines of each of these instead, with their names.
func (o *outcome) text() string {
	var texts []string
	for _, name := range slices.Sorted(maps.Keys(o.inner)) {
		if in := o.inner[name]; !in.ended() {
			texts = append(texts, name+":\n"+last(in.output.String()))
		}
	}
	return cmp.Or(strings.Join(texts, "\n"), last(o.output.String()))
}

// entry is a line of the list.
type entry struct {
	test
	reason string
}

func main() {
	if len(os.Args) != 2 {
		fail("usage: wine LIST < the output of go test -json")
	}
	list, err := readList(os.Args[1])
	if err != nil {
		fail("%v", err)
	}
	all, err := readEvents()
	if err != nil {
		fail("standard input: %v", err)
	}
	wrong := stale(all, list)
	wrong = append(wrong, unlisted(all)...)
	slices.Sort(wrong)
	for _, line := range wrong {
		fmt.Println(line)
	}
	summary(all, list)
	if len(wrong) > 0 {
		os.Exit(1)
	}
}

func fail(format string, args ...any) {
	fmt.Fprintf(os.Stderr, "wine: "+format+"\n", args...)
	os.Exit(1)
}

// readList reads the list; it refuses a line without a reason, and a test that is listed twice.
func readList(name string) (list []entry, err error) {
	text, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	seen := map[test]bool{}
	for i, line := range strings.Split(string(text), "\n") {
		if line = strings.TrimSpace(line); line == "" || line[0] == '#' {
			continue
		}
		head, reason, ok := strings.Cut(line, ": ")
		words := strings.Fields(head)
		if !ok || len(words) < 3 {
			return nil, fmt.Errorf("%s:%d: %q is not \"package test call: reason\"", name, i+1, line)
		}
		t := test{words[0], words[1]}
		if seen[t] {
			return nil, fmt.Errorf("%s:%d: %s of %s is listed twice; remove one of the lines", name, i+1, t.Test, t.Package)
		}
		seen[t] = true
		list = append(list, entry{test: t, reason: strings.Join(words[2:], " ") + ": " + reason})
	}
	return list, nil
}

// readEvents returns the outcomes of the tests that are in no other test. The outcome of a package has the test "-".
func readEvents() (map[test]*outcome, error) {
	all := map[test]*outcome{}
	lines := bufio.NewReader(os.Stdin)
	for {
		line, err := lines.ReadBytes('\n')
		if len(line) == 0 {
			break
		}
		var e event
		if json.Unmarshal(line, &e) != nil { // a message of the go command
			fmt.Fprint(os.Stderr, string(line))
			continue
		}
		e.Package = cmp.Or(strings.TrimPrefix(strings.TrimPrefix(e.Package, module), "/"), ".")
		name := e.Test
		e.Test, _, _ = strings.Cut(cmp.Or(e.Test, "-"), "/")
		o := all[e.test]
		if o == nil {
			o = &outcome{inner: map[string]*outcome{}}
			all[e.test] = o
		}
		if strings.Contains(name, "/") {
			if o.inner[name] == nil {
				o.inner[name] = &outcome{}
			}
			o = o.inner[name]
		}
		switch e.Action {
		case "output":
			o.output.WriteString(e.Output)
		case "build-output":
			fmt.Fprint(os.Stderr, e.Output)
		case "pass", "fail", "skip":
			o.action = e.Action
		}
		if err != nil {
			break
		}
	}
	if len(all) == 0 {
		return nil, fmt.Errorf("there is no test in it")
	}
	return all, nil
}

// stale returns a line for each entry whose test passed, was skipped, or did not run although its package did. It marks
// as listed each test of an entry that failed or did not end. A test whose reason has the word sometimes may pass or be
// skipped, and a test with "time" as its call need not run.
func stale(all map[test]*outcome, list []entry) (wrong []string) {
	for _, e := range list {
		o, ran := all[e.test]
		switch {
		case ran && (o.action == "fail" || o.action == ""):
			o.listed = true
		case ran && strings.Contains(e.reason, " sometimes "):
		case ran:
			wrong = append(wrong, fmt.Sprintf("%s %s: the list has this test, but it ended with %q; remove the entry", e.Package, e.Test, o.action))
		case all[test{e.Package, "-"}] != nil && !strings.HasPrefix(e.reason, "time:"):
			wrong = append(wrong, fmt.Sprintf("%s %s: the list has this test, but it did not run; remove the entry", e.Package, e.Test))
		}
	}
	return wrong
}

// unlisted returns the output of each test that is not in the list of known failures although it failed or did
// not end. A failed package must be in the list too, unless one of its tests failed.
func unlisted(all map[test]*outcome) (wrong []string) {
	failed := map[string]bool{}
	for t, o := range all {
		if t.Test != "-" && o.action == "fail" {
			failed[t.Package] = true
		}
	}
	for t, o := range all {
		bad := o.action == "fail" || o.action == ""
		if bad && !o.listed && !(t.Test == "-" && failed[t.Package]) {
			wrong = append(wrong, fmt.Sprintf("%s %s: FAILED, and is not listed\n%s", t.Package, t.Test, o.text()))
		}
	}
	return wrong
}

// last returns the last 40 lines of a text.
func last(text string) string {
	lines := strings.Split(strings.TrimRight(text, "\n"), "\n")
	return strings.Join(lines[max(0, len(lines)-40):], "\n")
}

// summary prints the listed tests that failed or did not end, with their reasons, and the numbers of tests that passed,
// failed and were skipped.
func summary(all map[test]*outcome, list []entry) {
	ends := map[string]int{}
	packages := 0
	for t, o := range all {
		switch {
		case t.Test == "-":
			packages++
		case o.listed:
			ends["listed"]++
		default:
			ends[cmp.Or(o.action, "no end")]++
		}
	}
	for _, e := range list {
		if o := all[e.test]; o != nil && o.listed {
			fmt.Printf("windows: Wine lacks %s (%s %s)\n", e.reason, e.Package, e.Test)
		}
	}
	fmt.Printf("windows: %d tests of %d packages passed under Wine, %d failed, %d were skipped, %d failed for a reason of the list\n",
		ends["pass"], packages, ends["fail"]+ends["no end"], ends["skip"], ends["listed"])
}
