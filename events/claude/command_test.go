package claude_test

import (
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/samber/lo"

	"github.com/snaphook-go/snaphook/events/claude"
	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/internal/testkit"
	"github.com/snaphook-go/snaphook/pipeline"
	"github.com/snaphook-go/snaphook/run"
	"github.com/snaphook-go/snaphook/wire"
)

// command returns settings with one command; more has further members of the hook.
func command(t testing.TB, event, text, more string) string {
	return `{"hooks":{"` + event + `":[{"hooks":[{"type":"command","command":` + string(mustEncode(t, text)) + more + `}]}]}}`
}

// stdout returns the standard output of the only hook of a fire.
func stdout(t testing.TB, fired *pipeline.JSONResult) string {
	t.Helper()
	if len(fired.Hooks) != 1 || fired.Hooks[0].Stdout == nil {
		text, _ := json.Marshal(fired.Hooks)
		t.Fatalf("hooks %s; want one that printed something", text)
	}
	return strings.TrimSpace(*fired.Hooks[0].Stdout)
}

// Commands run in bash (rule C86): a guard that uses syntax of bash must not silently fail in dash.
func TestCommandsRunInBash(t *testing.T) {
	const guard = `[[ $(printf x) == x ]] && echo -e 'a\\tb' | { read -r a b; [ "$b" = "" ]; echo "status ${PIPESTATUS[0]} of $0"; }`
	for _, more := range []string{"", `,"shell":"bash"`} {
		for _, level := range []claude.Level{claude.Base, claude.Docs} {
			w := project(command(t, "PreToolUse", guard, more))
			w.host.Dir, w.Level = testkit.Dir(t), level
			fired := fire(t, w.open(t), "PreToolUse", "")
			if got := stdout(t, fired); !strings.HasPrefix(got, "status") || !strings.HasSuffix(got, "of bash") ||
				strings.Contains(strings.Join(fired.Hooks[0].Notes, ""), "bash is not installed") {
				t.Errorf("got %q with the notes %q; want bash to have run it", got, fired.Hooks[0].Notes)
			}
		}
	}
}

// Without bash a shell command runs in /bin/sh, and a note in the hook's report says so. A command with
// "args" needs no shell and gets no note.
func TestCommandsRunInShWhereThereIsNoBash(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("PowerShell takes the place of bash on Windows")
	}
	t.Setenv("PATH", t.TempDir())
	for text, noted := range map[string]bool{`echo ok; true`: true, `"args":[`: false} {
		settings := command(t, "PreToolUse", text, "")
		if !noted {
			settings = command(t, "PreToolUse", "/bin/echo", `,"args":["ok"]`)
		}
		w := project(settings)
		w.host.Dir = testkit.Dir(t)
		fired := fire(t, w.open(t), "PreToolUse", "")
		if got := stdout(t, fired); got != "ok" {
			t.Errorf("got %q; want ok", got)
		}
		if notes := strings.Join(fired.Hooks[0].Notes, "\n"); strings.Contains(notes, "bash is not installed") != noted {
			t.Errorf("notes %q; want a note that the command ran in /bin/sh: %v", notes, noted)
		}
	}
}

// inBash returns a directory as hooks see it: on Windows in the form of Git's bash.
func inBash(dir string) string {
	if runtime.GOOS == "windows" {
		return run.WindowsPath(dir)
	}
	return dir
}

// Commands get the documented environment, and their input in ARGUMENTS (rules C91, C94).
func TestTheEnvironmentOfCommands(t *testing.T) {
	w := project(command(t, "PreToolUse", "env", ""))
	w.host.Dir = testkit.Dir(t)
	w.Environ = append(w.Environ, "OTEL_X=1", "KEPT=2", "CLAUDE_ENV_FILE=/x", "CLAUDE_PLUGIN_ROOT=/x", "CLAUDE_PLUGIN_OPTION_KEY=s", "CLAUDE_EFFORT=low",
		"CLAUDE_PROJECT_DIR=/old", "ANTHROPIC_API_KEY=k", "AWS_SECRET_ACCESS_KEY=k", "MY_API_KEY=mine")
	env := strings.Split(stdout(t, fire(t, w.open(t), "PreToolUse", `{"effort":{"level":"high"}}`)), "\n")
	for _, want := range []string{"CLAUDE_PROJECT_DIR=" + inBash(w.host.Dir), "CLAUDECODE=1", "CLAUDE_CODE_CHILD_SESSION=1", "CLAUDE_CODE_SESSION_ID=s-1", "CLAUDE_EFFORT=high", "KEPT=2", "ANTHROPIC_API_KEY=k", "MY_API_KEY=mine"} {
		if !slices.Contains(env, want) {
			t.Errorf("no %s in %q", want, env)
		}
	}
	for _, name := range []string{"OTEL_X", "CLAUDE_ENV_FILE", "CLAUDE_PLUGIN_ROOT", "CLAUDE_PLUGIN_OPTION_KEY", "ARGUMENTS"} {
		if slices.ContainsFunc(env, func(v string) bool { return strings.HasPrefix(v, name+"=") }) {
			t.Errorf("%s is in %q; want it not to be", name, env)
		}
	}
	w.Environ = append(w.Environ, "CLAUDE_CODE_SUBPROCESS_ENV_SCRUB=1")
	env = strings.Split(stdout(t, fire(t, w.open(t), "PreToolUse", "")), "\n")
	for _, gone := range []string{"ANTHROPIC_API_KEY=k", "AWS_SECRET_ACCESS_KEY=k", "CLAUDE_EFFORT=low"} {
		if slices.Contains(env, gone) {
			t.Errorf("%s is there", gone)
		}
	}
	if !slices.Contains(env, "MY_API_KEY=mine") {
		t.Error("a key that is no provider's is gone")
	}
}

// Commands get the documented payload on standard input (rules C26, C27, C28).
func TestTheInputOfCommands(t *testing.T) {
	w := project(command(t, "PreToolUse", `IFS= read -r line && printf '%s' "$line"`, ""))
	got := stdout(t, fire(t, w.open(t), "PreToolUse", `{"permission_mode":"plan","future":{"a":1},"tool_input":{"n":12345678901234567890}}`))
	for _, part := range []string{`{"session_id":"s-1","transcript_path":"","cwd":"`, `"hook_event_name":"PreToolUse"`, `"permission_mode":"plan"`, `"future":{"a":1}`, `"tool_input":{"n":12345678901234567890}`} {
		if !strings.Contains(got, part) {
			t.Errorf("no %s in %s", part, got)
		}
	}
}

// Members of the input that its type does not declare reach the hooks of every event.
func TestUnknownMembersOfTheInputReachTheHook(t *testing.T) {
	for event := range events {
		var payload atomic.Value // atomic: a hook in the background runs at the same time
		w := project(hooks(event, "h"))
		w.replies = map[string]scripted{}
		sys := pipeline.NewSystem(pipeline.Config{Load: []pipeline.Load{w.load}, Log: slog.New(slog.DiscardHandler), Observe: []pipeline.Observer{pipeline.HookEnds(func(_ context.Context, ev *pipeline.Evaluation) { payload.Store(string(ev.Payload)) })}})
		s, err := sys.NewSession(t.Context(), pipeline.SessionConfig{Dir: testkit.Dir(t)})
		if err != nil {
			t.Fatal(err)
		}
		fire(t, s, event, `{"future":[1,{"x":null}]}`)
		_ = s.Close(context.Background())
		_ = sys.Close()
		if got, _ := payload.Load().(string); !strings.Contains(got, `"future":[1,{"x":null}]`) {
			t.Errorf("%s: the hook got %s", event, got)
		}
	}
}

func TestUnknownMembersOfAnAnswerSurvive(t *testing.T) {
	const answer = `{"metrics":{"a":1},"hookSpecificOutput":{"hookEventName":"PreToolUse","future":[1]}}`
	w := project(hooks("PreToolUse", "h"))
	w.replies = map[string]scripted{"h": says(0, answer, "")}
	res := mustFire(t, claude.PreToolUse, w.open(t), claude.PreToolUseInput{Name: "Bash"})
	if o := res.Reports[0].Output; string(o.Raw) != answer || string(o.Specific.Extra) != `{"future":[1]}` {
		t.Errorf("raw %s, extra %s; want all of it", o.Raw, o.Specific.Extra)
	}
}

// Commands run in the agent's directory or, if it is missing, in the session's or the home directory (rule C90).
func TestWhereCommandsRun(t *testing.T) {
	here := testkit.Dir(t)
	for _, tt := range []struct{ cwd, want string }{{"", "DIR"}, {here, here}, {"/gone/away", "DIR"}} {
		w := project(command(t, "Notification", "pwd", ""))
		w.host.Dir = testkit.Dir(t)
		input := "{}"
		if tt.cwd != "" {
			input = `{"cwd":` + string(mustEncode(t, tt.cwd)) + `}`
		}
		if got, want := run.NativePath(stdout(t, fire(t, w.open(t), "Notification", input))), strings.ReplaceAll(tt.want, "DIR", w.host.Dir); got != want {
			t.Errorf("cwd %q: it ran in %s; want %s", tt.cwd, got, want)
		}
	}
	w := project(command(t, "Notification", "pwd", ""))
	w.host.Dir = filepath.Join(testkit.Dir(t), "gone")
	w.Environ = append(w.Environ, "HOME="+here)
	if err := os.Mkdir(w.host.Dir, 0o755); err != nil {
		t.Fatal(err)
	}
	s := w.open(t)
	if err := os.Remove(w.host.Dir); err != nil { // while the session is open
		t.Fatal(err)
	}
	if got := run.NativePath(stdout(t, fire(t, s, "Notification", `{"cwd":"/gone"}`))); got != here {
		t.Errorf("without its directories it ran in %s; want the home, %s", got, here)
	}
}

// A command runs in bash or PowerShell, or without a shell (rules C86, C87, C88, C89).
func TestTheFormsOfACommand(t *testing.T) {
	dir := testkit.Dir(t)
	testkit.Write(t, dir, map[string]string{
		"my dir/x.sh": "#!/bin/sh\nprintf '%s|' ran \"$@\"\n",
		"wrap.sh":     "#!/bin/sh\nprintf '%s|' wrapped \"$@\"\n",
	})
	for _, tt := range []struct{ name, command, more, prefix, want string }{
		{"a shell", `echo $((1+1)) | cat`, "", "", "2"},
		{"bash, unasked", `a=(x y); echo "${a[1]}"`, "", "", "y"},
		{"bash where it is asked for", `a=(x y); echo "${a[1]}"`, `,"shell":"bash"`, "", "y"},
		{"the input as a variable", `test "$ARGUMENTS" = "$(cat)" && echo same`, "", "", "same"},
		{"exec form", "${CLAUDE_PROJECT_DIR}/x.sh", `,"args":["$HOME","a b","*"]`, "", "ran|$HOME|a b|*|"},
		{"exec form has no shell", "${CLAUDE_PROJECT_DIR}/x.sh", `,"args":[],"shell":"powershell"`, "false", "ran|"},
		{"an unquoted directory with a blank", "$CLAUDE_PROJECT_DIR/x.sh a", "", "", "ran|a|"},
		{"the same in braces", "${CLAUDE_PROJECT_DIR}/x.sh a", "", "", "ran|a|"},
		{"the prefix", "echo 'it''s' | cat", "", "../wrap.sh -x", "wrapped|-x|echo 'it''s' | cat|"},
		{"an argument of null", "echo a", `,"args":null`, "", "a"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if runtime.GOOS == "windows" && (strings.HasPrefix(tt.name, "exec form") || tt.prefix != "") {
				t.Skip("Windows starts no scripts")
			}
			w := project(command(t, "Notification", tt.command, tt.more))
			w.host.Dir = filepath.Join(dir, "my dir")
			w.Environ = append(w.Environ, "CLAUDE_CODE_SHELL_PREFIX="+tt.prefix)
			if got := stdout(t, fire(t, w.open(t), "Notification", "")); got != tt.want {
				t.Errorf("got %q; want %q", got, tt.want)
			}
		})
	}
}

func TestAHookThatNeverReadsIsNoError(t *testing.T) {
	w := project(command(t, "PostToolUse", "exec 0<&-; exit 0", ""))
	wantEffects(t, fire(t, w.open(t), "PostToolUse", `{"tool_response":"`+strings.Repeat("x", 200_000)+`"}`), `{"errors":0,"blocked":false}`)
}

func TestHowAFailedGuardBlocksOnRequest(t *testing.T) {
	for _, tt := range []struct{ command, more, want string }{
		{"echo boom >&2; exit 3", `,"onFailure":"block"`, `{"blocked":true,"permissionDecision":"deny","reason":"boom","model_sees":["boom"],"user_sees":[]}`},
		{"echo '{\"continue\":5}'", `,"onFailure":"block"`, `{"blocked":true,"permissionDecision":"deny"}`},
		{"/no/such/program", `,"args":[],"onFailure":"block"`, `{"blocked":true}`},
		{"sleep 20", `,"timeout":0.1,"onFailure":"block"`, `{"blocked":true}`},
		{"exit 3", `,"onFailure":"continue"`, `{"blocked":false,"errors":1}`},
		{"exit 3", "", `{"blocked":false,"errors":1}`},
		{"echo '{}'; exit 3", `,"onFailure":"block"`, `{"blocked":false,"errors":0}`},
		{"exit 0", `,"onFailure":"block"`, `{"blocked":false}`},
	} {
		wantEffects(t, fire(t, project(command(t, "PreToolUse", tt.command, tt.more)).open(t), "PreToolUse", ""), tt.want)
	}
}

// HTTP hooks send the payload and read the response (rules C29, C43).
func TestRequests(t *testing.T) {
	asked := make(chan *http.Request, 1)
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked <- r
		_, _ = io.Copy(io.Discard, r.Body) // the server notices a disconnect only after reading the body
		switch r.URL.Path {
		case "/deny":
			_, _ = w.Write([]byte(`{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"r"}}`))
		case "/text":
			_, _ = w.Write([]byte("no"))
		case "/500":
			w.WriteHeader(http.StatusInternalServerError)
		case "/slow":
			<-r.Context().Done()
		}
	}))
	defer srv.Close()
	for path, want := range map[string]string{
		"/deny": `{"blocked":true,"reason":"r","errors":0}`, "/empty": `{"blocked":false,"errors":0}`, "/text": `{"blocked":false,"errors":1,"model_sees":[]}`,
		"/500": `{"blocked":false,"errors":1}`, "/slow": `{"blocked":false,"errors":0}`,
	} {
		w := project(`{"httpHookAllowedEnvVars":["A","B"],"hooks":{"PreToolUse":[{"hooks":[{"type":"http","url":"` + srv.URL + path + `","timeout":` + lo.Ternary(path == "/slow", "0.1", "9") + `,"headers":{"X":"$A ${B} $C"},"allowedEnvVars":["A","C"]}]}]}}`)
		w.Environ = append(w.Environ, "A=a", "B=b", "C=c")
		wantEffects(t, fire(t, w.open(t), "PreToolUse", ""), want)
		got := <-asked
		if x := got.Header.Get("X"); strings.TrimSpace(x) != "a" || got.Method != http.MethodPost {
			t.Errorf("%s %s with X %q; want a POST with X a", got.Method, path, x)
		}
	}
}

func TestARuleSelectsTheCalls(t *testing.T) {
	dir := testkit.Dir(t)
	for _, tt := range []struct {
		event, rule, input string
		runs               bool
	}{
		{"PreToolUse", "Bash(git *)", `{"tool_input":{"command":"FOO=1 git push"}}`, true},
		{"PreToolUse", "Bash(git *)", `{"tool_input":{"command":"npm t | git apply"}}`, true},
		{"PreToolUse", "Bash(git *)", `{"tool_input":{"command":"npm t"}}`, false},
		{"PreToolUse", "Bash()", `{"tool_input":{"command":"npm t"}}`, true},
		{"PostToolUse", "Write(*.ts)", `{"tool_name":"Write","tool_input":{"file_path":"DIR/a/b.ts"}}`, true},
		{"PostToolUse", "Edit(*.ts)", `{"tool_name":"Write","tool_input":{"file_path":"DIR/a/b.ts"}}`, false},
		{"PostToolUseFailure", "Edit(/src/**)", `{"tool_name":"Edit","tool_input":{"file_path":"DIR/src/b.ts"},"cwd":"/tmp"}`, true},
		{"PermissionRequest", "Edit(src/**)", `{"tool_name":"Edit","tool_input":{"file_path":"DIR/src/b.ts"},"cwd":"/tmp"}`, false},
		{"PermissionDenied", "mcp__s", `{"tool_name":"mcp__s__t"}`, true},
		{"PermissionDenied", "mcp__s__*", `{"tool_name":"mcp__r__t"}`, false},
		{"Stop", "Bash", ``, false},
		{"PostToolBatch", "Bash", ``, false},
		{"UserPromptSubmit", "Bash(git *)", ``, false},
	} {
		w := project(command(t, tt.event, "h", `,"if":"`+tt.rule+`"`))
		w.host.Dir, w.replies = dir, map[string]scripted{"h": {}}
		if got := len(fire(t, w.open(t), tt.event, strings.ReplaceAll(tt.input, "DIR", filepath.ToSlash(dir))).Hooks) > 0; got != tt.runs {
			t.Errorf("%s %s on %s: runs %v; want %v", tt.rule, tt.event, tt.input, got, tt.runs)
		}
	}
}

func TestWhereSettingsAreFound(t *testing.T) {
	home, dir := testkit.Dir(t), testkit.Dir(t)
	testkit.Write(t, home, map[string]string{"other/settings.json": hooks("Stop", "other"), ".claude/settings.json": hooks("Stop", "user")})
	testkit.Write(t, dir, map[string]string{".claude/settings.json": hooks("Stop", "project"), ".claude/settings.local.json": hooks("Stop", "local")})
	for env, want := range map[string][]string{"": {"user", "project", "local"}, home + "/other": {"other", "project", "local"}} {
		s := claude.Settings{Environ: []string{"HOME=" + home, "CLAUDE_CONFIG_DIR=" + env}}
		loaded, err := s.Load(t.Context(), pipeline.Workspace{Dir: dir})
		if err != nil {
			t.Fatal(err)
		}
		found := lo.Filter(loaded.Hooks, func(h *hook.Hook, _ int) bool { return h.Source != hook.Managed })
		if got := runnable(found); !slices.Equal(got, want) {
			t.Errorf("CLAUDE_CONFIG_DIR %q: hooks %q; want %q", env, got, want)
		}
	}
}

// Input that fits is in the variable ARGUMENTS, where a guard can look for it; otherwise the
// report notes that the variable was not set (C94).
func TestArgumentsThatDoNotFitAreNoted(t *testing.T) {
	const looks = `test -n \"$ARGUMENTS\" && echo '{\"decision\":\"block\",\"reason\":\"seen\"}'; true`
	w := project(`{"hooks":{"PreToolUse":[{"hooks":[{"type":"command","command":"` + looks + `"},
		{"type":"command","command":"cat >/dev/null"}]}]}}`)
	s := w.open(t)
	for _, size := range []int{10 << 10, 200 << 10} {
		res := mustFire(t, claude.PreToolUse, s, claude.PreToolUseInput{
			Name: "Write", Input: wire.Object(`{"content":"` + strings.Repeat("x", size) + `"}`),
		})
		fits := size < 100<<10
		notes := strings.Join(res.Reports[0].Notes, "\n")
		if res.Blocked() != fits || strings.Contains(notes, "the variable was not set") == fits {
			t.Errorf("%d bytes: blocked %v, notes %q; want it blocked or noted", size, res.Blocked(), notes)
		}
		if len(res.Reports[1].Notes) > 0 {
			t.Errorf("the hook that reads standard input has the notes %q", res.Reports[1].Notes)
		}
	}
}
