package reducers_test

import (
	"iter"
	"slices"
	"testing"

	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/reducers"
)

func TestKeepCommonKeepsWhatAReducerDrops(t *testing.T) {
	type answers = iter.Seq[output]
	all := []output{
		{Decision: hook.Deny, Message: "m1", Context: "c1", Suppress: true, Raw: []byte(`{"systemMessage":"m1"}`)},
		{Stop: true, StopReason: "s2", Context: "c2"},
		{StopReason: "of one that does not stop", Message: "m3"},
	}
	kept := output{Stop: true, StopReason: "s2", Suppress: true, Message: "m1\nm3", Context: "c1\nc2"}
	with := func(change func(*output)) output {
		o := kept
		change(&o)
		return o
	}
	for name, tt := range map[string]struct {
		reduce hook.Reducer[string]
		outs   []output
		want   output
	}{
		"one that looks at decisions": {func(outs answers) (o output) {
			for one := range outs {
				if one.Decision.Blocks() {
					o.Decision = one.Decision
				}
			}
			return o
		}, all, with(func(o *output) { o.Decision = hook.Deny })},
		"one that returns the first answer, when it has come to it": {func(outs answers) output {
			for one := range outs {
				return one
			}
			return output{}
		}, all, all[0]},
		"one that returns the first answer after all": {func(outs answers) (o output) {
			for one := range outs {
				if o.Raw == nil {
					o = one
				}
			}
			return o
		}, all, with(func(o *output) { o.Decision = hook.Deny })},
		"one that looks twice": {func(outs answers) (o output) {
			for range outs {
				break
			}
			for range outs {
			}
			return o
		}, all, kept},
		"one that looks at nothing": {func(answers) output { return output{} }, all, kept},
		"one that merges them itself": {func(outs answers) (o output) {
			for range outs {
			}
			return kept
		}, all, kept},
		"one that has a text of its own": {func(outs answers) (o output) {
			for range outs {
			}
			return output{Message: "1 of 2 votes"}
		}, all, with(func(o *output) { o.Message = "1 of 2 votes\nm1\nm3" })},
		"without answers": {func(outs answers) (o output) {
			for range outs {
			}
			return output{Decision: hook.Deny}
		}, nil, output{Decision: hook.Deny}},
	} {
		t.Run(name, func(t *testing.T) {
			got := reducers.KeepCommon(tt.reduce)(slices.Values(tt.outs))
			equal(t, got, tt.want)
		})
	}
}

func equal(t *testing.T, got, want output) {
	t.Helper()
	if string(got.Raw) != string(want.Raw) {
		t.Errorf("the answer as written is %q, want %q", got.Raw, want.Raw)
	}
	got.Raw, want.Raw = nil, nil
	if got.Decision != want.Decision || got.Stop != want.Stop || got.StopReason != want.StopReason ||
		got.Suppress != want.Suppress || got.Message != want.Message || got.Context != want.Context {
		t.Errorf("got  %+v\nwant %+v", got, want)
	}
}
