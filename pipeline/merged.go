package pipeline

import (
	"github.com/go-json-experiment/json/jsontext"

	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/wire"
)

// readMerged reads an answer that another engine has merged. If encoding the parsed answer does not give the same JSON,
// the hook fails, because a member that was not read may be a denial.
func readMerged[Out any](r *hook.Report[Out]) {
	if len(r.Reply.Stdout) == 0 {
		return
	}
	out, notes, err := wire.Read[Out](r.Reply.Stdout)
	switch {
	case err != nil:
		r.Err = &hook.UnreadError{Why: err.Error()}
		return
	case len(notes) > 0:
		r.Err = &hook.UnreadError{Why: notes[0]}
		return
	}
	out.Raw = nil
	if !wire.Equal(jsontext.Value(wire.Encode(&out)), jsontext.Value(r.Reply.Stdout)) {
		r.Err = &hook.UnreadError{Why: "the engine that merged the answer knows members that this engine does not know"}
		return
	}
	r.Output, r.Answered = out, true
}
