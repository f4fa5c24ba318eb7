package door_test

import (
	"github.com/snaphook-go/snaphook/internal/testkit"
	"strings"
	"testing"

	"github.com/snaphook-go/snaphook"
	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/wire"
)

// answer holds the members that a host applies. They come from a verdict of package snaphook, or from a result of the
// dialect itself.
type answer struct {
	Denied, Ask, Stop            bool
	Reason, StopReason, Continue string
	Input, Contexts, Result      string
}

// of returns the answer of a verdict.
func of(t *testing.T, v *snaphook.Verdict, err error) answer {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	var result string
	if r := v.Result; r != nil && r.Data != nil {
		result = string(r.Data)
	} else if r != nil {
		result = string(wire.Quote(r.Text))
	}
	return answer{
		Result: result,
		Denied: v.Denied(), Ask: v.Decision == hook.Ask, Stop: v.Stop, Reason: v.Reason, StopReason: v.StopReason, Continue: v.Continue,
		Input: string(v.Input), Contexts: strings.Join(v.Context, "\n"),
	}
}

// same compares two answers of hooks that ran in two copies of one project.
func same(t *testing.T, alone, through answer, dirs ...string) {
	t.Helper()
	for _, a := range []*answer{&alone, &through} {
		for _, text := range []*string{&a.Reason, &a.StopReason, &a.Continue, &a.Input, &a.Contexts, &a.Result} {
			for _, dir := range dirs {
				*text = strings.ReplaceAll(*text, dir, "@")
			}
		}
		if !a.Denied && !a.Ask {
			a.Reason = "" // the reason of a decision without an effect is not compared
		}
		a.Input, a.Result = testkit.Canonical(a.Input), testkit.Canonical(a.Result)
	}
	if alone != through {
		t.Errorf("the dialect alone: %+v\nthrough the door:  %+v", alone, through)
	}
}
