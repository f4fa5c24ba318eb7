package stages_test

import (
	"errors"
	"strings"
	"syscall"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/stages"
	"github.com/snaphook-go/snaphook/wire"
)

// part is the event's own part of an answer.
type part struct {
	N     int            `json:"n,omitzero"`
	Extra jsontext.Value `json:",embed"`
}

func decode(stdout []byte) (hook.Output[part], []string, error) {
	answer, err := wire.Answer(stdout)
	if err != nil || answer == nil {
		return hook.Output[part]{}, nil, err
	}
	out, notes := wire.Decode[part](answer)
	return out, notes, nil
}

var exits = hook.Exits{0: hook.ParseAnswer, 2: hook.ParseAndDeny}

func parse(reply hook.Reply) hook.Report[part] {
	r := hook.Report[part]{Hook: &hook.Hook{Identity: hook.Identity{Name: "h"}}, Reply: &reply}
	stages.Parse(&r, stages.ReplyRules[part]{Exits: exits, Decode: decode})
	return r
}

// The table has cases of the rules L27, L28, L31 and L33.
func TestParse(t *testing.T) {
	const noReason = "blocked by a hook that gave no reason"
	type output = hook.Output[part]
	tests := map[string]struct {
		exit           int
		stdout, stderr string
		truncated      hook.Streams
		want           output // compared without Given and Raw
		said, failed   bool
	}{
		"0, nothing":                   {want: output{}},
		"0, null":                      {stdout: "null", want: output{}},
		"0, an empty object":           {stdout: "{}", said: true},
		"0, an answer":                 {stdout: `{"decision":"deny","reason":"r"}`, want: output{Decision: hook.Deny, Reason: "r"}, said: true},
		"0, standard error":            {stderr: "noise", want: output{}},
		"0, JSON on standard error":    {stderr: `{"decision":"deny"}`, want: output{}},
		"0, an answer and noise":       {stdout: `{"reason":"r"}`, stderr: "noise", want: output{Reason: "r"}, said: true},
		"0, plain text":                {stdout: "\n hello \n", want: output{Decision: hook.Allow, Message: "hello", Synthetic: true}, said: true},
		"0, text that is not UTF-8":    {stdout: "a\xff\xe2\x82b", want: output{Decision: hook.Allow, Message: "a\uFFFD\uFFFDb", Synthetic: true}, said: true},
		"0, an array":                  {stdout: `["deny"]`, want: output{Decision: hook.Allow, Synthetic: true}, said: true},
		"0, an answer that breaks off": {stdout: `{"decision":"deny"`, want: output{Decision: hook.Allow, Message: `{"decision":"deny"`, Synthetic: true}, said: true},
		"0, longer than is kept":       {stdout: `{"decision":"allow"}`, truncated: hook.Stdout, failed: true},
		"0, noise longer than is kept": {stdout: `{"decision":"ask"}`, stderr: "n", truncated: hook.Stderr, want: output{Decision: hook.Ask}, said: true},

		"2, nothing":                         {exit: 2, want: output{Decision: hook.Deny, Reason: noReason}, said: true},
		"2, a reason on standard error":      {exit: 2, stderr: " no\n", want: output{Decision: hook.Deny, Reason: "no"}, said: true},
		"2, a reason as plain text":          {exit: 2, stdout: "no\n", want: output{Decision: hook.Deny, Reason: "no"}, said: true},
		"2, a reason in the answer":          {exit: 2, stdout: `{"reason":"no"}`, want: output{Decision: hook.Deny, Reason: "no"}, said: true},
		"2, the answer's reason is first":    {exit: 2, stdout: `{"reason":"json"}`, stderr: "stderr", want: output{Decision: hook.Deny, Reason: "json"}, said: true},
		"2, standard error before text":      {exit: 2, stdout: "text", stderr: "stderr", want: output{Decision: hook.Deny, Reason: "stderr"}, said: true},
		"2, a blank reason is none":          {exit: 2, stdout: `{"reason":" \n"}`, stderr: "stderr", want: output{Decision: hook.Deny, Reason: "stderr"}, said: true},
		"2, a wrong reason is none":          {exit: 2, stdout: `{"reason":7}`, stderr: "stderr", want: output{Decision: hook.Deny, Reason: "stderr"}, said: true},
		"2, an answer without a reason":      {exit: 2, stdout: `{}`, want: output{Decision: hook.Deny, Reason: noReason}, said: true},
		"2, whatever the answer says":        {exit: 2, stdout: `{"decision":"allow","reason":"r"}`, want: output{Decision: hook.Deny, Reason: "r"}, said: true},
		"2, a word that blocks is kept":      {exit: 2, stdout: `{"decision":"block","reason":"r"}`, want: output{Decision: hook.Block, Reason: "r"}, said: true},
		"2, JSON on standard error":          {exit: 2, stderr: `{"reason":"r"}`, want: output{Decision: hook.Deny, Reason: `{"reason":"r"}`}, said: true},
		"2, an array":                        {exit: 2, stdout: `[]`, stderr: "no", want: output{Decision: hook.Deny, Reason: "no"}, said: true},
		"2, silence":                         {exit: 2, stdout: `null`, want: output{Decision: hook.Deny, Reason: noReason}, said: true},
		"2, longer than is kept":             {exit: 2, stdout: `{"reason":"half"}`, stderr: "no", truncated: hook.Stdout, want: output{Decision: hook.Deny, Reason: "no"}, said: true},
		"2, nothing but a part that is kept": {exit: 2, stdout: `text`, truncated: hook.Stdout | hook.Stderr, want: output{Decision: hook.Deny, Reason: noReason}, said: true},
		"2, the other fields keep their effect": {exit: 2, stdout: `{"continue":false,"stopReason":"s","suppressOutput":true,"systemMessage":"m","hookSpecificOutput":{"n":7,"additionalContext":"c"}}`, stderr: "no",
			want: output{Decision: hook.Deny, Reason: "no", Stop: true, StopReason: "s", Suppress: true, Message: "m", Context: "c", Specific: part{N: 7}}, said: true},

		"1, nothing":                       {exit: 1, failed: true},
		"1, standard error":                {exit: 1, stderr: "oh\n", want: output{Decision: hook.Allow, Message: "Warning: oh", Synthetic: true}, said: true, failed: true},
		"1, plain text":                    {exit: 1, stdout: "oh", want: output{Decision: hook.Allow, Message: "Warning: oh", Synthetic: true}, said: true, failed: true},
		"1, standard error before text":    {exit: 1, stdout: "text", stderr: "oh", want: output{Decision: hook.Allow, Message: "Warning: oh", Synthetic: true}, said: true, failed: true},
		"1, an answer does not count":      {exit: 1, stdout: `{"decision":"deny"}`, failed: true},
		"1, nor on standard error":         {exit: 1, stderr: `{"decision":"deny"}`, want: output{Decision: hook.Allow, Message: `Warning: {"decision":"deny"}`, Synthetic: true}, said: true, failed: true},
		"127, as of a script that is gone": {exit: 127, stderr: "not found", want: output{Decision: hook.Allow, Message: "Warning: not found", Synthetic: true}, said: true, failed: true},
		"-1 is no status":                  {exit: -1, stdout: `{"decision":"deny"}`, failed: true},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			r := parse(hook.Reply{Exit: test.exit, Stdout: []byte(test.stdout), Stderr: []byte(test.stderr), Truncated: test.truncated})
			if r.Answered != test.said || (r.Err != nil) != test.failed {
				t.Errorf("said %v, err %v; want %v, failed %v", r.Answered, r.Err, test.said, test.failed)
			}
			if r.Answered != r.Output.Set.Has(hook.SetAnswer) {
				t.Errorf("said %v, but the output's fields are %b", r.Answered, r.Output.Set)
			}
			got := r.Output
			got.Set, got.Raw = 0, nil
			if string(wire.Encode(&got)) != string(wire.Encode(&test.want)) || got.Synthetic != test.want.Synthetic {
				t.Errorf("got  %+v\nwant %+v", got, test.want)
			}
		})
	}
}

func TestParseFailsWithTheExit(t *testing.T) {
	var exit *hook.ExitError
	if r := parse(hook.Reply{Exit: 3}); !errors.As(r.Err, &exit) || r.Err.Error() != "exit status 3" {
		t.Errorf("err %v", r.Err)
	}
	r := parse(hook.Reply{Exit: 2, Signal: syscall.SIGKILL, Stdout: []byte(`{"decision":"deny"}`)})
	if !errors.As(r.Err, &exit) || r.Err.Error() != "killed by signal 9 (killed)" || r.Answered {
		t.Errorf("a hook that was killed: said %v, err %v", r.Answered, r.Err)
	}
	if r := parse(hook.Reply{Signal: syscall.SIGTERM, Stderr: []byte("bye")}); r.Output.Message != "Warning: bye" {
		t.Errorf("the message of a hook that was killed is %q", r.Output.Message)
	}
	var large *hook.TooLargeError
	if r := parse(hook.Reply{Stdout: []byte("123"), Truncated: hook.Stdout}); !errors.As(r.Err, &large) || large.Kept != 3 {
		t.Errorf("an answer that was cut: err %v", r.Err)
	}
}

func TestAnAnswerHasAFewNotes(t *testing.T) {
	const members = 1000
	notes := append(strings.Split(strings.Repeat("a note|", members), "|")[:members-1], "a denial is lost")
	r := hook.Report[part]{Reply: &hook.Reply{Stdout: []byte("{}")}}
	stages.Parse(&r, stages.ReplyRules[part]{Exits: exits, Decode: func([]byte) (hook.Output[part], []string, error) {
		return hook.Output[part]{}, notes, nil
	}})
	if n := len(r.Notes); n != 33 || r.Notes[0] != "a denial is lost" || r.Notes[32] != "968 more notes on the answer are left out" {
		t.Errorf("%d notes, the first and last are %q and %q", n, r.Notes[0], r.Notes[n-1])
	}
}

func TestParseKeepsWhatTheHookWroteAndWhatWasWrongWithIt(t *testing.T) {
	const answer = `{"decision":7,"later":[1],"hookSpecificOutput":{"n":"x"}}`
	for _, exit := range []int{0, 2} {
		r := parse(hook.Reply{Exit: exit, Stdout: []byte("\uFEFF" + answer + "\n")})
		if string(r.Output.Raw) != answer {
			t.Errorf("status %d: raw is %q", exit, r.Output.Raw)
		}
		if notes := strings.Join(r.Notes, "|"); notes != "decision is a number; want a string|hookSpecificOutput.n is a string; want a number" {
			t.Errorf("status %d: notes %q", exit, notes)
		}
	}
}

func TestParseGoesByTheTable(t *testing.T) {
	for _, test := range []struct {
		exits      hook.Exits
		exit       int
		blocks, ok bool
	}{
		{nil, 0, false, false},
		{hook.Exits{0: hook.ParseAnswer}, 2, false, false},
		{hook.Exits{7: hook.ParseAndDeny}, 7, true, true},
		{hook.Exits{1: hook.ParseAnswer}, 1, true, true},
	} {
		r := hook.Report[part]{Reply: &hook.Reply{Exit: test.exit, Stdout: []byte(`{"decision":"deny"}`)}}
		stages.Parse(&r, stages.ReplyRules[part]{Exits: test.exits, Decode: decode})
		if r.Output.Decision.Blocks() != test.blocks || (r.Err == nil) != test.ok {
			t.Errorf("status %d with %v: decision %q, err %v", test.exit, test.exits, r.Output.Decision, r.Err)
		}
	}
}

// Nothing that a hook prints can turn a denial into a permission, and only a denial or an answer
// can block.
func FuzzParse(f *testing.F) {
	f.Add(0, "", "", uint8(0), false)
	f.Add(2, `{"decision":"allow","continue":true}`, "no", uint8(1), false)
	f.Add(2, "text", "\xff", uint8(3), true)
	f.Add(1, `"{\"decision\":\"deny\"}"`, `{}`, uint8(2), false)
	f.Fuzz(func(t *testing.T, exit int, stdout, stderr string, truncated uint8, killed bool) {
		reply := hook.Reply{Exit: exit, Stdout: []byte(stdout), Stderr: []byte(stderr), Truncated: hook.Streams(truncated % 4)}
		if killed {
			reply.Signal = syscall.SIGKILL
		}
		r := parse(reply)
		blocks := r.Output.Decision.Blocks()
		switch {
		case killed || exit != 0 && exit != 2:
			if blocks || r.Err == nil {
				t.Errorf("a hook that failed: decision %q, err %v", r.Output.Decision, r.Err)
			}
		case exit == 2:
			if !blocks || len(wire.Trim([]byte(r.Output.Reason))) == 0 || r.Err != nil || !r.Answered || r.Output.Synthetic {
				t.Errorf("a refusal: decision %q, reason %q, err %v", r.Output.Decision, r.Output.Reason, r.Err)
			}
		case blocks && r.Output.Raw == nil:
			t.Errorf("blocked without an answer: %q", stdout)
		}
		if string(reply.Stdout) != stdout || string(reply.Stderr) != stderr {
			t.Error("the reply was changed")
		}
	})
}

func TestADenialDoesNotReadStandardOutput(t *testing.T) {
	for stderr, want := range map[string]string{" no \n": "no", " \n": "blocked by a hook that gave no reason"} {
		reply := hook.Reply{Exit: 2, Stderr: []byte(stderr), Stdout: []byte(`{"decision":"allow","reason":"x","systemMessage":"m"}`)}
		r := hook.Report[part]{Hook: &hook.Hook{}, Reply: &reply}
		stages.Parse(&r, stages.ReplyRules[part]{Exits: hook.Exits{2: hook.DenyUnread}, Decode: decode})
		if o := r.Output; o.Decision != hook.Deny || o.Reason != want || o.Message != "" || r.Err != nil || !r.Answered {
			t.Errorf("%q: decision %q for %q, message %q: %v; want a denial for %q", stderr, o.Decision, o.Reason, o.Message, r.Err, want)
		}
	}
}

func TestAReasonOnStandardErrorAloneDenies(t *testing.T) {
	for name, tt := range map[string]struct {
		reply  hook.Reply
		reason string // of the denial; "": the hook has failed
	}{
		"a reason":                   {hook.Reply{Exit: 2, Stderr: []byte(" no \n")}, "no"},
		"a reason beside an answer":  {hook.Reply{Exit: 2, Stderr: []byte("no"), Stdout: []byte(`{"decision":"allow"}`)}, "no"},
		"an answer without a reason": {hook.Reply{Exit: 2, Stdout: []byte(`{"decision":"deny","reason":"x"}`)}, ""},
		"blanks":                     {hook.Reply{Exit: 2, Stderr: []byte(" \n")}, ""},
		"another status":             {hook.Reply{Exit: 1, Stderr: []byte("no"), Stdout: []byte(`{"decision":"deny"}`)}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			r := hook.Report[part]{Hook: &hook.Hook{}, Reply: &tt.reply}
			stages.Parse(&r, stages.ReplyRules[part]{
				Exits: hook.Exits{2: hook.DenyForStderr, hook.OtherStatus: hook.Fail}, Decode: decode,
			})
			if denied := r.Output.Decision.Blocks(); denied != (tt.reason != "") || r.Output.Reason != tt.reason {
				t.Errorf("denied %v for %q; want %q", denied, r.Output.Reason, tt.reason)
			}
			if failed := r.Err != nil; failed != (tt.reason == "") || failed && r.Answered {
				t.Errorf("failed %v, answered %v: %v", failed, r.Answered, r.Err)
			}
		})
	}
}
