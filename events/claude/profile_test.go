package claude

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/samber/lo"

	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/pipeline"
	"github.com/snaphook-go/snaphook/run"
	"github.com/snaphook-go/snaphook/settings"
	"github.com/snaphook-go/snaphook/wire"
)

func writeFiles(t *testing.T, dir string, paths ...string) {
	t.Helper()
	for _, path := range paths {
		file := filepath.Join(dir, path)
		text := `{"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "true"}]}]}}`
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// The profile of a directory follows from the settings of the user and of the project (rules P1 and P2).
func TestAProfileIsFoundWhereOnlyItsSystemHasSettings(t *testing.T) {
	for _, tt := range []struct {
		name          string
		project, home []string
		want          Profile
		problems      int
	}{
		{"nothing is there", nil, nil, ClaudeCode, 0},
		{"the project is Qwen Code's", []string{".qwen/settings.json"}, nil, Qwen, 0},
		{"the project is goose's", []string{".agents/plugins/a/hooks/hooks.json"}, nil, Goose, 0},
		{"the project is Devin's", []string{".devin/hooks.v1.json"}, nil, Devin, 0},
		{"Devin reads Claude Code's files too", []string{".devin/config.json"}, []string{".config/devin/config.json"}, Devin, 0},
		{"the project is Claude Code's too", []string{".qwen/settings.json", ".claude/settings.json"}, nil, ClaudeCode, 0},
		{"the user has Claude Code", []string{".qwen/settings.json"}, []string{".claude/settings.json"}, ClaudeCode, 0},
		{"a project cannot take the user's system away", []string{".claude/settings.json"}, []string{".qwen/settings.json"}, Qwen, 1},
		{"the user's system counts before another of the project", []string{".devin/hooks.v1.json"}, []string{".qwen/settings.json"}, Qwen, 0},
		{"two systems are no profile", []string{".qwen/settings.json", ".devin/hooks.v1.json"}, nil, ClaudeCode, 2},
	} {
		t.Run(tt.name, func(t *testing.T) {
			dir, home := t.TempDir(), t.TempDir()
			writeFiles(t, dir, tt.project...)
			writeFiles(t, home, tt.home...)
			got, problems := find(dir, []string{"HOME=" + home})
			if got != tt.want || len(problems) != tt.problems {
				t.Errorf("found %q with problems %v; want %q with %d", got, problems, tt.want, tt.problems)
			}
			loaded, err := Settings{Environ: []string{"HOME=" + home}}.Load(t.Context(), pipeline.Workspace{Dir: dir})
			if err != nil || len(loaded.Problems) != tt.problems {
				t.Errorf("loaded with %v, problems %v", err, loaded.Problems)
			}
		})
	}
}

func TestFilesThatAreGivenShowTheProfile(t *testing.T) {
	for path, want := range map[string]Profile{
		"x/.qwen/settings.json": Qwen, "x/.agents/plugins/a/hooks/hooks.json": Goose, ".devin/config.json": Devin,
		".claude/settings.json": ClaudeCode, "hooks.json": ClaudeCode, "x/config.toml": Kimi,
	} {
		if got := ProfileOfFiles([]settings.Layer{{File: path}}); got != want {
			t.Errorf("%s is of %q; want %q", path, got, want)
		}
	}
}

func TestAnUnknownProfileIsAnErrorThatListsTheNames(t *testing.T) {
	_, err := Settings{Profile: "gemini"}.Load(t.Context(), pipeline.Workspace{Dir: t.TempDir()})
	if err == nil || !strings.Contains(err.Error(), `no profile "gemini" of the dialect claude; write one of: claude, qwen, goose, devin, kimi`) {
		t.Error(err)
	}
	if layers := Profile("gemini").Discover(t.TempDir()); layers != nil {
		t.Error(layers)
	}
}

// A settings file that cannot be read is a problem, and adds an unusable hook to PreToolUse, which a policy can make
// block (rule P3).
func TestWhereFailuresAreClosedAFileThatCannotBeReadGuards(t *testing.T) {
	home := t.TempDir()
	file := filepath.Join(home, ".qwen", "settings.json")
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{"broken": `{"hooks": `, "empty": "", "not UTF-8": "\xff{}"} {
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		l, err := Settings{Profile: Qwen, Environ: []string{"HOME=" + home}}.Load(t.Context(), pipeline.Workspace{Dir: t.TempDir()})
		guards := lo.Filter(l.Hooks, func(h *hook.Hook, _ int) bool { return h.Event == "PreToolUse" && h.Unusable != "" })
		if err != nil || len(l.Problems) != 1 || l.Problems[0].Fatal || len(guards) != 1 {
			t.Errorf("%s: error %v, problems %v, guards %v", name, err, l.Problems, guards)
		}
	}
}

// Plugins of Claude Code that another system's settings switch off are problems, and a policy can make their guards
// block: a file of the project can decide which profile is found.
func TestPluginsThatAnotherSystemDoesNotReadGuard(t *testing.T) {
	home := t.TempDir()
	guard := []byte(`{"hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": [{"type": "command", "command": "guard"}]}]}}`)
	plugins := []Plugin{
		{Name: "skills", Root: t.TempDir()}, {Name: "guard", Root: t.TempDir(), Data: guard}, {Name: "second", Root: t.TempDir(), Data: guard},
	}
	for name, tt := range map[string]struct {
		profile  Profile
		settings string
		skip     hook.SkipReason
	}{
		"found":                {Found, `{"hooks": {}}`, hook.Invalid},
		"Qwen Code":            {Qwen, `{"hooks": {}}`, hook.Invalid},
		"hooks are turned off": {Qwen, `{"disableAllHooks": true}`, hook.Disabled},
	} {
		layers := []settings.Layer{{Source: hook.Project, File: "/p/.qwen/settings.json", Data: []byte(tt.settings)}}
		l, err := Settings{Profile: tt.profile, Layers: layers, Plugins: plugins, Environ: []string{"HOME=" + home}}.
			Load(t.Context(), pipeline.Workspace{Dir: "/p"})
		if err != nil || len(l.Hooks) != 2 {
			t.Fatalf("%s: %v, hooks %v; want one of each plugin that has hooks", name, err, l.Hooks)
		}
		for i, h := range l.Hooks {
			said := lo.CountBy(l.Problems, func(p settings.Problem) bool { return p.Position == h.Position && !p.Fatal })
			if h.Source != hook.Plugin || h.Event != "PreToolUse" || h.Skip != tt.skip || (h.Unusable != "") != (tt.skip == hook.Invalid) || said != 1 {
				t.Errorf("%s: hook %d is %+v with %d problems of %v", name, i, h, said, l.Problems)
			}
		}
	}
}

// Members that a system does not read are problems (rule P6).
func TestMembersThatASystemDoesNotReadAreProblems(t *testing.T) {
	text := `{"PreToolUse": [{"hooks": [{"type": "command", "command": "x", "if": "Bash(ls)", "once": true, "tiemout": 3}]}]}`
	l, err := Settings{Profile: Devin, Layers: []settings.Layer{{Source: hook.Project, File: "/p/.devin/hooks.v1.json", Data: []byte(text)}}}.
		Load(t.Context(), pipeline.Workspace{Dir: "/p"})
	said := strings.Join(lo.Map(l.Problems, func(p settings.Problem, _ int) string { return p.String() }), "\n")
	for _, want := range []string{
		`/p/.devin/hooks.v1.json:1:70: Devin CLI does not read "if" here`, `does not read "once"`, `"tiemout"; did you mean "timeout"`,
	} {
		if !strings.Contains(said, want) {
			t.Errorf("no problem %q in:\n%s", want, said)
		}
	}
	if err != nil || len(l.Hooks) != 1 || l.Hooks[0].Condition != nil || l.Hooks[0].Skip != "" {
		t.Errorf("the hook has to run all the same: %v, %+v", err, l.Hooks)
	}
}

// A command that mentions $ARGUMENTS gets the variables of its entry, and the grace period and the shell of its system,
// like any other command (C94).
func TestCommandsThatMentionTheInputRunAsOthersInAProfile(t *testing.T) {
	const payload = `{"tool_name":"x"}`
	for name, command := range map[string]string{
		"a command": `echo \"$GUARD\"; cat >/dev/null`, "a command with its input": `echo \"$GUARD\" \"$ARGUMENTS\"; cat >/dev/null`,
	} {
		text := `{"hooks": {"PreToolUse": [{"hooks": [{"type": "command", "command": "` + command + `", "env": {"GUARD": "on"}}]}]}}`
		l, err := Settings{Profile: Qwen, Environ: os.Environ(), Layers: []settings.Layer{{Source: hook.Project, File: "/p/.qwen/settings.json", Data: []byte(text)}}}.
			Load(t.Context(), pipeline.Workspace{Dir: t.TempDir()})
		if err != nil || len(l.Hooks) != 1 {
			t.Fatal(err, l.Problems)
		}
		h := l.Hooks[0]
		c, ok := hook.RunnerAs[*run.Command](h.Runner)
		if !ok || c.Grace != qwen.grace || !slices.Equal(h.Vars, []string{"GUARD=on"}) || h.Argv[0] != c.Argv[0] {
			t.Errorf("%s: %+v, variables %q, starts %q", name, c, h.Vars, h.Argv)
			continue
		}
		wrapped, _ := hook.RunnerAs[translator](h.Runner)
		said, err := wrapped.Runner.Run(t.Context(), hook.Call{Hook: h, Dir: t.TempDir(), Payload: []byte(payload)})
		want := "on\n"
		if strings.Contains(command, "ARGUMENTS") {
			want = "on " + payload + "\n"
		}
		if err != nil || string(said.Stdout) != want {
			t.Errorf("%s: it prints %q, %v; want %q", name, said.Stdout, err, want)
		}
	}
}

// replying is a hook with a fixed reply.
type replying struct{ hook.Reply }

func (r replying) Run(context.Context, hook.Call) (hook.Reply, error) { return r.Reply, nil }

// A denial that another system would lose is a failure (rule P4).
func TestALostDenialOfAnotherSystemIsAFailure(t *testing.T) {
	for _, p := range []*profile{&kimi, &goose} {
		r := replying{hook.Reply{Stdout: []byte(`{"hookSpecificOutput": {"decision": "deny"}, "permissionDecision": "deny"}`)}}
		_, err := translator{r, p, "PreToolUse", ""}.Run(t.Context(), hook.Call{Payload: []byte(`{}`)})
		if lost, ok := errorAs[*hook.UnreadError](err); !ok || !lost.Denies {
			t.Errorf("%s: %v", p.system, err)
		}
	}
}

// A denial of another system that is cut off anywhere, or whose deciding name or word is damaged, is a
// denial or a failure, and whole answers are neither.
func TestADamagedDenialOfAnotherSystemIsAFailure(t *testing.T) {
	denials := []string{
		`{"decision":"block","reason":"no"}`, `{"continue":false,"stopReason":"no"}`,
		`{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"no"}}`,
	}
	say := func(p *profile, text string) (hook.Reply, error) {
		r := replying{hook.Reply{Stdout: []byte(text)}}
		return translator{r, p, "PreToolUse", ""}.Run(t.Context(), hook.Call{Payload: []byte(`{}`)})
	}
	refuses := func(r hook.Reply) bool {
		o := wire.Object(r.Stdout)
		return string(o.Get("continue")) == "false" || o.Text("decision") == "block" ||
			wire.Object(o.Get("hookSpecificOutput")).Text("permissionDecision") == "deny"
	}
	for _, p := range profiles {
		for _, denial := range denials {
			var damaged []string
			for i := 1; i < len(denial); i++ {
				damaged = append(damaged, denial[:i], denial[:i]+denial[i+1:], denial[:i]+"x"+denial[i:], denial[:i]+"\xff"+denial[i:])
			}
			for _, word := range [][2]string{
				{"decision", "decison"}, {"permissionDecision", "permisionDecision"}, {"continue", "contine"}, {`"deny"`, `"dney"`},
				{`"block"`, `"blok"`}, {`false`, `"of"`}, {`"block"`, `1`}, {`"deny"`, `true`}, {"hookSpecificOutput", "hookSpecificOuput"},
			} {
				if strings.Contains(denial, word[0]) {
					damaged = append(damaged, strings.Replace(denial, word[0], word[1], 1))
				}
			}
			for _, text := range damaged {
				if r, err := say(p, text); err == nil && !refuses(r) {
					t.Errorf("%s: %q goes ahead: %s", p.system, text, r.Stdout)
				}
			}
		}
		if p.answers.demands {
			continue // each output without a decision is a failure
		}
		for _, whole := range []string{
			"", "{}", "all good", "[INFO] done", `{"continue":true}`, `{"suppressOutput":true,"systemMessage":"m"}`, `{"decision":null}`,
			`{"hookSpecificOutput":{"hookEventName":"PreToolUse","additionalContext":"c"}}`, `{"decision":"allow"}`, `{"status":"ok"}`,
		} {
			if r, err := say(p, whole); err != nil || refuses(r) {
				t.Errorf("%s: %q: %v, %s", p.system, whole, err, r.Stdout)
			}
		}
	}
}

// A denial holds, or its loss is a failure, if a later member of its name says something else.
func TestADenialBeforeAnEqualMemberIsNotLost(t *testing.T) {
	for _, p := range profiles {
		for _, event := range []string{"PreToolUse", "UserPromptSubmit"} {
			goesAhead := func(text string) bool {
				r := replying{hook.Reply{Stdout: []byte(text)}}
				said, err := translator{r, p, event, ""}.Run(t.Context(), hook.Call{Payload: []byte(`{}`)})
				o := wire.Object(said.Stdout)
				return err == nil && o.Text("decision") != "block" &&
					wire.Object(o.Get("hookSpecificOutput")).Text("permissionDecision") != "deny"
			}
			for denial, later := range map[string][]string{
				`{"decision":"\u0064eny"%s}`:  {`,"decision":null`, `,"decision":"x"`},
				`{"decision":"\u0062lock"%s}`: {`,"decision":null`, `,"decision":1`},
				`{"hookSpecificOutput":{"hookEventName":"` + event + `","permissionDecision":"\u0064eny"%s}}`: {
					`,"permissionDecision":null`, `,"permissionDecision":"allow"`, `,"permissionDecision":"x"`,
				},
			} {
				for _, more := range later {
					if text := fmt.Sprintf(denial, more); goesAhead(text) && !goesAhead(fmt.Sprintf(denial, "")) {
						t.Errorf("%s, %s: %s goes ahead", p.system, event, text)
					}
				}
			}
		}
	}
}

// FuzzOutputOfOtherSystems checks two things for any output. At an event that hooks of the system can block, an exit
// status that denies stays a denial. The event can read the translated answer.
func FuzzOutputOfOtherSystems(f *testing.F) {
	f.Add(0, `{"decision": "block", "reason": "x"}`, "")
	f.Add(2, "", `{"decision": "allow", "hookSpecificOutput": {"updatedInput": {"a": 1}}}`)
	f.Add(1, `{"continue": "no", "hookSpecificOutput": {"permissionDecision": 3, "additionalContext": null}}`, "text")
	f.Add(0, "\xff{", "{")
	events := lo.Map(pipeline.Events(Dialect), func(e pipeline.Declared, _ int) string { return e.Info().Name })
	f.Fuzz(func(t *testing.T, exit int, stdout, stderr string) {
		for _, p := range profiles {
			for _, event := range events {
				r := replying{hook.Reply{Exit: exit & 3, Stdout: []byte(stdout), Stderr: []byte(stderr)}}
				got, err := translator{r, p, event, ""}.Run(t.Context(), hook.Call{Payload: []byte(`{"tool_input":{"a":2}}`)})
				if err != nil {
					continue
				}
				if exit&3 == 2 && p.answers.decides(event) && blockingEnds.Of(&got) != hook.DenyWithReason {
					t.Fatalf("%s, %s: status 2 became %d", p.system, event, got.Exit)
				}
				if len(got.Stdout) > 0 && (!wire.Object(got.Stdout).IsObject() || strings.Contains(string(got.Stdout), "\xff")) {
					t.Fatalf("%s, %s: %q", p.system, event, got.Stdout)
				}
				if event == "PreToolUse" {
					var out PreToolUseOutput
					if _, _, err := decode(event, got.Stdout, &out); err != nil && !errorIsAnswer(err) {
						t.Fatalf("%s: %q: %v", p.system, got.Stdout, err)
					}
				}
			}
		}
	})
}

func errorIsAnswer(err error) bool {
	_, ok := errorAs[*AnswerError](err)
	return ok
}

// Payloads have the members and names of the system (rules P15, P25, P33 and P45).
func TestPayloadsAreInTheWordsOfTheSystem(t *testing.T) {
	call := wire.Object(`{"session_id":"s","transcript_path":"t","cwd":"/d","hook_event_name":"PostToolUse","permission_mode":"plan",` +
		`"tool_name":"x","tool_input":{},"tool_use_id":"1","tool_response":[1]}`)
	for p, want := range map[*profile][]string{
		&goose: {"event", "matcher_context", "session_id", "tool_call_id", "tool_input", "tool_name", "tool_output", "working_dir"},
		&devin: {"hook_event_name", "session_id", "tool_input", "tool_name", "tool_response", "tool_use_id"},
		&kimi:  {"cwd", "hook_event_name", "session_id", "tool_call_id", "tool_input", "tool_name", "tool_output"},
		&qwen: {
			"cwd", "hook_event_name", "permission_mode", "session_id", "timestamp", "tool_input", "tool_name", "tool_response",
			"tool_use_id", "transcript_path",
		},
	} {
		payload := p.payloads.of("PostToolUse", "tool_name", call)
		var got []string
		for name := range wire.Object(payload).Members() {
			got = append(got, name)
		}
		if slices.Sort(got); !slices.Equal(got, want) {
			t.Errorf("%s gets %v; want %v", p.system, got, want)
		}
		if ends := strings.HasSuffix(string(payload), "\n"); ends != p.payloads.newline {
			t.Errorf("%s: the payload ends with a line feed: %v", p.system, ends)
		}
	}
}
