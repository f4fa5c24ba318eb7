package bench

import (
	"encoding/xml" //nolint:depguard // reads the chart
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/samber/lo"

	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/record"
)

func TestStartOf(t *testing.T) {
	dir, scratch := t.TempDir(), "/scratch"
	for name, text := range map[string]string{"x.py": "#!/usr/bin/env python3\n", "x.sh": "#!/bin/bash -e\n", "binary": "\x7fELF"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	s := &starter{dir: dir, scratch: scratch, environ: []string{"HOME=/home/me", "X=a b"}}
	for _, tt := range []struct{ argv, want string }{
		{"python3 x.py --strict", "python3 /scratch/empty.py"},
		{"python3.12 -u x.py", "python3.12 -u /scratch/empty.py"},
		{"node x.mjs", "node /scratch/empty.mjs"},
		{"bash x.sh", "bash /scratch/empty.sh"},
		{"bash -c exit", "bash -c ''"},
		{"./x.py", "/usr/bin/env python3 /scratch/empty.py"},
		{"./x.sh a", "/bin/bash -e /scratch/empty.sh"},
		{"./binary", "true"},
		{"./gone", "true"},
	} {
		if got := quoted(s.emptied(strings.Fields(tt.argv))); got != tt.want {
			t.Errorf("%s: the start-up is that of %s, want %s", tt.argv, got, tt.want)
		}
	}
	for _, tt := range []struct{ text, want string }{
		{"cat | ./x.py", "./x.py"},
		{"exec ./x.py --strict", "./x.py --strict"},
		{"~/x.sh", "/home/me/x.sh"},
		{`"$HOME"/x.sh $X`, "/home/me/x.sh a b"},
		{"./x.py || true", ""},
		{"./x.py 2>/dev/null", ""},
		{"A=1 ./x.py", ""},
		{"./x.py $UNSET", ""},
		{"./x.py $(date)", ""},
		{"./x.py &", ""},
		{"! ./x.py", ""},
		{"cd /; ./x.py", ""},
		{"cat x | ./x.py", ""},
		{"echo hi", ""},
		{"if", ""},
		{"exec", ""},
		{"", ""},
	} {
		if got := strings.Join(s.plain(tt.text), " "); got != tt.want {
			t.Errorf("%q without a shell is %q, want %q", tt.text, got, tt.want)
		}
	}
}

func TestArgvFormNamesTheProject(t *testing.T) {
	argv := []string{"/p/g.sh", "a b", "/p/x"}
	for dialect, want := range map[string]string{
		"claude": `write "command": "${CLAUDE_PROJECT_DIR}/g.sh", "args": ["a b", "${CLAUDE_PROJECT_DIR}/x"]`,
		"llxprt": "write the plain call /p/g.sh 'a b' /p/x, which needs no shell",
		"own":    "write the plain call /p/g.sh 'a b' /p/x, which needs no shell",
	} {
		if got := argvForm(&hook.Hook{Identity: hook.Identity{Dialect: dialect}}, argv, "/p"); got != want {
			t.Errorf("%s: got %s, want %s", dialect, got, want)
		}
	}
	if got := argvForm(&hook.Hook{Identity: hook.Identity{Dialect: "llxprt"}}, argv[:1], "/p"); got != "write the plain call $LLXPRT_PROJECT_DIR/g.sh, which needs no shell" {
		t.Errorf("got %s", got)
	}
}

// line returns a record's line of a call of Bash with a hook's decision.
func line(command, decision string) *record.Line {
	input := fmt.Sprintf(`{"tool_name":"Bash","tool_input":{"command":%q}}`, command)
	return &record.Line{Event: "claude.PreToolUse", Input: jsontext.Value(input), Hooks: []record.Hook{{Command: "guard.py", Ran: true, Decision: decision}}}
}

func TestARecordShowsWhatAnIfWouldSkip(t *testing.T) {
	h := &hook.Hook{Identity: hook.Identity{Dialect: "claude", Command: "guard.py"}}
	for name, tt := range map[string]struct {
		denied []string
		other  *hook.Hook
		silent int
		rule   string
		part   float64
	}{
		"it spoke of git alone":            {[]string{"git push", "git commit -m x", "git push -f", "git a", "git b", "git c", "git d", "git e", "git f", "git g"}, h, 40, "Bash(git *)", 0.8},
		"it spoke of two programs":         {[]string{"git push", "rm x"}, h, 40, "", 0},
		"it never spoke":                   {nil, h, 40, "", 0},
		"it spoke once":                    {[]string{"git push"}, h, 40, "", 0},
		"too few calls":                    {[]string{"git push", "git pull"}, h, 10, "", 0},
		"it has a condition":               {[]string{"git push", "git pull"}, &hook.Hook{Identity: hook.Identity{Dialect: "claude", Command: "guard.py"}, Selection: hook.Selection{If: "Bash(*)"}}, 40, "", 0},
		"its system has no conditions":     {[]string{"git push", "git pull"}, &hook.Hook{Identity: hook.Identity{Dialect: "llxprt", Command: "guard.py"}}, 40, "", 0},
		"it spoke of all there was":        {slices.Repeat([]string{"ls -l"}, 30), h, 0, "", 0},
		"another hook is in the record":    {[]string{"git push", "git pull"}, &hook.Hook{Identity: hook.Identity{Dialect: "claude", Command: "other.py"}}, 40, "", 0},
		"a program that is a substitution": {[]string{"$(which git) push", "$(which git) pull"}, h, 40, "", 0},
	} {
		calls := &Recorded{File: "r", Dir: "/", Event: "claude.PreToolUse"}
		for _, command := range tt.denied {
			calls.Add(line(command, "deny"))
		}
		for i := range tt.silent {
			calls.Add(line(fmt.Sprint("ls ", i), ""))
		}
		calls.Add(&record.Line{Event: "claude.Stop", Input: jsontext.Value(`{}`)})
		calls.Add(&record.Line{Event: "claude.PreToolUse", Input: jsontext.Value(`["tool_name"]`), Hooks: []record.Hook{{Command: "guard.py", Ran: true}}})
		if rule, part, ok := calls.rule(tt.other); rule != tt.rule && ok || ok != (tt.rule != "") || ok && part != tt.part {
			t.Errorf("%s: got %q for %v, %t; want %q for %v", name, rule, part, ok, tt.rule, tt.part)
		}
	}
	if _, _, ok := (*Recorded)(nil).rule(h); ok {
		t.Error("a rule without a record")
	}
}

// A line whose input is incomplete is ignored: it has no command from which a rule could be derived.
func TestALineWithoutItsWholeInputDoesNotCount(t *testing.T) {
	for name, input := range map[string]string{
		"its keys":    `{"tool_name":"string","tool_input":{"command":"string"}}`,
		"a cut input": fmt.Sprintf(`{"tool_name":"Bash","tool_input":{"command":"%s…"}}`, strings.Repeat("x", 4<<10)),
		"no input":    `null`,
	} {
		calls := &Recorded{File: "r", Dir: "/", Event: "claude.PreToolUse"}
		calls.Add(&record.Line{V: 1, Event: "claude.PreToolUse", Input: jsontext.Value(input), Hooks: []record.Hook{{Command: "g", Ran: true}}})
		if !calls.Empty() {
			t.Errorf("%s: the line counts", name)
		}
	}
}

// noisy returns n runs of about ms milliseconds, with a tail.
func noisy(random *rand.Rand, n int, ms float64) (values []float64) {
	for range n {
		values = append(values, ms*(1+0.08*random.NormFloat64())+ms*0.3*max(0, random.NormFloat64()-1.5))
	}
	return values
}

func TestCompareTellsTwentyPercentFromNone(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	missed, imagined := 0, 0
	for range 200 {
		was := noisy(random, 50, 20)
		if d := difference("h", was, noisy(random, 50, 24), 1); !d.Changed || d.Lo > d.Ratio || d.Hi < d.Ratio {
			missed++
		}
		if difference("h", was, noisy(random, 50, 20), 1).Changed {
			imagined++
		}
	}
	if missed > 2 || imagined > 4 {
		t.Errorf("of 200 changes of 20 %% %d are missed, and %d seen where there is none; want 2 and 4 at most", missed, imagined)
	}
}

// Compare reports no change for a hook that was measured twice: neither if a figure drifts during a measurement, as the
// figure of an empty script does, nor if a figure is larger because every process starts more slowly.
func TestCompareOfTheSameHookIsNoDifference(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 6))
	wandering := func(n int, from, to float64) (values []float64) {
		for i := range n {
			values = append(values, noisy(random, 1, from+(to-from)*float64(i)/float64(n))...)
		}
		return values
	}
	result := func(machineMS, startMS, from, to float64) *Result {
		return &Result{Event: "claude.PreToolUse", Samples: map[string][]float64{
			machine: noisy(random, 400, machineMS), "h startup": noisy(random, 400, startMS), "h cold": wandering(400, from, to),
			coldFire: wandering(400, from, to),
		}}
	}
	for name, pair := range map[string][2]*Result{
		"it wanders while it is measured":       {result(1, 2, 2, 2.6), result(1, 2, 2.3, 2.9)},
		"every process starts more slowly":      {result(1, 2, 2, 2), result(1, 2.5, 2.5, 2.5)},
		"and the machine is faster in one part": {result(1, 2, 2, 2), result(0.9, 2.3, 2.3, 2.3)},
	} {
		differences, err := Compare(pair[0], pair[1])
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range differences {
			if d.Changed && (d.What == "h cold" || d.What == coldFire) {
				t.Errorf("%s: %s differs: %+v", name, d.What, d)
			}
		}
	}
}

// Compare does not report a hook as slower because the machine has become busier.
func TestCompareKnowsTheMachineFromTheHook(t *testing.T) {
	for name, tt := range map[string]struct {
		machine, start, sleep float64 // factor of each figure between the two results
		want                  []string
	}{
		"nothing has changed":                  {1, 1, 1, nil},
		"the machine is slower, and processes": {1.4, 1.4, 1, []string{machine}},
		"the machine is faster, and processes": {0.7, 0.7, 1, []string{machine}},
		"a hook is slower":                     {1, 1.3, 1, []string{"start cold"}},
		"both are slower, the hook more":       {1.3, 2, 1, []string{"start cold", machine}},
		"a hook is faster on a slower machine": {1.3, 1.3, 0.7, []string{"sleep cold", machine}},
	} {
		random := rand.New(rand.NewPCG(3, 4)) // each case gets the same numbers
		result := func(machineIs, start, sleep float64) *Result {
			return &Result{Event: "claude.PreToolUse", Samples: map[string][]float64{
				machine: noisy(random, 400, machineIs), "start cold": noisy(random, 400, 20*start), "sleep cold": noisy(random, 400, 50*sleep),
			}}
		}
		differences, err := Compare(result(1, 1, 1), result(tt.machine, tt.start, tt.sleep))
		if err != nil {
			t.Fatal(err)
		}
		got := lo.FilterMap(differences, func(d Difference, _ int) (string, bool) { return d.What, d.Changed })
		if slices.Sort(got); !slices.Equal(got, slices.Sorted(slices.Values(tt.want))) {
			t.Errorf("%s: %v have changed, want %v", name, got, tt.want)
		}
	}
}

func TestAFewRunsAreNoInterval(t *testing.T) {
	if d := difference("h", []float64{1, 2, 3}, []float64{1, 2, 3}, 1); d.Lo != 0 || !math.IsInf(d.Hi, 1) || d.Changed {
		t.Errorf("got %+v; want anything between 0 and infinity", d)
	}
	if d := difference("h", []float64{0, 0, 0, 0, 0, 0, 0}, []float64{0, 0, 0, 0, 0, 0, 0}, 1); math.IsNaN(d.Ratio) || d.Changed {
		t.Errorf("of nothing: got %+v; want no change", d)
	}
}

func TestCompareSaysWhatItCannotCompare(t *testing.T) {
	one := &Result{Event: "claude.PreToolUse", Samples: map[string][]float64{coldFire: {1, 2}}}
	for want, other := range map[string]*Result{
		"the file has measurements of claude.Stop": {Event: "claude.Stop"},
		"the file has no sample":                   {Event: "claude.PreToolUse"},
	} {
		if _, err := Compare(other, one); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v; want %q", err, want)
		}
	}
}

func TestRanksAreByNearestRank(t *testing.T) {
	values := []float64{}
	for i := 100; i > 0; i-- {
		values = append(values, float64(i))
	}
	if got := ranksOf(values); got != (Ranks{50, 95, 99}) {
		t.Errorf("got %v, want 50, 95, 99", got)
	}
	if got := ranksOf([]float64{7}); got != (Ranks{7, 7, 7}) {
		t.Errorf("of one value: got %v", got)
	}
}

func TestDrawings(t *testing.T) {
	r := &Result{
		Event: "claude.PreToolUse", N: 3,
		Hooks: []Hook{{ID: "a", Command: "</text>&\x1b\x00\xff" + strings.Repeat("é", 200)}, {ID: "b"}},
		Samples: map[string][]float64{
			coldFire: {3, 4, 50}, "a cold": {1, 2, 3}, "a warm": {0.1, 0.1, 0.1}, "a startup": {1}, "b cold": {0, 0, 0},
		},
	}
	decoder, bars := xml.NewDecoder(strings.NewReader(r.SVG())), 0
	for {
		token, err := decoder.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatalf("the drawing is no XML: %v\n%s", err, r.SVG())
		}
		if start, ok := token.(xml.StartElement); ok && start.Name.Local == "rect" {
			bars++
		}
	}
	if bars < 4+7 {
		t.Errorf("%d rectangles are drawn, want one for each bar", bars)
	}
	if got := Histogram([]float64{1, 1, 1, 9}); !strings.Contains(got, "█") || !strings.HasPrefix(got, "1.00 ms") {
		t.Errorf("the histogram is %q", got)
	}
	if got := Histogram(nil); got != "" {
		t.Errorf("of nothing: %q", got)
	}
}
