package llxprt_test

import (
	"log/slog"
	"path/filepath"
	"strings"
	"testing"

	"github.com/snaphook-go/snaphook/events/llxprt"
	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/internal/testkit"
	"github.com/snaphook-go/snaphook/pipeline"
	"github.com/snaphook-go/snaphook/policy"
	"github.com/snaphook-go/snaphook/settings"
	"github.com/snaphook-go/snaphook/wire"
)

// gemini opens a session with one hook for an event in the profile Gemini.
func gemini(t *testing.T, event, command string, interactive bool) *pipeline.Session {
	text := `{"hooks":{"` + event + `":[{"hooks":[{"type":"command","command":` + string(wire.Quote(command)) + `}]}]}}`
	s := llxprt.Settings{Profile: llxprt.Gemini, Layers: []settings.Layer{{Name: "project", Source: hook.Project, File: "settings.json", Data: []byte(text)}}}
	return session(t, system(t, s), pipeline.SessionConfig{ID: "s-1", Dir: testkit.Dir(t), Interactive: interactive})
}

// geminiUnder opens a session like gemini does, without a user and with a policy.
func geminiUnder(t *testing.T, overlay policy.Source, event, command string) *pipeline.Session {
	text := `{"hooks":{"` + event + `":[{"hooks":[{"type":"command","command":` + string(wire.Quote(command)) + `}]}]}}`
	s := llxprt.Settings{Profile: llxprt.Gemini, Layers: []settings.Layer{{Name: "project", Source: hook.Project, File: "settings.json", Data: []byte(text)}}}
	sys := pipeline.NewSystem(pipeline.Config{Load: []pipeline.Load{s.Load}, Policy: overlay, Log: slog.New(slog.DiscardHandler)})
	t.Cleanup(func() { _ = sys.Close() })
	return session(t, sys, pipeline.SessionConfig{ID: "s-1", Dir: testkit.Dir(t)})
}

// The profile Gemini reads exit status and output by the rules of Gemini CLI, which differ from
// LLxprt Code's.
func TestTheProfileGeminiReadsTheEndOfAHookItsOwnWay(t *testing.T) {
	for _, tt := range []struct {
		name, command   string
		gemini, llxprt  hook.Decision
		message, reason string // in the profile Gemini
		failed          bool   // in the profile Gemini
	}{
		{"0, an answer on standard error", `echo '{"decision":"deny","reason":"r"}' >&2`, hook.Deny, "", "", "r", false},
		{"0, standard output before standard error", `echo '{"decision":"allow"}'; echo '{"decision":"deny"}' >&2`, hook.Allow, hook.Allow, "", "", false},
		{"0, plain text", `echo hi`, hook.Allow, hook.Allow, "hi", "", false},
		{"1, an answer", `echo '{"decision":"deny","reason":"r"}'; exit 1`, hook.Deny, "", "", "r", false},
		{"1, plain text", `echo hi >&2; exit 1`, hook.Allow, hook.Allow, "Warning: hi", "", true},
		{"2, plain text", `echo no >&2; exit 2`, hook.Deny, hook.Deny, "", "no", false},
		{"2, nothing", `exit 2`, "", hook.Deny, "", "", true},
		{"2, an answer without a decision", `echo '{"systemMessage":"m"}'; exit 2`, hook.Allow, hook.Deny, "m", "", false},
		{"2, an answer that allows", `echo '{"decision":"allow"}'; exit 2`, hook.Allow, hook.Deny, "", "", false},
		{"3, plain text", `echo no; exit 3`, hook.Deny, hook.Allow, "", "no", false},
		{"127, no such program", `no-such-program-here`, hook.Deny, hook.Allow, "", "not found", false},
		{"3, nothing", `exit 3`, "", "", "", "", true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			call := llxprt.BeforeToolInput{Name: "rm", Input: wire.Object(`{}`)}
			res, err := llxprt.BeforeTool.Fire(t.Context(), gemini(t, "BeforeTool", tt.command, false), &call)
			if err != nil {
				t.Fatal(err)
			}
			if tt.gemini == "" {
				tt.gemini = hook.Allow // the decision for an empty answer
			}
			if tt.llxprt == "" {
				tt.llxprt = hook.Allow
			}
			if res.Decision != tt.gemini || res.Message != tt.message || !strings.Contains(res.Reason, tt.reason) || (res.Reports[0].Err != nil) != tt.failed {
				t.Errorf("Gemini: %q, message %q, reason %q, error %v", res.Decision, res.Message, res.Reason, res.Reports[0].Err)
			}
			text := `{"tools":{"enableHooks":true},"hooks":{"BeforeTool":[{"hooks":[{"type":"command","command":` + string(wire.Quote(tt.command)) + `}]}]}}`
			ses := session(t, system(t, project(text)), pipeline.SessionConfig{Dir: testkit.Dir(t)})
			if res, err = llxprt.BeforeTool.Fire(t.Context(), ses, &call); err != nil || res.Decision != tt.llxprt {
				t.Errorf("LLxprt: %q, %v, %v, %+v; want %q", res.Decision, err, res.Reports[0].Err, res.Reports[0].Reply, tt.llxprt)
			}
		})
	}
}

// If the exit status denies but the answer, which takes precedence, does not, the report has a note. The hook fails if
// a policy makes failures deny.
func TestAStatusOfTheProfileGeminiThatDeniesBesideAnAnswerThatDoesNotIsNoted(t *testing.T) {
	for answer, want := range map[string]string{
		`{}`:                    "its exit status 2 denies, and its answer decides nothing",
		`{"decision":null}`:     "its exit status 2 denies, and its answer decides nothing",
		`{"decision":""}`:       "its exit status 2 denies, and its answer decides nothing",
		`{"reason":"no"}`:       "its exit status 2 denies, and its answer decides nothing",
		`{"systemMessage":"m"}`: "its exit status 2 denies, and its answer decides nothing",
		`{"decision":"allow"}`:  `its exit status 2 denies, and its answer, which counts, says "allow"`,
		`{"decision":"deny"}`:   "",
	} {
		command := "echo '" + answer + "'; exit 2"
		call := llxprt.BeforeToolInput{Name: "rm", Input: wire.Object(`{}`)}
		res, err := llxprt.BeforeTool.Fire(t.Context(), gemini(t, "BeforeTool", command, false), &call)
		if err != nil || res.Blocked() != (want == "") || strings.Join(res.Reports[0].Notes, "\n") != want {
			t.Errorf("%s: blocked %v, notes %q, %v; want the note %q", answer, res.Blocked(), res.Reports[0].Notes, err, want)
		}
		o, problems := policy.Parse(policy.User, ".snaphook.json", []byte(`{"defaults": {"gates": {"onFailure": "closed"}}}`))
		if len(problems) > 0 {
			t.Fatal(problems)
		}
		closed := geminiUnder(t, policy.Source{Overlays: []policy.Overlay{*o}}, "BeforeTool", command)
		if res, err = llxprt.BeforeTool.Fire(t.Context(), closed, &call); err != nil || !res.Blocked() {
			t.Errorf("%s, closed: blocked %v, %v, notes %q", answer, res.Blocked(), err, res.Reports[0].Notes)
		}
	}
}

func TestAnAskOfTheProfileGeminiHoldsUpTheTool(t *testing.T) {
	for _, ask := range []string{`{"decision":"ask","reason":"sure?"}`, `{"hookSpecificOutput":{"permissionDecision":"ask","permissionDecisionReason":"sure?"}}`} {
		for _, interactive := range []bool{true, false} {
			ses := gemini(t, "BeforeTool", "echo '"+ask+"'", interactive)
			call := llxprt.BeforeToolInput{Name: "rm", Input: wire.Object(`{"a":1}`)}
			res, err := llxprt.BeforeTool.Fire(t.Context(), ses, &call)
			if err != nil {
				t.Fatal(err)
			}
			v := llxprt.ApplyBeforeTool(&call, res)
			if v.Run || v.Ask != interactive || res.Blocked() == interactive || !strings.Contains(v.Result, "sure?") {
				t.Errorf("%s, interactive %v: got %+v, blocked %v", ask, interactive, v, res.Blocked())
			}
			if notes := strings.Join(res.Reports[0].Notes, ""); strings.Contains(notes, "the tool does not run") == interactive {
				t.Errorf("notes %q", notes)
			}
		}
	}
}

func TestADenialOfTheProfileGeminiReplacesTheResult(t *testing.T) {
	done := llxprt.AfterToolInput{Name: "cat", Input: wire.Object(`{}`), Response: wire.Object(`{"llmContent":"secret","returnDisplay":"secret","x":1}`)}
	res, err := llxprt.AfterTool.Fire(t.Context(), gemini(t, "AfterTool", `echo '{"decision":"deny","reason":"private","hookSpecificOutput":{"additionalContext":"c"}}'`, false), &done)
	if err != nil {
		t.Fatal(err)
	}
	want := `{"llmContent":"Tool result blocked: private","returnDisplay":"Tool result blocked: private","x":1,"error":{"type":"EXECUTION_FAILED","message":"private"}}`
	if c, response := llxprt.ApplyAfterTool(&done, res); string(response) != want || c.Context != "" {
		t.Errorf("got %s, %+v\nwant %s", response, c, want)
	}

	answer := llxprt.AfterModelInput{Request: wire.Object(`{}`), Response: wire.Object(`{"text":"secret"}`)}
	edit, err := llxprt.AfterModel.Fire(t.Context(), gemini(t, "AfterModel", `echo private >&2; exit 2`, false), &answer)
	if err != nil {
		t.Fatal(err)
	}
	if _, response := llxprt.ApplyAfterModel(wire.Object(`{"candidates":[{"content":{"parts":[{"text":"secret"}]}}]}`), edit); string(response) != `{"candidates":[]}` {
		t.Errorf("got %s; want a response that says nothing", response)
	}
	if len(edit.Reports[0].Notes) > 0 {
		t.Errorf("notes %q; want none: the denial counts", edit.Reports[0].Notes)
	}
}

func TestHooksOfTheProfileGeminiHaveItsVariables(t *testing.T) {
	text := `{"hooks":{"SessionStart":[{"hooks":[
		{"type":"command","name":"a","command":"echo $MODE $GEMINI_SESSION_ID \"$GEMINI_CWD\" $GEMINI_PROJECT_DIR $CLAUDE_PROJECT_DIR","env":{"MODE":"strict"}},
		{"type":"command","name":"b","command":"echo $MODE $GEMINI_SESSION_ID \"$GEMINI_CWD\" $GEMINI_PROJECT_DIR $CLAUDE_PROJECT_DIR"},
		{"type":"command","command":"true","env":["MODE"]}]}]}}`
	s := llxprt.Settings{Profile: llxprt.Gemini, Layers: []settings.Layer{{Name: "project", Source: hook.Project, File: "settings.json", Data: []byte(text)}}}
	dir := testkit.Dir(t)
	ses := session(t, system(t, s), pipeline.SessionConfig{ID: "s-1", Dir: dir})
	res, err := llxprt.SessionStart.Fire(t.Context(), ses, &llxprt.SessionStartInput{Source: "startup"})
	if err != nil {
		t.Fatal(err)
	}
	rest := strings.Join([]string{"s-1", dir, dir, dir}, " ")
	if want := "strict " + rest + "\n" + rest; res.Message != want {
		t.Errorf("got %q; want %q: the same command under two names runs twice", res.Message, want)
	}
	if p := ses.Problems(); len(p) != 1 || !strings.Contains(p[0].String(), "an object of variables") {
		t.Errorf("problems %v; want one of the variables that are a list", p)
	}
	if llxprt.ProfileOf(ses) != llxprt.Gemini || !llxprt.ProfileOf(ses).PerChunk() || llxprt.LLxprt.PerChunk() {
		t.Error("AfterModel is fired for each chunk in the profile Gemini alone")
	}
}

func TestTheProfileIsFoundByTheFilesThatAreThere(t *testing.T) {
	const hooks = `{"hooks":{"SessionStart":[{"hooks":[{"type":"command","command":"echo gemini"}]}]}}`
	const off = `{"hooksConfig":{"enabled":false}}`
	for _, tt := range []struct {
		name          string
		project, home map[string]string
		want          llxprt.Profile
		runs          bool // the hook of .gemini
		problem       string
	}{
		{name: "nothing is there", want: llxprt.LLxprt},
		{name: "Gemini's project alone", project: map[string]string{".gemini": hooks}, want: llxprt.Gemini, runs: true},
		{name: "Gemini's home alone", home: map[string]string{".gemini": hooks}, want: llxprt.Gemini, runs: true},
		{name: "both in the project", project: map[string]string{".gemini": hooks, ".llxprt": `{}`}, want: llxprt.LLxprt, problem: "the hooks of this file do not run"},
		{name: "LLxprt at home", project: map[string]string{".gemini": hooks}, home: map[string]string{".llxprt": `{}`}, want: llxprt.LLxprt, problem: "the hooks of this file do not run"},
		{name: "LLxprt at home, no hooks passed over", project: map[string]string{".gemini": `{}`}, home: map[string]string{".llxprt": `{}`}, want: llxprt.LLxprt},
		{name: "switched off", project: map[string]string{".gemini": hooks}, home: map[string]string{".gemini": off}, want: llxprt.Gemini},
	} {
		t.Run(tt.name, func(t *testing.T) {
			dir, home := testkit.Dir(t), testkit.Dir(t)
			t.Setenv("HOME", home)
			t.Setenv("USERPROFILE", home)
			for _, name := range []string{"LLXPRT_SYSTEM_SETTINGS_PATH", "GEMINI_CLI_SYSTEM_SETTINGS_PATH", "GEMINI_CLI_SYSTEM_DEFAULTS_PATH"} {
				t.Setenv(name, filepath.Join(home, "none.json"))
			}
			for at, files := range map[string]map[string]string{dir: tt.project, home: tt.home} {
				for folder, text := range files {
					testkit.WriteFile(t, filepath.Join(at, folder, "settings.json"), text, 0o600)
				}
			}
			ses := session(t, system(t, llxprt.Settings{}), pipeline.SessionConfig{Dir: dir})
			if got := llxprt.ProfileOf(ses); got != tt.want {
				t.Errorf("the profile is %q; want %q", got, tt.want)
			}
			res, err := llxprt.SessionStart.Fire(t.Context(), ses, &llxprt.SessionStartInput{Source: "startup"})
			if err != nil || (res.Message == "gemini") != tt.runs {
				t.Errorf("got %q, %v; runs: %v", res.Message, err, tt.runs)
			}
			var problems []string
			for _, p := range ses.Problems() {
				problems = append(problems, p.String())
			}
			if text := strings.Join(problems, "\n"); (text == "") != (tt.problem == "") || !strings.Contains(text, tt.problem) {
				t.Errorf("problems %q; want %q", text, tt.problem)
			}
		})
	}
}

// Every other layer overrides a machine's defaults, and no layer overrides the machine's settings.
func TestTheLayersOfTheProfileGemini(t *testing.T) {
	const on, off = `{"hooksConfig":{"enabled":true}}`, `{"hooksConfig":{"enabled":false}}`
	const hooks = `{"hooks":{"SessionStart":[{"hooks":[{"type":"command","command":"echo ran"}]}]}}`
	for _, tt := range []struct {
		name, defaults, user, system string
		runs                         bool
	}{
		{"off by default", off, `{}`, `{}`, false},
		{"off by default, on for the user", off, on, `{}`, true},
		{"on for the user, off by the system", ``, on, off, false},
		{"nobody says", `{}`, `{}`, `{}`, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			dir, home := testkit.Dir(t), testkit.Dir(t)
			t.Setenv("HOME", home)
			t.Setenv("USERPROFILE", home)
			t.Setenv("GEMINI_CLI_SYSTEM_SETTINGS_PATH", filepath.Join(home, "system.json"))
			t.Setenv("GEMINI_CLI_SYSTEM_DEFAULTS_PATH", filepath.Join(home, "defaults.json"))
			testkit.WriteFile(t, filepath.Join(dir, ".gemini", "settings.json"), hooks, 0o600)
			testkit.WriteFile(t, filepath.Join(home, ".gemini", "settings.json"), tt.user, 0o600)
			testkit.WriteFile(t, filepath.Join(home, "system.json"), tt.system, 0o600)
			if tt.defaults != "" {
				testkit.WriteFile(t, filepath.Join(home, "defaults.json"), tt.defaults, 0o600)
			}
			ses := session(t, system(t, llxprt.Settings{Profile: llxprt.Gemini}), pipeline.SessionConfig{Dir: dir})
			if res, err := llxprt.SessionStart.Fire(t.Context(), ses, &llxprt.SessionStartInput{Source: "startup"}); err != nil || (res.Message == "ran") != tt.runs {
				t.Errorf("got %q, %v; runs: %v", res.Message, err, tt.runs)
			}
		})
	}
}
