package llxprt_test

import (
	"bytes"
	"log/slog"
	"strings"
	"testing"

	"github.com/snaphook-go/snaphook/events/llxprt"
	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/pipeline"
	"github.com/snaphook-go/snaphook/wire"
)

// The report and the log note an answer that its event cannot honour.
func TestAnAnswerWithoutEffectIsNoted(t *testing.T) {
	for _, tt := range []struct {
		event, answer string
		interactive   bool
		note          string // empty: no note
	}{
		{"BeforeTool", `{"decision":"ask"}`, false, "no user to ask: LLxprt Code runs the tool, RunTool of package snaphook refuses the call"},
		{"BeforeTool", `{"hookSpecificOutput":{"permissionDecision":"ask"}}`, false, "no user to ask: LLxprt Code runs the tool, RunTool of package snaphook refuses the call"},
		{"BeforeTool", `{"decision":"ask"}`, true, ""},
		{"BeforeTool", `{"decision":"deny"}`, false, ""},
		{"BeforeTool", `{"decision":"approve"}`, false, ""},
		{"BeforeAgent", `{"decision":"ask"}`, true, "BeforeAgent asks no one"},
		{"AfterTool", `{"decision":"deny"}`, false, ""},
		{"AfterModel", `{"decision":"deny"}`, false, "the response goes on"},
		{"BeforeToolSelection", `{"decision":"block"}`, false, "the mode NONE takes them away"},
		{"SessionStart", `{"decision":"block"}`, false, "the session starts"},
		{"SessionEnd", `{"decision":"block"}`, false, "the session ends"},
		{"PreCompress", `{"decision":"block"}`, false, "the conversation is compressed"},
		{"Notification", `{"decision":"block"}`, false, "the user is notified"},
	} {
		t.Run(tt.event+" "+tt.answer, func(t *testing.T) {
			var log bytes.Buffer
			command := string(wire.Quote("echo '" + tt.answer + "'"))
			settings := project(`{"tools":{"enableHooks":true},"hooks":{"` + tt.event + `":[{"hooks":[{"type":"command","command":` + command + `}]}]}}`)
			sys := pipeline.NewSystem(pipeline.Config{Load: []pipeline.Load{settings.Load}, Log: slog.New(slog.NewTextHandler(&log, nil))})
			defer sys.Close()
			ses := session(t, sys, pipeline.SessionConfig{Dir: t.TempDir(), Interactive: tt.interactive})
			fired, err := declared(t, tt.event).FireJSON(t.Context(), ses, []byte(inputs[tt.event]))
			if err != nil {
				t.Fatal(err)
			}
			notes := strings.Join(fired.Hooks[0].Notes, "\n")
			if (notes == "") != (tt.note == "") || !strings.Contains(notes, tt.note) {
				t.Errorf("notes %q; want %q", notes, tt.note)
			}
			if logged := strings.Contains(log.String(), tt.note); tt.note != "" && !logged {
				t.Errorf("the log is %q; want the note in it", log.String())
			}
		})
	}
}

func TestAnAskReachesTheCaller(t *testing.T) {
	ses := session(t, system(t, project(`{}`)), pipeline.SessionConfig{Dir: t.TempDir(), Interactive: true})
	llxprt.BeforeTool.On(ses, "guard", says[llxprt.BeforeToolInput](gateOutput{Decision: hook.Ask, Reason: "sure?", Specific: llxprt.BeforeToolOutput{ToolInput: wire.Object(`{"a":2}`)}}))
	call := llxprt.BeforeToolInput{Name: "rm", Input: wire.Object(`{"a":1}`)}
	res, err := llxprt.BeforeTool.Fire(t.Context(), ses, &call)
	if err != nil {
		t.Fatal(err)
	}
	v := llxprt.ApplyBeforeTool(&call, res)
	if !v.Ask || !v.Run || string(v.Input) != `{"a":2}` {
		t.Errorf("got %+v; want an ask that leaves the tool to run", v)
	}
	fired := llxprt.BeforeTool.Describe(call, res)
	if fired.Blocked || fired.Result.FinalOutput.Text("decision") != "ask" || *fired.Effects.(llxprt.Effects).Decision != hook.Ask {
		t.Errorf("got %+v; want ask in the final output and the effects", fired)
	}
}
