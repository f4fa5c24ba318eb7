package pipeline_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/pipeline"
)

// refined is an event whose Refine adds a note to every report.
var refined = pipeline.Declare(dialect, pipeline.Spec[call, edit]{
	Name: "Refined",
	Refine: func(_ *pipeline.Session, _ *call, r *hook.Report[edit]) {
		r.Notes = append(r.Notes, "refined")
	},
})

// A fire may still refine its report of a background hook while the hook ends: the background run
// has its own copy.
func TestTheEndInTheBackgroundHasAReportOfItsOwn(t *testing.T) {
	fired := make(chan struct{})
	late := configured("Refined", "late", func(context.Context, hook.Call) (hook.Reply, error) {
		<-fired
		return hook.Reply{}, nil
	})
	late.Background = hook.Async
	sys := pipeline.NewSystem(pipeline.Config{Load: []pipeline.Load{loads(late)}, Log: quiet})
	defer sys.Close()
	var notes []string
	s, err := sys.NewSession(t.Context(), pipeline.SessionConfig{Finished: func(f pipeline.Finished) { notes = f.Notes }})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := refined.Fire(t.Context(), s, &call{Tool: "t"}); err != nil {
		t.Fatal(err)
	}
	close(fired)
	if err := s.Wait(t.Context()); err != nil || !slices.Equal(notes, []string{"refined"}) {
		t.Errorf("got notes %q, %v; want one", notes, err)
	}
}

func TestAGuardInTheBackgroundSaysThatItGuardsNothing(t *testing.T) {
	for name, e := range map[string]*pipeline.Event[call, edit]{"Call": event, "Chain": chain} {
		var ended pipeline.Finished
		guard := configured(name, "guard", prints(2, ""))
		guard.Background = hook.Async
		_, s := open(t, pipeline.Config{Load: []pipeline.Load{loads(guard)}}, pipeline.SessionConfig{Finished: func(f pipeline.Finished) { ended = f }})
		if res := fire(t, e, s, call{Tool: "write"}); res.Blocked() {
			t.Errorf("%s: a hook in the background blocks", name)
		}
		if err := s.Wait(t.Context()); err != nil {
			t.Fatal(err)
		}
		if len(ended.Notes) != 1 || !strings.Contains(ended.Notes[0], "the action has gone ahead") {
			t.Errorf("%s: notes %q", name, ended.Notes)
		}
	}
}
