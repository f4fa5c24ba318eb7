package main

import (
	"errors"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/match"
	"github.com/snaphook-go/snaphook/pipeline"
	"github.com/snaphook-go/snaphook/wire"
)

// The exit statuses of Acme's hooks. A status that is not listed is a failure: its text becomes a
// warning, and the action goes ahead.
const (
	answered = 0
	refused  = 3
	halted   = 49 // refused, and the agent has to stop
)

// Acme is a hook system defined by this program: the settings and rules that its events share.
var Acme = &pipeline.Dialect{
	Name: "acme",
	Unit: time.Second, // "timeout": 5 means five seconds
	Rules: pipeline.Rules{
		Exits:   hook.Exits{answered: hook.ParseAnswer, refused: hook.DenyWithReason, halted: hook.DenyWithReason},
		Text:    hook.TextIgnored,
		Match:   func(pattern string) (hook.Matcher, string) { return match.Trigger(pattern), "" },
		Timeout: 10 * time.Second,
	},
	Base: func(dst []byte, event string, now time.Time) []byte {
		dst = append(append(append(dst, `,"event":"`...), event...), `","at":`...)
		return now.UTC().AppendFormat(dst, `"2006-01-02T15:04:05Z"`)
	},
	BaseNames: []string{"session_id", "transcript_path", "cwd", "event", "at"},
}

// Run is the input of BeforeRun, and Change the part of it that an answer can change.
type (
	Run struct {
		Tool string   `json:"tool"`
		Args []string `json:"args"`
	}
	Change struct {
		Args []string `json:"args,omitzero"`
	}
)

// BeforeRun fires before the agent runs a tool.
var BeforeRun *pipeline.Event[Run, Change] = pipeline.Declare(Acme, pipeline.Spec[Run, Change]{
	Name:        "before_run",
	Doc:         "before the agent runs a tool",
	Can:         pipeline.CanBlock | pipeline.CanStop | pipeline.CanRewriteInput,
	Subject:     func(r *Run) *string { return &r.Tool },
	SubjectName: "tool",
	Check: func(r Run) error {
		if r.Tool == "" {
			return errors.New("tool: missing; want the name of a tool")
		}
		return nil
	},
	Decode: decode,
	Refine: halt,
})

// decode reads an answer in Acme's form: {"verdict": "no", "because": "…", "args": […]}.
func decode(stdout []byte) (out hook.Output[Change], notes []string, err error) {
	var answer struct {
		Verdict string   `json:"verdict"`
		Because string   `json:"because"`
		Args    []string `json:"args"`
	}
	text, err := wire.Answer(stdout)
	if err != nil || text == nil { // wire.ErrText for plain text, see Rules.Text; or no output
		return out, nil, err
	}
	if err := json.Unmarshal(text, &answer); err != nil {
		return out, nil, err
	}
	out.Set = hook.SetAnswer
	out.Reason, out.Specific.Args = answer.Because, answer.Args
	switch answer.Verdict {
	case "no":
		out.Decision = hook.Deny
	case "yes":
		out.Decision = hook.Allow
	case "":
	default:
		notes = append(notes, "verdict is "+answer.Verdict+"; it is ignored, write yes or no")
	}
	return out, notes, nil
}

// halt makes status 49 stop the agent.
func halt(_ *pipeline.Session, _ *Run, r *hook.Report[Change]) {
	if r.Reply != nil && r.Reply.Signal == nil && r.Reply.Exit == halted {
		r.Output.Stop, r.Output.StopReason = true, r.Output.Reason
	}
}
