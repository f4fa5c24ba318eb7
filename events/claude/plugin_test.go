package claude_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/samber/lo"

	"github.com/snaphook-go/snaphook/events/claude"
	"github.com/snaphook-go/snaphook/internal/testkit"
	"github.com/snaphook-go/snaphook/pipeline"
	"github.com/snaphook-go/snaphook/settings"
)

// content returns the text of a file without white space around it.
func content(t testing.TB, file string) string {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(string(text))
}

func TestAPluginSaysWhereItsHooksAre(t *testing.T) {
	more := func(name string) string { return hooks("Stop", name) }
	bare := strings.TrimSuffix(strings.TrimPrefix(more("inline"), `{"hooks":`), `}`)
	const manifest = ".claude-plugin/plugin.json"
	for _, tt := range []struct {
		name  string
		files map[string]string
		want  []string
		wrong string
	}{
		{"the usual file", map[string]string{"hooks/hooks.json": more("usual")}, []string{"usual"}, ""},
		{"with a description", map[string]string{"hooks/hooks.json": `{"description":"d",` + more("usual")[1:]}, []string{"usual"}, ""},
		{"a path besides", map[string]string{manifest: `{"name":"n","hooks":"./more.json"}`, "more.json": more("more"), "hooks/hooks.json": more("usual")}, []string{"usual", "more"}, ""},
		{"the usual path again", map[string]string{manifest: `{"hooks":"./hooks/hooks.json"}`, "hooks/hooks.json": more("usual")}, []string{"usual"}, ""},
		{"a list of paths", map[string]string{manifest: `{"hooks":["./a.json","./b/c.json"]}`, "a.json": more("a"), "b/c.json": more("c")}, []string{"a", "c"}, ""},
		{"paths and objects in one list", map[string]string{manifest: `{"hooks":["./a.json",` + bare + `]}`, "a.json": more("a")}, []string{"a", "inline"}, ""},
		{"inline", map[string]string{manifest: `{"hooks":` + bare + `}`}, []string{"inline"}, ""},
		{"inline, and wrapped once more", map[string]string{manifest: `{"hooks":` + more("inline") + `}`}, []string{"inline"}, ""},
		{"a path without ./", map[string]string{manifest: `{"hooks":"more.json"}`, "more.json": more("more")}, nil, `1:10: "more.json" is not a path below the plugin's directory; begin it with ./`},
		{"a path that leads out", map[string]string{manifest: `{"hooks":"./../x.json"}`}, nil, `1:10: "./../x.json" is not a path below the plugin's directory; begin it with ./`},
		{"a path to nothing", map[string]string{manifest: `{"hooks":["./x.json"]}`}, nil, `1:11: the file "./x.json" cannot be read: *`},
		{"a number", map[string]string{manifest: `{"hooks":5}`}, nil, `1:10: got a number, want a path, an array of paths, or an object whose members are events`},
		{"a number in a list", map[string]string{manifest: `{"hooks":[5]}`}, nil, `1:11: got a number, want the path of a file with hooks, which begins with ./, or an object whose members are events`},
		{"events without hooks around", map[string]string{"hooks/hooks.json": bare}, nil, `1:9: "Stop" stands beside "hooks", where nothing reads it; write {"hooks": {"Stop": …}}`},
		{"an array", map[string]string{"hooks/hooks.json": `[]`}, nil, `1:1: got an array, want an object {"hooks": {…}}`},
		{"twice the same", map[string]string{"hooks/hooks.json": `{"a":1,"a":2,` + more("usual")[1:]}, []string{"usual"}, `1:8: "a" is given twice; *`},
		{"no hooks", map[string]string{"README": ""}, nil, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			root := testkit.Write(t, testkit.Dir(t), tt.files)
			got := read(t, claude.Settings{Layers: []settings.Layer{}, Plugins: []claude.Plugin{{Root: root}}})
			wantRunnable(t, got.Hooks, tt.want...)
			text := strings.Join(lo.Map(got.Problems, func(p settings.Problem, _ int) string {
				_, at, _ := strings.Cut(p.String(), ".json:")
				return at
			}), "\n")
			if want, open := strings.CutSuffix(tt.wrong, "*"); text != want && !(open && strings.HasPrefix(text, want)) {
				t.Errorf("problem %q; want %q", text, tt.wrong)
			}
		})
	}
}

func TestTheNameOfAPlugin(t *testing.T) {
	root := testkit.Write(t, filepath.Join(testkit.Dir(t), "folder"), map[string]string{".claude-plugin/plugin.json": `{"name":"named"}`, "hooks/hooks.json": hooks("Stop", "x")})
	for _, tt := range []struct {
		plugin claude.Plugin
		want   string
	}{
		{claude.Plugin{Root: root}, "plugin:named/Stop/0/0"},
		{claude.Plugin{Root: root, Name: "given", Marketplace: "m"}, "plugin:given@m/Stop/0/0"},
		{claude.Plugin{Root: "/", Data: []byte(hooks("Stop", "x"))}, "plugin:/Stop/0/0"},
	} {
		got := read(t, claude.Settings{Layers: []settings.Layer{}, Plugins: []claude.Plugin{tt.plugin}})
		if id := got.Hooks[0].ID; tt.plugin.Root != "/" && id != tt.want {
			t.Errorf("the id is %s; want %s", id, tt.want)
		}
	}
}

func TestAPluginThatIsGoneIsAProblemAndBlocksNothing(t *testing.T) {
	got := read(t, claude.Settings{Layers: []settings.Layer{}, Plugins: []claude.Plugin{{Name: "p", Root: "/gone"}}})
	_, gone := os.Stat("/gone")
	wantProblems(t, got.Problems, fmt.Sprintf(`the plugin's directory "/gone" cannot be read: %v; reinstall the plugin or disable it`, gone))

	w := project(`{}`)
	w.Plugins = []claude.Plugin{{Name: "p", Root: "/gone", Data: []byte(hooks("PreToolUse", "exit 2"))}}
	wantEffects(t, fire(t, w.open(t), "PreToolUse", ""), `{"blocked":false,"errors":1,"outcomes":{"exit 2":"non_blocking_error"}}`)
}

// plugged returns a world with one plugin, in a directory whose name needs quotes.
func plugged(t *testing.T, entry string, options map[string]any) (w world, root string) {
	home := testkit.Dir(t)
	name := lo.Ternary(runtime.GOOS == "windows", `a b' $(touch x) c`, `a "b' $(touch x) c`)
	root = testkit.Write(t, filepath.Join(home, name), map[string]string{"x.sh": "#!/bin/sh\nprintf '%s\\n' \"$0\" \"$@\" >> \"$OUT\"\n"})
	w = project(`{}`)
	w.Plugins = []claude.Plugin{{Name: "my.plugin", Marketplace: "corp", Root: root, Options: options, Data: []byte(`{"hooks":{"Stop":[{"hooks":[` + entry + `]}]}}`)}}
	w.Environ = append(w.Environ, "HOME="+home, "OUT="+filepath.Join(home, "out"))
	return w, root
}

func TestPlaceholdersOfPluginsAreOneWordAndNeverCode(t *testing.T) {
	const evil = "$(touch /tmp/never) `id` ${CLAUDE_PLUGIN_ROOT} \"'"
	options := map[string]any{"api-key": evil, "n": 5, "list": []any{1, "b"}, "on": true}
	for _, tt := range []struct{ entry, want string }{
		{`{"type":"command","command":"${CLAUDE_PLUGIN_ROOT}/x.sh a b"}`, "ROOT/x.sh\na\nb"},
		{`{"type":"command","command":"\"${CLAUDE_PLUGIN_ROOT}/x.sh\" a"}`, "ROOT/x.sh\na"},
		{`{"type":"command","command":"\"${CLAUDE_PLUGIN_ROOT}\"/x.sh a"}`, "ROOT/x.sh\na"},
		{`{"type":"command","command":"$CLAUDE_PLUGIN_ROOT/x.sh a"}`, "ROOT/x.sh\na"},
		{`{"type":"command","command":"true && ${CLAUDE_PLUGIN_ROOT}/x.sh ${CLAUDE_PLUGIN_ROOT}b"}`, "ROOT/x.sh\nROOTb"},
		{`{"type":"command","command":"\"$CLAUDE_PLUGIN_ROOT/x.sh\" \"${user_config.api-key}\""}`, "ROOT/x.sh\n" + evil},
		{`{"type":"command","command":"\"$CLAUDE_PLUGIN_ROOT/x.sh\" \"$CLAUDE_PLUGIN_OPTION_API_KEY\" $CLAUDE_PLUGIN_OPTION_N $CLAUDE_PLUGIN_OPTION_ON \"$CLAUDE_PLUGIN_OPTION_LIST\""}`, "ROOT/x.sh\n" + evil + "\n5\ntrue\n[1,\"b\"]"},
		{`{"type":"command","command":"\"$CLAUDE_PLUGIN_ROOT/x.sh\" [${user_config.missing}]"}`, "ROOT/x.sh\n[]"},
		{`{"type":"command","command":"${CLAUDE_PLUGIN_ROOT}/x.sh","args":["${CLAUDE_PLUGIN_DATA}","${user_config.api-key}","${user_config.missing}","$HOME ${HOME}","a b"]}`,
			"ROOT/x.sh\nHOME/.claude/plugins/data/my-plugin-corp\n" + evil + "\n\n$HOME ${HOME}\na b"},
		{`{"type":"command","command":"${CLAUDE_PLUGIN_ROOT}/x.sh","args":[]}`, "ROOT/x.sh"},
		{`{"type":"command","command":"'${CLAUDE_PLUGIN_ROOT}'/x.sh '[${user_config.api-key}]' '$HOME'"}`, "ROOT/x.sh\n[" + evil + "]\n$HOME"},
		{`{"type":"command","command":"\"$CLAUDE_PLUGIN_ROOT\"/x.sh \"$(cat <<'E'\n$HOME ${user_config.api-key}\nE\n)\""}`, "ROOT/x.sh\n$HOME " + evil},
		{`{"type":"command","command":"sh -c '${CLAUDE_PLUGIN_ROOT}/x.sh \"${user_config.api-key}\"'"}`, "ROOT/x.sh\n" + evil},
		{`{"type":"command","command":"bash -c \"${CLAUDE_PLUGIN_ROOT}/x.sh '${user_config.api-key}'\""}`, "ROOT/x.sh\n" + evil},
		{`{"type":"command","shell":"bash","command":"\"$CLAUDE_PLUGIN_ROOT\"/x.sh $'\\t${user_config.n}'"}`, "ROOT/x.sh\n\t5"},
	} {
		t.Run(tt.entry, func(t *testing.T) {
			if runtime.GOOS == "windows" && strings.Contains(tt.entry, `"args"`) {
				t.Skip("Windows starts no scripts")
			}
			w, root := plugged(t, tt.entry, options)
			wantEffects(t, fire(t, w.open(t), "Stop", ""), `{"errors":0,"blocked":false}`)
			home := filepath.Dir(root)
			want := strings.NewReplacer("ROOT/", inBash(root)+"/", "ROOTb", inBash(root)+"b", "HOME/.", home+"/.").Replace(tt.want)
			if got := content(t, filepath.Join(home, "out")); got != want {
				t.Errorf("\ngot  %q\nwant %q", got, want)
			}
			if info, err := os.Stat(filepath.Join(home, ".claude/plugins/data/my-plugin-corp")); err != nil || !info.IsDir() {
				t.Errorf("the plugin's directory for data: %v; want it made", err)
			}
		})
	}
}

// A guard that does not run is reported when settings are read, and in each fire.
func TestAPluginsValueThatAnotherLanguageWouldReadAsCodeIsRefused(t *testing.T) {
	if _, err := exec.LookPath("python3"); err != nil {
		t.Skip("python3 is not installed")
	}
	const code = `{"type":"command","command":"python3 -c \"print('${user_config.name}')\" > \"$OUT\""%s}`
	const want = `the value of ${user_config.name} would be read as Python here; write os.environ["CLAUDE_PLUGIN_OPTION_NAME"] in its place`
	w, _ := plugged(t, fmt.Sprintf(code, ""), map[string]any{"name": "'+open('owned','w').name+'"})
	loaded, err := w.Settings.Load(t.Context(), pipeline.Workspace{Dir: t.TempDir()})
	if err != nil || len(loaded.Problems) != 1 || !strings.Contains(loaded.Problems[0].Message, want) {
		t.Errorf("problems %v, error %v; want one with %q", loaded.Problems, err, want)
	}
	fired := fire(t, w.open(t), "Stop", "")
	wantEffects(t, fired, `{"errors":1,"blocked":false}`)
	if got := *fired.Hooks[0].Error; !strings.Contains(got, want) {
		t.Errorf("the hook failed with %q, want %q", got, want)
	}

	w, root := plugged(t, fmt.Sprintf(code, ""), map[string]any{"name": "a guard (new)"})
	wantEffects(t, fire(t, w.open(t), "Stop", ""), `{"errors":0}`)
	if got := content(t, filepath.Join(filepath.Dir(root), "out")); got != "a guard (new)" {
		t.Errorf("got %q, want the text of the option", got)
	}
}

// Two options may share a variable: the engine checks the value that the variable has.
func TestOptionsThatShareAVariableAreJudgedByIt(t *testing.T) {
	for _, name := range []string{"a-b", "a.b"} {
		w, _ := plugged(t, `{"type":"command","command":"echo $(( ${user_config.`+name+`} ))"}`, map[string]any{"a-b": "1", "a.b": "x[$(touch owned)]"})
		fired := fire(t, w.open(t), "Stop", "")
		out := ""
		if fired.Hooks[0].Stdout != nil {
			out = strings.TrimSpace(*fired.Hooks[0].Stdout)
		}
		if fired.Hooks[0].Success && out != "1" {
			t.Errorf("%s: got %q; want the number, or a failure", name, out)
		}
	}
}

func TestTheDirectoryForDataIsMadeWhenItIsNeeded(t *testing.T) {
	w, root := plugged(t, `{"type":"command","command":"true"}`, nil)
	w.open(t)
	if _, err := os.Stat(filepath.Join(filepath.Dir(root), ".claude")); err == nil {
		t.Error("the directory is there before any hook has run")
	}
}

func TestAUsersValueInACommandIsRefusedAtTheDocsLevel(t *testing.T) {
	for entry, want := range map[string]string{
		`{"type":"command","command":"true ${user_config.x}"}`:                         `{"errors":1}`,
		`{"type":"command","command":"true","args":["${user_config.x}"]}`:              `{"errors":0}`,
		`{"type":"command","command":"${CLAUDE_PLUGIN_ROOT}/x.sh"}`:                    `{"errors":0}`,
		`{"type":"command","shell":"powershell","command":"echo ${user_config.gone}"}`: `{"errors":1}`,
	} {
		if runtime.GOOS == "windows" && strings.Contains(entry, `"args"`) {
			continue // there is no program named true on Windows
		}
		w, _ := plugged(t, entry, nil)
		w.Level = claude.Docs
		wantEffects(t, fire(t, w.open(t), "Stop", ""), want)
	}
}

func TestAPluginsPowerShellHasVariables(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("its pwsh is a script, which Windows does not start")
	}
	w, root := plugged(t, `{"type":"command","shell":"powershell","command":"& ${CLAUDE_PLUGIN_ROOT}/a ${CLAUDE_PROJECT_DIR} ${user_config.a-b} ${env:X} $y '${user_config.a-b}'"}`, map[string]any{"a-b": "it's"})
	bin := testkit.Write(t, testkit.Dir(t), map[string]string{"pwsh": "#!/bin/sh\nprintf '%s\\n' \"$@\" > \"$OUT\"\n"})
	w.Environ = append(w.Environ, "PATH="+bin+":/bin:/usr/bin", "CLAUDE_CODE_SHELL_PREFIX=false")
	wantEffects(t, fire(t, w.open(t), "Stop", ""), `{"errors":0}`)
	want := []string{"-NoProfile", "-NonInteractive", "-Command", "& ${env:CLAUDE_PLUGIN_ROOT}/a ${env:CLAUDE_PROJECT_DIR} ${env:CLAUDE_PLUGIN_OPTION_A_B} ${env:X} $y 'it''s'"}
	if got := strings.Split(content(t, filepath.Join(filepath.Dir(root), "out")), "\n"); !slices.Equal(got[:4], want) {
		t.Errorf("\ngot  %q\nwant %q", got[:4], want)
	}
}

func TestFrontMatter(t *testing.T) {
	const list = `[{"matcher":"never","hooks":[{"type":"command","command":"h"}]}]`
	skill := claude.FrontMatter{Name: "skill", File: "/s/SKILL.md", Root: "/s", Hooks: []byte(`{"Stop":` + list + `}`)}
	for _, tt := range []struct {
		name, event string
		matter      claude.FrontMatter
		want        int
	}{
		{"a skill's Stop", "Stop", skill, 1},
		{"a skill's Stop is no sub-agent's", "SubagentStop", skill, 0},
		{"an agent's Stop is not the session's", "Stop", claude.FrontMatter{Agent: true, Hooks: skill.Hooks}, 0},
		{"but a sub-agent's", "SubagentStop", claude.FrontMatter{Agent: true, Hooks: []byte(`{"Stop":[{"hooks":[{"type":"command","command":"h"}]}]}`)}, 1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			w := project(`{}`)
			s := w.open(t)
			remove, problems, err := tt.matter.Register(s)
			if err != nil || len(problems) > 0 {
				t.Fatal(err, problems)
			}
			if got := len(fire(t, s, tt.event, "").Hooks); got != tt.want {
				t.Errorf("%d hooks ran; want %d", got, tt.want)
			}
			remove()
			if got := len(fire(t, s, tt.event, "").Hooks); got != 0 {
				t.Errorf("%d hooks ran after they were removed", got)
			}
		})
	}
}

func TestFrontMatterIsHeldToTheSettings(t *testing.T) {
	register := func(w world, f claude.FrontMatter) int {
		s := w.open(t)
		f.Hooks = []byte(hooks("Stop", "true")[len(`{"hooks":`) : len(hooks("Stop", "true"))-1])
		if _, _, err := f.Register(s); err != nil {
			t.Fatal(err)
		}
		return len(fire(t, s, "Stop", "").Hooks)
	}
	if got := register(project(hooks("Stop", "true")), claude.FrontMatter{Root: "/skill"}); got != 2 {
		t.Errorf("%d hooks ran; want the skill's besides the project's", got)
	}
	if got := register(project(hooks("Stop", "true")), claude.FrontMatter{}); got != 1 {
		t.Errorf("%d hooks ran; want one, since without a root they are the same", got)
	}
	if got := register(project(`{"disableAllHooks":true}`), claude.FrontMatter{}); got != 0 {
		t.Errorf("%d hooks ran although they are switched off", got)
	}
	w := project(`{}`)
	w.host.Dir, w.host.Untrusted = testkit.Dir(t), true
	for f, want := range map[*claude.FrontMatter]int{
		{Agent: true, File: filepath.Join(w.host.Dir, ".claude/agents/a.md")}: 0,
		{File: filepath.Join(w.host.Dir, ".claude/skills/a.md")}:              1,
		{Agent: true, File: "/home/u/.claude/agents/a.md"}:                    1,
	} {
		f.Hooks = []byte(`{"SubagentStop":[{"hooks":[{"type":"command","command":"true"}]}]}`)
		s := w.open(t)
		if _, _, err := f.Register(s); err != nil {
			t.Fatal(err)
		}
		if got := len(fire(t, s, "SubagentStop", "").Hooks); got != want {
			t.Errorf("%s: %d hooks ran in an untrusted folder without a user; want %d", f.File, got, want)
		}
	}
}

func TestFrontMatterFollowsAReload(t *testing.T) {
	w := project(`{"disableAllHooks":true}`)
	sys := w.system(t)
	s, err := sys.NewSession(t.Context(), pipeline.SessionConfig{Dir: testkit.Dir(t)})
	if err != nil {
		t.Fatal(err)
	}
	skill := claude.FrontMatter{Hooks: []byte(`{"Stop":[{"hooks":[{"type":"command","command":"true"}]}]}`)}
	if _, _, err := skill.Register(s); err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]int{`{}`: 1, `{"disableAllHooks":true}`: 0} {
		w.Layers[0].Data = []byte(text)
		if err := sys.Reload(t.Context()); err != nil {
			t.Fatal(err)
		}
		if got := len(fire(t, s, "Stop", "").Hooks); got != want {
			t.Errorf("with %s, %d hooks ran; want %d", text, got, want)
		}
	}
}

func TestProblemsOfFrontMatter(t *testing.T) {
	s := project(`{}`).open(t)
	f := claude.FrontMatter{File: "a.md", Hooks: []byte(`{"Stop":[{"hooks":[{"type":"wasm"}]}],"X":[],"X":[]}`)}
	_, problems, err := f.Register(s)
	if err != nil || len(problems) != 3 || !strings.HasPrefix(problems[0].String(), "a.md:1:") {
		t.Errorf("problems %v, error %v; want three of a.md", problems, err)
	}
	if _, _, err := (claude.FrontMatter{Hooks: []byte(`{`)}).Register(s); err == nil {
		t.Error("text that is not JSON is no error")
	}
	other, err := pipeline.NewSystem(pipeline.Config{}).NewSession(t.Context(), pipeline.SessionConfig{})
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := f.Register(other); err == nil {
		t.Error("a session with other settings is no error")
	}
}
