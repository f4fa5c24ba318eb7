package snaphook_test

import (
	"context"
	"errors"
	"github.com/snaphook-go/snaphook/internal/testkit"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/snaphook-go/snaphook"
	"github.com/snaphook-go/snaphook/events/claude"
	"github.com/snaphook-go/snaphook/events/llxprt"
	"github.com/snaphook-go/snaphook/events/xcsh"
	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/wire"
)

// tools lists the tools of a host that has its own names for tools and arguments.
var tools = []snaphook.Tool{
	{Name: "execute_command", Kind: snaphook.Shell, Args: map[string]string{"command": "cmd"}},
	{Name: "put_file", Kind: snaphook.Write, Args: map[string]string{"path": "target", "content": "text"}},
	{Name: "look", Kind: snaphook.Read},
	{Name: "remember", Kind: snaphook.MCP, Server: "memory"},
}

func open(t testing.TB, cfg snaphook.Config, files map[string]string) *snaphook.Session {
	t.Helper()
	return openWith(t, cfg, snaphook.SessionConfig{ID: "s-1", Dir: testkit.Project(t, files), Interactive: true})
}

func openWith(t testing.TB, cfg snaphook.Config, config snaphook.SessionConfig) *snaphook.Session {
	t.Helper()
	if cfg.Tools == nil {
		cfg.Tools = tools
	}
	if cfg.Log == nil {
		cfg.Log = testkit.Quiet
	}
	hooks, err := snaphook.Open(cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(hooks.Close)
	s, err := hooks.NewSession(context.Background(), config)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func command(cmd string) *snaphook.ToolCall {
	return &snaphook.ToolCall{ID: "c-1", Name: "execute_command", Input: wire.Object(`{"cmd":` + string(wire.Quote(cmd)) + `,"cwd":"/w"}`)}
}

// claudeHook returns a Claude Code settings file with one hook.
func claudeHook(event, matcher, script string) string {
	return `{"hooks":{"` + event + `":[{"matcher":` + string(wire.Quote(matcher)) + `,"hooks":[{"type":"command","command":` + string(wire.Quote(script)) + `}]}]}}`
}

func llxprtHook(event, matcher, script string) string {
	return `{"tools":{"enableHooks":true},` + claudeHook(event, matcher, script)[1:]
}

func TestHooksOfThreeSystemsSeeOneCallInTheirOwnWords(t *testing.T) {
	s := open(t, snaphook.Config{}, map[string]string{
		".claude/settings.json": claudeHook("PreToolUse", "Bash|Write", "cat > claude.json"),
		".llxprt/settings.json": llxprtHook("BeforeTool", "run_shell_command|write_file", "cat > llxprt.json"),
	})
	var seen *xcsh.ToolCallEvent
	err := s.Modules().Add("gate", func(api *xcsh.API) error {
		xcsh.ToolCall.On(api, func(_ context.Context, e *xcsh.ToolCallEvent, _ *xcsh.HookContext) (*xcsh.ToolCallResult, error) {
			seen = e
			return nil, nil
		})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		call                 *snaphook.ToolCall
		claude, llxprt, xcsh string
	}{
		{command("ls"),
			`Bash {"command":"ls","cwd":"/w"}`, `run_shell_command {"command":"ls","cwd":"/w"}`, `bash {"command":"ls","cwd":"/w"}`},
		{&snaphook.ToolCall{Name: "put_file", Input: wire.Object(`{"mode": 420, "target":"a","text":"x"}`)},
			`Write {"mode":420,"file_path":"a","content":"x"}`, `write_file {"mode":420,"file_path":"a","content":"x"}`, `write {"mode":420,"path":"a","content":"x"}`},
	} {
		v, err := s.BeforeTool(t.Context(), tt.call)
		if err != nil || v.Decision != hook.Undecided || string(v.Input) != string(tt.call.Input) {
			t.Errorf("the verdict is %+v, %v; want none, and the arguments as they are", v, err)
		}
		for file, want := range map[string]string{"claude.json": tt.claude, "llxprt.json": tt.llxprt} {
			text, err := os.ReadFile(filepath.Join(s.Dir(), file))
			if err != nil {
				t.Fatal(err)
			}
			o := wire.Object(text)
			if got := o.Text("tool_name") + " " + string(o.Get("tool_input")); got != want {
				t.Errorf("%s has %s; want %s", file, got, want)
			}
		}
		if got := seen.ToolName + " " + string(seen.Input); got != tt.xcsh {
			t.Errorf("the module sees %s; want %s", got, tt.xcsh)
		}
	}
}

func TestRewritesComeBackInTheHostsWords(t *testing.T) {
	s := open(t, snaphook.Config{}, map[string]string{
		".claude/settings.json": claudeHook("PreToolUse", "Bash", `echo '{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"allow","updatedInput":{"command":"ls -l","cwd":"/w","timeout":5}}}'`),
		".llxprt/settings.json": llxprtHook("BeforeTool", "run_shell_command", `echo '{"hookSpecificOutput":{"tool_input":{"command":"ls -a","description":"list"}}}'`),
	})
	v, err := s.BeforeTool(t.Context(), command("ls"))
	if err != nil {
		t.Fatal(err)
	}
	if want := `{"cmd":"ls -a","cwd":"/w","timeout":5,"description":"list"}`; string(v.Input) != want {
		t.Errorf("the arguments are %s; want %s", v.Input, want)
	}
	if len(v.Conflicts) != 1 || v.Conflicts[0].Key != "cmd" || len(v.Conflicts[0].Hooks) != 2 {
		t.Errorf("the conflicts are %+v; want one about cmd, of two hooks", v.Conflicts)
	}
	if v.Decision != hook.Allow || !v.Preapproved {
		t.Errorf("the decision is %q, preapproved %v; want Claude's allow", v.Decision, v.Preapproved)
	}
}

func TestTheStrictestDecisionCountsAndAllItsReasons(t *testing.T) {
	s := open(t, snaphook.Config{}, map[string]string{
		".claude/settings.json": claudeHook("PreToolUse", "", "echo one >&2; exit 2"),
		".llxprt/settings.json": llxprtHook("BeforeTool", "", `echo '{"decision":"block","reason":"two"}'`),
	})
	snaphook.OnBeforeTool(s, "own", func(_ context.Context, c snaphook.ToolCall) (snaphook.Verdict, error) {
		return snaphook.Verdict{Decision: hook.Ask, Reason: "zero " + c.Name}, nil
	})
	v, err := s.BeforeTool(t.Context(), command("ls"))
	if err != nil || !v.Denied() || v.Reason != "one\ntwo" || v.Stop {
		t.Errorf("the verdict is %q %q, stop %v, %v; want a denial for both reasons", v.Decision, v.Reason, v.Stop, err)
	}
	var names []string
	for _, r := range v.Reports {
		names = append(names, r.Dialect+" "+r.Outcome)
	}
	if want := []string{"host success", "claude blocking", "llxprt blocking"}; !slices.Equal(names, want) {
		t.Errorf("the reports are %q; want %q", names, want)
	}
	if r := v.Reports[1]; r.Exit != 2 || r.Stderr != "one\n" || !strings.HasSuffix(r.File, ".claude/settings.json:1:48") || r.Hook == "" {
		t.Errorf("the report of Claude's hook is %+v", r)
	}
}

func TestAStopLeavesTheDecisionAsItIs(t *testing.T) {
	for name, files := range map[string]map[string]string{
		"claude": {".claude/settings.json": claudeHook("PreToolUse", "", `echo '{"continue":false,"stopReason":"enough"}'`)},
		"llxprt": {".llxprt/settings.json": llxprtHook("BeforeTool", "", `echo '{"continue":false,"stopReason":"enough"}'`)},
	} {
		t.Run(name, func(t *testing.T) {
			v, err := open(t, snaphook.Config{}, files).BeforeTool(t.Context(), command("ls"))
			if err != nil || !v.Stop || v.StopReason != "enough" || v.Decision != hook.Undecided || v.Denied() {
				t.Errorf("the verdict is %+v, %v; want a stop, and no decision", v, err)
			}
		})
	}
}

func TestAskSurvivesOrIsADenialThatSaysWhy(t *testing.T) {
	asks := map[string]string{".claude/settings.json": claudeHook("PreToolUse", "", `echo '{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"ask","permissionDecisionReason":"sure?"}}'`)}
	v, err := open(t, snaphook.Config{}, asks).BeforeTool(t.Context(), command("ls"))
	if err != nil || v.Decision != hook.Ask || v.Reason != "sure?" {
		t.Errorf("with a user the verdict is %q %q, %v", v.Decision, v.Reason, err)
	}
	headless := openWith(t, snaphook.Config{}, snaphook.SessionConfig{Dir: testkit.Project(t, asks)})
	v, err = headless.BeforeTool(t.Context(), command("ls"))
	if err != nil || !v.Denied() || !strings.HasPrefix(v.Reason, "sure?\n") || !strings.Contains(v.Reason, "no user") {
		t.Errorf("without one it is %q %q, %v", v.Decision, v.Reason, err)
	}
}

func TestNothingRunsOnceTheSessionIsClosedWhileTheUserIsAsked(t *testing.T) {
	files := map[string]string{".claude/settings.json": claudeHook("PreToolUse", "", `echo '{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"ask"}}'`)}
	s := open(t, snaphook.Config{Ask: func(ctx context.Context, s *snaphook.Session, _ *hook.Hook, _ hook.Question) (string, bool) {
		_ = s.Close(ctx)
		return "allow", true
	}}, files)
	out, err := s.RunTool(t.Context(), command("ls"), func(context.Context, wire.Object) (snaphook.ToolResult, error) {
		t.Error("the tool runs")
		return snaphook.ToolResult{}, nil
	})
	if !errors.Is(err, hook.ErrClosed) || !out.Failed {
		t.Errorf("got %+v, %v; want a failure that says why", out, err)
	}
}

func TestBadInputIsAnErrorAndADenial(t *testing.T) {
	idle := open(t, snaphook.Config{}, nil)
	busy := open(t, snaphook.Config{}, map[string]string{".claude/settings.json": claudeHook("PreToolUse", "", "true")})
	for _, args := range []string{`[1]`, `"x"`, `{"a":`, `nope`, `{nope}`, `null`, ` `} {
		for name, s := range map[string]*snaphook.Session{"idle": idle, "busy": busy} {
			v, err := s.BeforeTool(t.Context(), &snaphook.ToolCall{Name: "execute_command", Input: wire.Object(args)})
			if wrong := new(hook.InputError); !errors.As(err, &wrong) || !v.Denied() || len(v.Reports) > 0 {
				t.Errorf("%s %s: %+v, %v; want an input error, a denial, and no hook", name, args, v, err)
			}
		}
	}
	if v, err := busy.BeforeTool(t.Context(), &snaphook.ToolCall{Name: "other"}); err != nil || v.Denied() {
		t.Errorf("no arguments at all: %+v, %v; want them to be {}", v, err)
	}
}

func TestAClosedSessionDeniesEverything(t *testing.T) {
	hooks, err := snaphook.Open(snaphook.Config{Log: testkit.Quiet})
	if err != nil {
		t.Fatal(err)
	}
	dir := testkit.Project(t, nil)
	closed, err := hooks.NewSession(t.Context(), snaphook.SessionConfig{Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	if err := closed.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	open, err := hooks.NewSession(t.Context(), snaphook.SessionConfig{Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	if v, err := open.Prompt(t.Context(), &snaphook.PromptInput{Text: "hi"}); err != nil || v.Denied() {
		t.Errorf("another session: %+v, %v", v, err)
	}
	hooks.Close()
	for name, s := range map[string]*snaphook.Session{"session": closed, "hooks": open} {
		v, err := s.BeforeTool(t.Context(), command("ls"))
		if !errors.Is(err, hook.ErrClosed) || !v.Denied() {
			t.Errorf("%s closed: %+v, %v", name, v, err)
		}
		out, err := s.RunTool(t.Context(), command("ls"), func(context.Context, wire.Object) (snaphook.ToolResult, error) {
			t.Error("the tool runs")
			return snaphook.ToolResult{}, nil
		})
		if !errors.Is(err, hook.ErrClosed) || !out.Failed {
			t.Errorf("%s closed: RunTool returns %+v, %v", name, out, err)
		}
	}
	if _, err := hooks.NewSession(t.Context(), snaphook.SessionConfig{}); !errors.Is(err, hook.ErrClosed) {
		t.Errorf("a session of closed hooks: %v", err)
	}
}

func TestToolsThatCannotBeTranslatedAreErrorsOfOpen(t *testing.T) {
	for want, list := range map[string][]snaphook.Tool{
		`"x" has the unknown kind 99`:   {{Name: "x", Kind: 99}},
		`"x" has the unknown kind -1`:   {{Name: "x", Kind: -1}},
		`"x" has no kind`:               {{Name: "x"}},
		`has no name`:                   {{Kind: snaphook.Shell}},
		`"x" is declared twice`:         {{Name: "x", Kind: snaphook.Read}, {Name: "x", Kind: snaphook.Write}},
		`"x": Args is not one-to-one`:   {{Name: "x", Kind: snaphook.Write, Args: map[string]string{"path": "a", "content": "a"}}},
		`both have to be UTF-8`:         {{Name: "x", Kind: snaphook.Write, Args: map[string]string{"path": "a\xff"}}},
		`"x": Args has "path": ""`:      {{Name: "x", Kind: snaphook.Write, Args: map[string]string{"path": ""}}},
		`"x" of kind MCP has no server`: {{Name: "x", Kind: snaphook.MCP}},
	} {
		if _, err := snaphook.Open(snaphook.Config{Tools: list}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%+v: the error is %v; want one with %s", list, err, want)
		}
	}
}

func TestRunToolPutsTheHooksAroundATool(t *testing.T) {
	s := open(t, snaphook.Config{}, map[string]string{
		".claude/settings.json": `{"hooks":{
			"PreToolUse":[{"matcher":"Bash","hooks":[{"type":"command","command":"grep -q rm && { echo 'no rm' >&2; exit 2; }; exit 0"}]}],
			"PostToolUse":[{"hooks":[{"type":"command","command":"echo '{\"decision\":\"block\",\"reason\":\"too short\",\"hookSpecificOutput\":{\"hookEventName\":\"PostToolUse\",\"additionalContext\":\"fyi\"}}'"}]}]}}`,
		".llxprt/settings.json": llxprtHook("AfterTool", "", `echo '{"continue":false,"stopReason":"done","hookSpecificOutput":{"additionalContext":"more"}}'`),
	})
	ran := ""
	tool := func(_ context.Context, args wire.Object) (snaphook.ToolResult, error) {
		ran = args.Text("cmd")
		return snaphook.ToolResult{Text: "out"}, nil
	}
	out, err := s.RunTool(t.Context(), command("rm x"), tool)
	if err != nil || ran != "" || out.Text != "no rm" || !out.Failed || out.Stop {
		t.Errorf("a refused call: ran %q, %+v, %v", ran, out, err)
	}
	out, err = s.RunTool(t.Context(), command("ls"), tool)
	if err != nil || ran != "ls" || out.Text != "out\n\ntoo short\n\nfyi\n\nmore" || out.Failed || !out.Stop || out.StopReason != "done" {
		t.Errorf("a call that runs: ran %q, %+v, %v", ran, out, err)
	}
	failure := errors.New("boom")
	out, err = s.RunTool(t.Context(), command("ls"), func(context.Context, wire.Object) (snaphook.ToolResult, error) { return snaphook.ToolResult{}, failure })
	if err != failure || !out.Failed || !strings.HasPrefix(out.Text, "boom") {
		t.Errorf("a tool that fails: %+v, %v", out, err)
	}
}

func TestRecheckLetsEveryGuardSeeWhatRuns(t *testing.T) {
	files := map[string]string{
		".claude/settings.json": claudeHook("PreToolUse", "", `echo '{"hookSpecificOutput":{"hookEventName":"PreToolUse","updatedInput":{"command":"rm x","cwd":"/w"}}}'`),
		".llxprt/settings.json": llxprtHook("BeforeTool", "", "grep -q rm && { echo 'no rm' >&2; exit 2; }; exit 0"),
	}
	for recheck, want := range map[bool]hook.Decision{false: hook.Undecided, true: hook.Deny} {
		v, err := open(t, snaphook.Config{Recheck: recheck}, files).BeforeTool(t.Context(), command("ls"))
		if err != nil || v.Decision != want || v.Input.Text("cmd") != "rm x" {
			t.Errorf("recheck %v: %q %q with %s, %v", recheck, v.Decision, v.Reason, v.Input, err)
		}
	}
}

func TestTheProgramsOwnHooksRunFirstAndSeeEachOthersRewrites(t *testing.T) {
	s := open(t, snaphook.Config{}, map[string]string{".claude/settings.json": claudeHook("PreToolUse", "Bash", "cat > claude.json")})
	for _, more := range []string{" a", " b"} {
		snaphook.OnBeforeTool(s, "add"+more, func(_ context.Context, c snaphook.ToolCall) (snaphook.Verdict, error) {
			return snaphook.Verdict{Input: c.Input.With("cmd", wire.Quote(c.Input.Text("cmd")+more))}, nil
		})
	}
	v, err := s.BeforeTool(t.Context(), command("echo"))
	if err != nil || v.Input.Text("cmd") != "echo a b" {
		t.Errorf("the arguments are %s, %v", v.Input, err)
	}
	text, _ := os.ReadFile(filepath.Join(s.Dir(), "claude.json"))
	if got := wire.Object(wire.Object(text).Get("tool_input")).Text("command"); got != "echo a b" {
		t.Errorf("Claude's hook sees %q", got)
	}
}

func TestAHookOfTheProgramThatFailsIsADenialAtAGate(t *testing.T) {
	s := open(t, snaphook.Config{}, nil)
	remove := snaphook.OnBeforeTool(s, "broken", func(context.Context, snaphook.ToolCall) (snaphook.Verdict, error) { panic("oops") })
	v, err := s.BeforeTool(t.Context(), command("ls"))
	if err != nil || !v.Denied() || !strings.Contains(v.Reason, "oops") || len(v.Reports) != 1 || v.Reports[0].Err == nil {
		t.Errorf("the verdict is %+v, %v", v, err)
	}
	remove()
	if v, _ = s.BeforeTool(t.Context(), command("ls")); v.Denied() || s.Active(snaphook.BeforeTool) {
		t.Errorf("once it is removed, the verdict is %+v", v)
	}
}

func TestHooksOfOneDialectCanBeAddedInGo(t *testing.T) {
	s := open(t, snaphook.Config{}, nil)
	claude.PreToolUse.On(s.Pipeline(), "gate", func(_ context.Context, c claude.PreToolUseInput) (o hook.Output[claude.PreToolUseOutput], err error) {
		o.Specific.PermissionDecision, o.Specific.PermissionDecisionReason = hook.Ask, c.Name
		return o, nil
	})
	llxprt.BeforeTool.On(s.Pipeline(), "gate", func(_ context.Context, c llxprt.BeforeToolInput) (o hook.Output[llxprt.BeforeToolOutput], err error) {
		o.Decision, o.Reason = hook.Ask, c.Name
		return o, nil
	})
	v, err := s.BeforeTool(t.Context(), command("ls"))
	if err != nil || v.Decision != hook.Ask || v.Reason != "Bash\nrun_shell_command" {
		t.Errorf("the verdict is %q %q, %v", v.Decision, v.Reason, err)
	}
}

func TestAToolThatIsNotDeclaredKeepsItsName(t *testing.T) {
	s := open(t, snaphook.Config{}, map[string]string{".claude/settings.json": claudeHook("PreToolUse", "frobnicate", "cat > claude.json")})
	if _, err := s.BeforeTool(t.Context(), &snaphook.ToolCall{Name: "frobnicate", Input: wire.Object(`{"path":"a"}`)}); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(s.Dir(), "claude.json"))
	if err != nil || string(wire.Object(text).Get("tool_input")) != `{"path":"a"}` {
		t.Errorf("the hook sees %s, %v", text, err)
	}
}

func TestTheOverlayOfAProjectNeedsNoOption(t *testing.T) {
	s := open(t, snaphook.Config{}, map[string]string{
		".claude/settings.json": claudeHook("PreToolUse", "", "./missing.sh"),
		".snaphook.json":        `{"hooks":[{"match":{"command":"*missing.sh"},"onFailure":"closed"}]}`,
	})
	v, err := s.BeforeTool(t.Context(), command("ls"))
	if err != nil || !v.Denied() || !strings.Contains(v.Reason, "could not run") || v.Reports[0].Command != "./missing.sh" {
		t.Errorf("a guard that fails closed: %q %q, %+v, %v", v.Decision, v.Reason, v.Reports, err)
	}
}

func TestVariablesOfTheProgramAndOfFilesAreTogether(t *testing.T) {
	s := open(t, snaphook.Config{}, map[string]string{
		".claude/settings.json": claudeHook("SessionStart", "", `printf 'export A=file B=file\n' >> "$CLAUDE_ENV_FILE"`),
	})
	snaphook.OnStart(s, "test", func(context.Context, snaphook.StartInput) (snaphook.Verdict, error) {
		return snaphook.Verdict{Env: map[string]string{"B": "program", "C": "program"}}, nil
	})
	v, err := s.Start(t.Context(), &snaphook.StartInput{})
	if err != nil || v.Env["A"] != "file" || v.Env["B"] != "file" || v.Env["C"] != "program" {
		t.Errorf("the variables are %q, %v; want those of both, and of equal names that of the file", v.Env, err)
	}
}
