package stages_test

import (
	"errors"
	"strings"
	"syscall"
	"testing"

	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/stages"
	"github.com/snaphook-go/snaphook/wire"
)

var errUseless = errors.New("the answer cannot be used")

// strict is decode, except that an answer with the member "bad" cannot be used.
func strict(stdout []byte) (hook.Output[part], []string, error) {
	if strings.HasPrefix(string(stdout), `{"bad"`) {
		return hook.Output[part]{}, nil, errUseless
	}
	return decode(stdout)
}

// ends gives each tested effect an exit status of its own.
var ends = hook.Exits{0: hook.ParseAnswer, 1: hook.FailWithWarning, 2: hook.ParseAndDeny, 3: hook.ParseOrFail, 4: hook.DenyWithReason}

// A reply has the effect of its exit status; rule C35 has the effects of Claude Code's dialect.
func TestParseByEffect(t *testing.T) {
	const none = "blocked by a hook that gave no reason"
	const bad = `{"bad":1,"decision":"deny"}`
	type output = hook.Output[part]
	tests := map[string]struct {
		exit           int
		stdout, stderr string
		cut            bool
		want           output // compared without Given and Raw
		said           bool
		err, note      string
	}{
		"deny with reason, nothing":                            {exit: 4, want: output{Decision: hook.Deny, Reason: none}, said: true},
		"deny with reason, standard error":                     {exit: 4, stderr: "no\n", want: output{Decision: hook.Deny, Reason: "no"}, said: true},
		"deny with reason, plain text is no reason":            {exit: 4, stdout: "text", want: output{Decision: hook.Deny, Reason: none}, said: true},
		"deny with reason, the reason of a denial":             {exit: 4, stdout: `{"decision":"block","reason":"r"}`, stderr: "no", want: output{Decision: hook.Block, Reason: "r"}, said: true},
		"deny with reason, the reason of anything else":        {exit: 4, stdout: `{"decision":"allow","reason":"fine"}`, stderr: "no", want: output{Decision: hook.Deny, Reason: "no"}, said: true},
		"deny with reason, the reason of nothing":              {exit: 4, stdout: `{"reason":"fine"}`, want: output{Decision: hook.Deny, Reason: none}, said: true},
		"deny with reason, a denial without a reason":          {exit: 4, stdout: `{"decision":"deny"}`, stderr: "no", want: output{Decision: hook.Deny, Reason: "no"}, said: true},
		"deny with reason, the other fields keep their effect": {exit: 4, stdout: `{"continue":false,"systemMessage":"m"}`, stderr: "no", want: output{Decision: hook.Deny, Reason: "no", Stop: true, Message: "m"}, said: true},
		"deny with reason, an answer that cannot be used":      {exit: 4, stdout: bad, stderr: "no", want: output{Decision: hook.Deny, Reason: "no"}, said: true, note: "cannot be used"},
		"deny with reason, an answer that is cut":              {exit: 4, stdout: `{"decision":"deny","reason":"half"}`, stderr: "no", cut: true, want: output{Decision: hook.Deny, Reason: "no"}, said: true},
		"parse or fail, nothing":                               {exit: 3, err: "exit status 3"},
		"parse or fail, an answer":                             {exit: 3, stdout: `{"decision":"deny","reason":"r"}`, stderr: "noise", want: output{Decision: hook.Deny, Reason: "r"}, said: true},
		"parse or fail, an empty answer":                       {exit: 3, stdout: `{}`, said: true},
		"parse or fail, silence is not an answer":              {exit: 3, stdout: `null`, err: "exit status 3"},
		"parse or fail, plain text is none":                    {exit: 3, stdout: "text", stderr: "oh", err: "exit status 3"},
		"parse or fail, an answer that cannot be used":         {exit: 3, stdout: bad, err: "exit status 3", note: "cannot be used"},
		"parse or fail, an answer that is cut":                 {exit: 3, stdout: `{"decision":"deny"}`, cut: true, err: "exit status 3"},
		"read, an answer that cannot be used":                  {stdout: bad, stderr: "oh", err: "cannot be used"},
		"refuse, an answer that cannot be used":                {exit: 2, stdout: bad, stderr: "no", want: output{Decision: hook.Deny, Reason: "no"}, said: true, note: "cannot be used"},
		"refuse, and nothing else":                             {exit: 2, stdout: bad, want: output{Decision: hook.Deny, Reason: none}, said: true, note: "cannot be used"},
		"warn, an answer that cannot be used is no text":       {exit: 1, stdout: bad, err: "exit status 1"},
		"warn, nor does it hide standard error":                {exit: 1, stdout: bad, stderr: "oh", want: output{Decision: hook.Allow, Message: "Warning: oh", Synthetic: true}, said: true, err: "exit status 1"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			r := hook.Report[part]{Reply: &hook.Reply{Exit: test.exit, Stdout: []byte(test.stdout), Stderr: []byte(test.stderr)}}
			if test.cut {
				r.Reply.Truncated = hook.Stdout
			}
			stages.Parse(&r, stages.ReplyRules[part]{Exits: ends, Decode: strict})
			if (r.Err != nil) != (test.err != "") || r.Err != nil && !strings.Contains(r.Err.Error(), test.err) {
				t.Errorf("err %v, want %q", r.Err, test.err)
			}
			if notes := strings.Join(r.Notes, "|"); (notes != "") != (test.note != "") || !strings.Contains(notes, test.note) {
				t.Errorf("notes %q, want %q", notes, test.note)
			}
			got := r.Output
			got.Set, got.Raw = 0, nil
			if r.Answered != test.said || string(wire.Encode(&got)) != string(wire.Encode(&test.want)) || got.Synthetic != test.want.Synthetic {
				t.Errorf("said %v, got  %+v\nwant %v, want %+v", r.Answered, got, test.said, test.want)
			}
		})
	}
}

// An exit status that no table names, and death by a signal, have the same effect.
func TestParseOfOtherEnds(t *testing.T) {
	const answer = `{"decision":"deny","reason":"r"}`
	for name, test := range map[string]struct {
		exits   hook.Exits
		reply   hook.Reply
		blocks  bool
		message string
		err     string
	}{
		"a status without a name":           {hook.Exits{0: hook.ParseAnswer, hook.OtherStatus: hook.ParseOrFail}, hook.Reply{Exit: 7}, true, "", ""},
		"a status with a name":              {hook.Exits{7: hook.FailWithWarning, hook.OtherStatus: hook.ParseOrFail}, hook.Reply{Exit: 7}, false, "", "exit status 7"},
		"a signal":                          {hook.Exits{0: hook.ParseAnswer, hook.OtherStatus: hook.ParseOrFail}, hook.Reply{Exit: -1, Signal: syscall.SIGKILL}, true, "", ""},
		"a signal, whatever its status":     {hook.Exits{0: hook.ParseAnswer, hook.OtherStatus: hook.FailWithWarning}, hook.Reply{Exit: 0, Signal: syscall.SIGKILL}, false, "", "killed by signal 9 (killed)"},
		"a signal is no status of a table":  {hook.Exits{2: hook.ParseAndDeny, hook.OtherStatus: hook.FailWithWarning}, hook.Reply{Exit: 2, Signal: syscall.SIGTERM}, false, "", "killed by signal 15 (terminated)"},
		"a signal, and everything refuses":  {hook.Exits{hook.OtherStatus: hook.DenyWithReason}, hook.Reply{Exit: -1, Signal: syscall.SIGKILL}, true, "", ""},
		"no other, and the hook has failed": {hook.Exits{0: hook.ParseAnswer}, hook.Reply{Exit: 7, Stderr: []byte("oh")}, false, "Warning: oh", "exit status 7"},
		"no status at all":                  {hook.Exits{hook.OtherStatus: hook.ParseAnswer}, hook.Reply{Exit: -1}, true, "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			test.reply.Stdout = []byte(answer)
			r := hook.Report[part]{Reply: &test.reply}
			stages.Parse(&r, stages.ReplyRules[part]{Exits: test.exits, Decode: strict})
			if r.Output.Decision.Blocks() != test.blocks || r.Output.Message != test.message {
				t.Errorf("decision %q, message %q; want blocks %v, %q", r.Output.Decision, r.Output.Message, test.blocks, test.message)
			}
			if (r.Err != nil) != (test.err != "") || r.Err != nil && r.Err.Error() != test.err {
				t.Errorf("err %v, want %q", r.Err, test.err)
			}
		})
	}
}

func TestPlainTextIsWhatTheEventSays(t *testing.T) {
	for text, want := range map[hook.Text]hook.Output[part]{
		hook.TextInherited: {Decision: hook.Allow, Message: "hello", Set: hook.SetAnswer, Synthetic: true},
		hook.TextMessage:   {Decision: hook.Allow, Message: "hello", Set: hook.SetAnswer, Synthetic: true},
		hook.TextContext:   {Context: "hello", Set: hook.SetAnswer | hook.SetContext},
		hook.TextIgnored:   {},
	} {
		for stdout, silent := range map[string]bool{" hello\n": false, " \n": true} {
			r := hook.Report[part]{Reply: &hook.Reply{Stdout: []byte(stdout)}}
			stages.Parse(&r, stages.ReplyRules[part]{Exits: ends, Text: text, Decode: strict})
			said, noted := !silent && text != hook.TextIgnored, !silent && text == hook.TextIgnored
			if r.Err != nil || r.Answered != said || (len(r.Notes) > 0) != noted {
				t.Errorf("text %d, %q: said %v, notes %q, err %v", text, stdout, r.Answered, r.Notes, r.Err)
			}
			o := r.Output
			if got := [...]any{o.Decision, o.Message, o.Context, o.Set, o.Synthetic}; said && got != [...]any{want.Decision, want.Message, want.Context, want.Set, want.Synthetic} {
				t.Errorf("text %d: %+v, want %+v", text, o, want)
			}
		}
	}
}
