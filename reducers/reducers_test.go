package reducers_test

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/reducers"
)

type output = hook.Output[string]

const given = hook.SetAnswer // bits of an answer without any member

func silent() output { return output{Set: given} }

// assumed returns the answer that the engine makes from plain text.
func assumed(message string) output {
	return output{Decision: hook.Allow, Message: message, Set: given, Synthetic: true}
}

// check compares the answer that reduce returns with want, except the field Set, which has to contain
// hook.SetAnswer. It also checks that reduce has not changed outs.
func check(t *testing.T, reduce hook.Reducer[string], outs []output, want output) {
	t.Helper()
	before := slices.Clone(outs)
	got := reduce(slices.Values(outs))
	if !got.Set.Has(hook.SetAnswer) {
		t.Error("the answer does not speak")
	}
	got.Set = 0
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got  %+v\nwant %+v", got, want)
	}
	if !reflect.DeepEqual(outs, before) {
		t.Error("the answers were changed")
	}
}

func TestBlockWins(t *testing.T) {
	tests := map[string]struct {
		outs []output
		want output
	}{
		"nobody decides":                     {[]output{silent()}, output{Decision: hook.Allow}},
		"nobody is there":                    {nil, output{Decision: hook.Allow}},
		"a block wins over an allow":         {[]output{{Decision: hook.Block}, {Decision: hook.Allow}}, output{Decision: hook.Block}},
		"also when it comes later":           {[]output{{Decision: hook.Allow}, {Decision: hook.Deny}}, output{Decision: hook.Deny}},
		"the word is that of the last block": {[]output{{Decision: hook.Deny}, {Decision: hook.Block}, {Decision: hook.Ask}}, output{Decision: hook.Block}},
		"an ask survives approval":           {[]output{{Decision: hook.Ask}, {Decision: hook.Approve}}, output{Decision: hook.Ask}},
		"approval is allow":                  {[]output{{Decision: hook.Approve}}, output{Decision: hook.Allow}},
		"an assumed answer lifts nothing":    {[]output{{Decision: hook.Deny}, assumed("hi")}, output{Decision: hook.Deny, Message: "hi"}},
		"null lifts nothing":                 {[]output{{Decision: hook.Deny}, {Set: given | hook.SetDecision}}, output{Decision: hook.Deny}},
		"who stops does not decide":          {[]output{{Stop: true, StopReason: "s"}, {Decision: hook.Allow}}, output{Stop: true, StopReason: "s"}},
		"unless someone blocks":              {[]output{{Stop: true}, {Decision: hook.Deny}}, output{Stop: true, Decision: hook.Deny}},
		"nobody can undo a stop":             {[]output{{Stop: true}, {Set: given | hook.SetStop}}, output{Stop: true}},
		"nobody can undo a suppression":      {[]output{{Suppress: true}, {Set: given | hook.SetSuppress}}, output{Decision: hook.Allow, Suppress: true}},
		"texts are joined in order": {
			[]output{{Reason: "a", Message: "m1", Context: "c1"}, {Decision: hook.Deny, Reason: "b"}, {Message: "m2", Context: "c2"}, {Reason: "c", Context: "c3"}},
			output{Decision: hook.Deny, Reason: "a\nb\nc", Message: "m1\nm2", Context: "c1\nc2\nc3"}},
		"stop reasons are of those that stop": {
			[]output{{Stop: true, StopReason: "one"}, {StopReason: "not me"}, {Stop: true}, {Stop: true, StopReason: "two"}},
			output{Stop: true, StopReason: "one\ntwo"}},
		"lines within a text stay":          {[]output{{Reason: "a\n\nb"}, {Reason: " "}}, output{Decision: hook.Allow, Reason: "a\n\nb\n "}},
		"the last own part counts":          {[]output{{Specific: "a"}, {Specific: "b"}, silent()}, output{Decision: hook.Allow, Specific: "b"}},
		"an own part that is given empty":   {[]output{{Specific: "a"}, {Set: given | hook.SetSpecific}}, output{Decision: hook.Allow}},
		"an assumed answer has no own part": {[]output{{Specific: "a"}, {Specific: "b", Synthetic: true, Decision: hook.Allow}}, output{Decision: hook.Allow, Specific: "a"}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) { check(t, reducers.BlockWins[string](nil), test.outs, test.want) })
	}
}

func TestBlockWinsJoinsManyLongTexts(t *testing.T) {
	long := strings.Repeat("x", 3000)
	outs := slices.Repeat([]output{{Reason: long}, {Reason: "short"}, {}}, 50)
	got := reducers.BlockWins[string](nil)(slices.Values(outs)).Reason
	if want := strings.TrimSuffix(strings.Repeat(long+"\nshort\n", 50), "\n"); got != want {
		t.Errorf("the reason has %d bytes, want %d", len(got), len(want))
	}
}

// Rule L47.
func TestReplace(t *testing.T) {
	all := hook.SetDecision | hook.SetReason | hook.SetStop | hook.SetStopReason | hook.SetSuppress | hook.SetMessage | hook.SetContext
	full := output{Decision: hook.Deny, Reason: "r", Stop: true, StopReason: "s", Suppress: true, Message: "m", Context: "c", Set: given | all}
	tests := map[string]struct {
		outs []output
		want output
	}{
		"nobody decides, and so does the answer": {[]output{silent()}, output{}},
		"a later allow lifts a denial":           {[]output{{Decision: hook.Deny, Reason: "no"}, {Decision: hook.Allow}}, output{Decision: hook.Allow, Reason: "no"}},
		"a later denial counts":                  {[]output{{Decision: hook.Allow}, {Decision: hook.Deny}}, output{Decision: hook.Deny}},
		"every word is kept":                     {[]output{{Decision: hook.Ask}}, output{Decision: hook.Ask}},
		"each field for itself": {
			[]output{{Reason: "r1", Message: "m1", Stop: true}, {Reason: "r2", StopReason: "s2"}, {Context: "c3", Suppress: true}},
			output{Reason: "r2", Message: "m1", Stop: true, StopReason: "s2", Context: "c3", Suppress: true}},
		"silence erases nothing":             {[]output{full, silent()}, output{Decision: hook.Deny, Reason: "r", Stop: true, StopReason: "s", Suppress: true, Message: "m", Context: "c"}},
		"an explicit null or false erases":   {[]output{full, {Set: given | all}}, output{}},
		"an assumed answer lifts no denial":  {[]output{{Decision: hook.Deny, Set: given | hook.SetDecision}, assumed("hi")}, output{Decision: hook.Deny, Message: "hi"}},
		"nor one that was not spelled out":   {[]output{{Decision: hook.Deny}, assumed("hi")}, output{Decision: hook.Deny, Message: "hi"}},
		"nor any other decision":             {[]output{{Decision: hook.Ask}, assumed("")}, output{Decision: hook.Ask}},
		"nor one that was taken back":        {[]output{{Decision: hook.Deny}, {Set: given | hook.SetDecision}, assumed("")}, output{}},
		"alone it counts":                    {[]output{assumed("hi")}, output{Decision: hook.Allow, Message: "hi"}},
		"and anyone overrules it":            {[]output{assumed("hi"), {Decision: hook.Deny}}, output{Decision: hook.Deny, Message: "hi"}},
		"also after a second one":            {[]output{assumed("1"), assumed("2"), {Decision: hook.Deny}, assumed("3")}, output{Decision: hook.Deny, Message: "3"}},
		"the last own part counts":           {[]output{{Specific: "a"}, {Specific: "b"}, silent()}, output{Specific: "b"}},
		"an own part that is given is empty": {[]output{{Specific: "a"}, {Set: given | hook.SetSpecific}}, output{}},
		"an assumed answer has no own part":  {[]output{{Specific: "a"}, {Specific: "b", Synthetic: true}}, output{Specific: "a"}},
	}
	for name, test := range tests {
		t.Run("Replace/"+name, func(t *testing.T) { check(t, reducers.Replace[string](nil), test.outs, test.want) })
		t.Run("Last/"+name, func(t *testing.T) { check(t, reducers.Last[string], test.outs, test.want) })
	}
}

func TestAnEventAddsItsOwnParts(t *testing.T) {
	add := func(all *string, one string) { *all += one }
	outs := []output{{Specific: "a"}, silent(), {Specific: "x", Synthetic: true}, {Specific: "b"}}
	for name, reduce := range map[string]hook.Reducer[string]{"BlockWins": reducers.BlockWins(add), "Replace": reducers.Replace(add)} {
		if got := reduce(slices.Values(outs)).Specific; got != "ab" {
			t.Errorf("%s: the own part is %q, want %q", name, got, "ab")
		}
	}
}

func TestGivenSaysWhatTheAnswerSpellsOut(t *testing.T) {
	given := func(reduce hook.Reducer[string], outs ...output) hook.Fields {
		return reduce(slices.Values(outs)).Set
	}
	deny := output{Decision: hook.Deny}
	taken := output{Set: hook.SetAnswer | hook.SetReason}
	for _, test := range []struct {
		what      string
		got, want hook.Fields
	}{
		{"BlockWins always says whether to stop and to hide", given(reducers.BlockWins[string](nil)), hook.SetAnswer | hook.SetStop | hook.SetSuppress},
		{"BlockWins with an own part", given(reducers.BlockWins[string](nil), output{Set: hook.SetAnswer | hook.SetSpecific}), hook.SetAnswer | hook.SetStop | hook.SetSuppress | hook.SetSpecific},
		{"Replace always has an own part", given(reducers.Replace[string](nil), deny), hook.SetAnswer | hook.SetSpecific | hook.SetDecision},
		{"Replace passes on what is null", given(reducers.Replace[string](nil), taken), hook.SetAnswer | hook.SetSpecific | hook.SetReason},
		{"Last has what the hooks gave", given(reducers.Last[string], deny, taken), hook.SetAnswer | hook.SetDecision | hook.SetReason},
		{"an assumed decision is not given", given(reducers.Last[string], assumed("hi")), hook.SetAnswer | hook.SetMessage},
	} {
		if test.got != test.want {
			t.Errorf("%s: %b, want %b", test.what, test.got, test.want)
		}
	}
}
