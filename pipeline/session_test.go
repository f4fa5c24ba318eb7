package pipeline_test

import (
	"strconv"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/snaphook-go/snaphook/match"
	"github.com/snaphook-go/snaphook/pipeline"
)

func TestHooksInGoRunBeforeTheConfiguredOnes(t *testing.T) {
	sys, s := start(t, pipeline.Config{Load: []pipeline.Load{loads(configured("Call", "settings", prints(0, "{}")))}})
	other := session(t, sys, "s2")
	removeOwn := event.On(s, "own", allow)
	event.On(sys, "host", allow)
	removeTwin := event.On(s, "own", allow)

	want := func(s *pipeline.Session, labelled string) {
		t.Helper()
		if got := labels(fire(t, event, s, call{Tool: "write"})); got != labelled {
			t.Errorf("session %s runs %s, want %s", s.ID(), got, labelled)
		}
	}
	want(s, "[host own own settings]")
	want(other, "[host settings]")
	want(session(t, sys, "s3"), "[host settings]")
	removeTwin()
	removeTwin()
	want(s, "[host own settings]")
	removeOwn()
	want(s, "[host settings]")
	event.On(s, "new", allow)
	removeOwn()
	want(s, "[host new settings]")
	if hooks := s.Hooks(); len(hooks) != 3 || hooks[0].Name != "host" || hooks[1].Name != "new" || hooks[2].Command != "settings" {
		t.Errorf("the session lists %d hooks", len(hooks))
	}
}

func TestHooksAreSwitchedOffByNameOrCommand(t *testing.T) {
	named := configured("Call", "run.sh", prints(0, "{}"))
	named.Name = "named"
	sys, s := start(t, pipeline.Config{Load: []pipeline.Load{loads(named, configured("Call", "other.sh", prints(0, "{}")))}})
	event.On(s, "own", allow)
	want := func(labelled string) {
		t.Helper()
		if got := labels(fire(t, event, s, call{Tool: "write"})); got != labelled {
			t.Errorf("%s run, want %s", got, labelled)
		}
	}
	sys.SetEnabled("run.sh", false) // SetEnabled uses the name if there is one
	sys.SetEnabled("unknown", false)
	want("[own named other.sh]")
	sys.SetEnabled("named", false)
	sys.SetEnabled("own", false)
	want("[other.sh]")
	sys.SetEnabled("other.sh", false)
	want("[]")
	if event.Active(s) {
		t.Error("the event is active, although all its hooks are switched off")
	}
	if err := sys.Reload(t.Context()); err != nil {
		t.Fatal(err)
	}
	want("[]")
	if got := strings.Join(sys.Disabled(), " "); got != "named other.sh own run.sh unknown" {
		t.Errorf("switched off: %s", got)
	}
	sys.SetEnabled("named", true)
	sys.SetEnabled("other.sh", true)
	want("[named other.sh]")
}

// counting is a matcher that counts its calls.
type counting struct {
	asked *atomic.Int64
	match.Names
}

func (c counting) Match(subject string) bool { c.asked.Add(1); return c.Names.Match(subject) }

func TestPlansAreKeptForASubject(t *testing.T) {
	var asked atomic.Int64
	matched := configured("Call", "write", prints(0, "{}"))
	matched.Matcher = counting{&asked, match.Names{"write", "tool 7", "tool 1999"}}
	_, s := start(t, pipeline.Config{Load: []pipeline.Load{loads(matched)}})
	for range 100 {
		fire(t, event, s, call{Tool: "write"})
	}
	if asked.Load() != 1 {
		t.Errorf("100 fires asked the matcher %d times, want 1", asked.Load())
	}
	for range 2 { // more subjects than are cached
		for i := range 2000 {
			tool := "tool " + strconv.Itoa(i)
			if ran := len(fire(t, event, s, call{Tool: tool}).Reports) == 1; ran != (i == 7 || i == 1999) {
				t.Fatalf("the hook for %q runs: %v", tool, ran)
			}
		}
	}
	if fire(t, event, s, call{Tool: "write"}); asked.Load() > 4002 {
		t.Errorf("the matcher was asked %d times", asked.Load())
	}
}

// The plan for a long subject is not cached: a model writes the names of tools, and 256 of a megabyte each would stay
// in the session.
func TestThePlanForALongSubjectIsNotKept(t *testing.T) {
	long := strings.Repeat("x", 1025)
	for subject, want := range map[string]int64{long[1:]: 1, long: 3} {
		var asked atomic.Int64
		matched := configured("Call", "write", prints(0, "{}"))
		matched.Matcher = counting{&asked, match.Names{subject}}
		_, s := start(t, pipeline.Config{Load: []pipeline.Load{loads(matched)}})
		for range 3 {
			if ran := len(fire(t, event, s, call{Tool: subject}).Reports); ran != 1 {
				t.Errorf("%d hooks run for a subject of %d bytes, want 1", ran, len(subject))
			}
		}
		if asked.Load() != want {
			t.Errorf("the matcher is asked %d times for 3 fires with a subject of %d bytes, want %d", asked.Load(), len(subject), want)
		}
	}
}

var namesake = pipeline.Declare(&pipeline.Dialect{Name: "test2"}, pipeline.Spec[call, edit]{Name: "Call"})

func TestEventsOfOneNameInTwoDialectsDoNotMix(t *testing.T) {
	theirs := configured("Call", "theirs", prints(0, "{}"))
	theirs.Dialect = "test2"
	unknown := configured("Call", "unknown", prints(0, "{}"))
	unknown.Dialect = "test3"
	_, s := start(t, pipeline.Config{Load: []pipeline.Load{loads(theirs, unknown)}})
	event.On(s, "ours", allow)
	if got := labels(fire(t, event, s, call{})); got != "[ours]" {
		t.Errorf("our event runs %s", got)
	}
	if got := labels(fire(t, namesake, s, call{})); got != "[theirs]" {
		t.Errorf("the namesake runs %s", got)
	}
}

var lates atomic.Int64 // a name can be declared only once, also when the test runs again

func TestAnEventDeclaredLateIsActiveAfterAReload(t *testing.T) {
	name := "Late" + strconv.FormatInt(lates.Add(1), 10)
	sys, s := start(t, pipeline.Config{Load: []pipeline.Load{loads(configured(name, "late", prints(0, "{}")))}})
	late := declare(name, pipeline.Rules{})
	if late.Active(s) || fire(t, late, s, call{Tool: "x"}).Answered {
		t.Error("the event is active before the reload")
	}
	if plan, err := late.PlanJSON(s, []byte(`{"tool":"x"}`)); err != nil || len(plan.Run) > 0 {
		t.Errorf("plan %+v, err %v", plan, err)
	}
	if err := sys.Reload(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got := labels(fire(t, late, s, call{Tool: "x"})); got != "[late]" {
		t.Errorf("after the reload %s ran", got)
	}
}

func TestDeclareRefusesNamesThatCannotBe(t *testing.T) {
	for name, want := range map[string]string{"": "an event of test is declared without a name", "Call": "the event test.Call is declared twice"} {
		func() {
			defer func() {
				if got, _ := recover().(string); !strings.Contains(got, want) {
					t.Errorf("%q: panic %q, want %q", name, got, want)
				}
			}()
			pipeline.Declare(dialect, pipeline.Spec[call, edit]{Name: name})
		}()
	}
}

func TestEventsAreListedByName(t *testing.T) {
	names := map[string]bool{}
	for _, e := range pipeline.Events(dialect) {
		names[e.Info().FullName()] = true
	}
	if !names["test.Call"] || !names["test.Chain"] || names["test2.Call"] {
		t.Errorf("the events of the dialect are %v", names)
	}
	if all := len(pipeline.Events(nil)); all <= len(names) {
		t.Errorf("%d events of all dialects", all)
	}
	if words := strings.Join(event.Info().Can.Words(), ", "); words != "block, rewrite input" {
		t.Errorf("hooks can %s", words)
	}
}
