package command

import (
	"slices"
	"testing"

	"github.com/snaphook-go/snaphook/cmd/snaphook/internal/systems"
	"github.com/snaphook-go/snaphook/pipeline"
	"github.com/snaphook-go/snaphook/record/explain"
)

// explain has rules for every event, and for no other. For the dialects that declare who reads a refusal, explain names
// the same reader.
func TestExplainKnowsTheEventsAsTheyAreDeclared(t *testing.T) {
	known := explain.Events()
	compared := 0
	for _, d := range systems.All {
		var names []string
		declares := false
		for _, e := range pipeline.Events(d.Dialect) {
			_, told := d.Traits(e.Info().Name)
			names, declares = append(names, e.Info().FullName()), declares || told != ""
		}
		for _, name := range names {
			if len(explain.RulesOf(name)) == 0 {
				t.Errorf("explain has no rule of %s", name)
			}
			known = slices.DeleteFunc(known, func(k string) bool { return k == name })
			if !declares {
				continue
			}
			event, err := systems.EventNamed(name, systems.Events())
			if err != nil {
				t.Fatal(err)
			}
			compared++
			if _, told := d.Traits(event.Info().Name); explain.ToldOf(name) != told {
				t.Errorf("%s: explain says that %q gets the reason of a refusal, the dialect %q", name, explain.ToldOf(name), told)
			}
		}
	}
	if len(known) > 0 {
		t.Errorf("explain has rules of events that are not declared: %v", known)
	}
	if compared < 60 {
		t.Errorf("only %d events were compared", compared)
	}
}
