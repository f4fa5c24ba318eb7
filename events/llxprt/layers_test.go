package llxprt_test

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/samber/lo"

	"github.com/snaphook-go/snaphook/events/llxprt"
	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/internal/testkit"
	"github.com/snaphook-go/snaphook/pipeline"
	"github.com/snaphook-go/snaphook/settings"
)

// hooks returns a settings text with hooks for these commands, and further members.
func hooks(more string, commands ...string) string {
	entries := lo.Map(commands, func(c string, _ int) string { return fmt.Sprintf(`{"type": "command", "command": %q}`, c) })
	return `{"hooks": {"BeforeTool": [{"hooks": [` + strings.Join(entries, ",") + `]}]}` + more + `}`
}

const on = `, "tools": {"enableHooks": true}`

func TestTheHooksOfAllLayersRunInTheOrderOfTheirRank(t *testing.T) {
	s := llxprt.Settings{
		Layers: []settings.Layer{
			layer(hook.SystemWide, hooks("", "s1")), layer(hook.User, hooks("", "u1", "u2")), layer(hook.Project, hooks(on, "p1", "p2")),
		},
		Extensions: []llxprt.Extension{{Dir: "/x/zeta", Data: []byte(hooks("", "z"))}, {Dir: "/x/alpha", Data: []byte(hooks("", "a"))}},
	}
	got := load(t, s, pipeline.Workspace{})
	if want := []string{"p1", "p2", "u1", "u2", "s1", "z", "a"}; !slices.Equal(runnable(got.Hooks), want) {
		t.Errorf("hooks %q; want %q", runnable(got.Hooks), want)
	}
	ids := lo.Map(got.Hooks, func(h *hook.Hook, _ int) string { return h.ID })
	want := []string{
		"project/BeforeTool/0/0", "project/BeforeTool/0/1", "user/BeforeTool/0/0", "user/BeforeTool/0/1", "system/BeforeTool/0/0",
		"extension:zeta/BeforeTool/0/0", "extension:alpha/BeforeTool/0/0",
	}
	if !slices.Equal(ids, want) {
		t.Errorf("ids %q; want %q", ids, want)
	}
	files := []string{"project.json", "user.json", "system.json", "/x/zeta/hooks/hooks.json", "/x/alpha/hooks/hooks.json"}
	if got := lo.Map(got.Files, func(file string, _ int) string { return filepath.ToSlash(file) }); !slices.Equal(got, files) {
		t.Errorf("files %q; want %q", got, files)
	}
}

func TestIDsAreUniqueWhenFilesHaveTheSameRankAndName(t *testing.T) {
	same := llxprt.Extension{Name: "x", Dir: "/x", Data: []byte(hooks("", "a"))}
	s := llxprt.Settings{
		Layers:     []settings.Layer{layer(hook.Project, hooks(on, "a")), layer(hook.Project, hooks("", "b"))},
		Extensions: []llxprt.Extension{same, same},
	}
	ids := lo.Map(load(t, s, pipeline.Workspace{}).Hooks, func(h *hook.Hook, _ int) string { return h.ID })
	want := []string{"project/BeforeTool/0/0", "project/BeforeTool/0/0#2", "extension:x/BeforeTool/0/0", "extension:x/BeforeTool/0/0#2"}
	if !slices.Equal(ids, want) {
		t.Errorf("ids %q; want %q", ids, want)
	}
}

func TestTheSwitchOfTheHighestLayerCounts(t *testing.T) {
	set := func(value string) string {
		return lo.Ternary(value == "", `{}`, `{"tools": {"enableHooks": `+value+`}}`)
	}
	for _, tt := range []struct {
		user, project, system string
		untrusted             bool
		runs                  bool
	}{
		{"", "", "", false, false},
		{"true", "", "", false, true},
		{"", "true", "", false, true},
		{"", "", "true", false, true},
		{"true", "false", "", false, false},
		{"false", "true", "", false, true},
		{"true", "true", "false", false, false},
		{"false", "false", "true", false, true},
		{"true", "null", "null", false, true},
		{"true", `"false"`, "", false, true},
		{"true", "false", "", true, true}, // an untrusted project cannot switch a guard off
		{"", "false", "", true, false},
	} {
		t.Run(fmt.Sprintf("user %q, project %q, system %q, untrusted %v", tt.user, tt.project, tt.system, tt.untrusted), func(t *testing.T) {
			s := llxprt.Settings{
				Layers:     []settings.Layer{layer(hook.User, set(tt.user)), layer(hook.Project, set(tt.project)), layer(hook.SystemWide, set(tt.system))},
				Extensions: []llxprt.Extension{{Dir: "/x", Data: []byte(hooks("", "guard"))}},
			}
			got := load(t, s, pipeline.Workspace{Dir: "/p", Untrusted: tt.untrusted})
			if runs := len(runnable(got.Hooks)) == 1; runs != tt.runs {
				t.Errorf("the hook runs: %v; want %v (%s)", runs, tt.runs, got.Hooks[0].SkipDetail)
			}
			if h := got.Hooks[0]; !tt.runs && (h.Skip != hook.Disabled || !strings.Contains(h.SkipDetail, "enableHooks")) {
				t.Errorf("it is skipped as %q, %q; want it to be disabled, and why", h.Skip, h.SkipDetail)
			}
		})
	}
}

func TestHooksConfigSwitchesOff(t *testing.T) {
	for name, tt := range map[string]struct {
		config    string
		untrusted bool
		want      []string
	}{
		"everything":                       {`{"enabled": false}`, false, nil},
		"nothing":                          {`{"enabled": true}`, false, []string{"a", "b", "c"}},
		"a hook by its name":               {`{"disabled": ["guard"]}`, false, []string{"b", "c"}},
		"a hook without a name by command": {`{"disabled": ["b"]}`, false, []string{"a", "c"}},
		"a named hook not by its command":  {`{"disabled": ["a"]}`, false, []string{"a", "b", "c"}},
		"a name that no hook has":          {`{"disabled": ["x"]}`, false, []string{"a", "b", "c"}},
		"what is a string, whatever else":  {`{"disabled": [7, "b", null]}`, false, []string{"a", "c"}},
		"nothing of a project not trusted": {`{"enabled": false, "disabled": ["guard", "b", "c"]}`, true, []string{"a", "b", "c"}},
	} {
		t.Run(name, func(t *testing.T) {
			user := `{"tools": {"enableHooks": true}, "hooks": {"BeforeTool": [{"hooks": [
				{"type": "command", "name": "guard", "command": "a"}, {"type": "command", "command": "b"}, {"type": "command", "command": "c"}]}]}}`
			s := llxprt.Settings{Layers: []settings.Layer{layer(hook.Project, `{"hooksConfig": `+tt.config+`}`), layer(hook.User, user)}}
			got := load(t, s, pipeline.Workspace{Dir: "/p", Untrusted: tt.untrusted})
			if !slices.Equal(runnable(got.Hooks), tt.want) {
				t.Errorf("hooks %q run; want %q", runnable(got.Hooks), tt.want)
			}
			for _, h := range got.Hooks {
				if h.Skip != "" && (h.Skip != hook.Disabled || !strings.Contains(h.SkipDetail, "hooksConfig")) {
					t.Errorf("%s is skipped as %q, %q; want it to be disabled by hooksConfig", h.Command, h.Skip, h.SkipDetail)
				}
			}
		})
	}
}

// Older versions have the list of disabled hooks below "hooks".
func TestTheFormerListOfDisabledHooksSwitchesOffByName(t *testing.T) {
	for name, tt := range map[string]struct {
		hooks     string
		undecided bool
		want      []string
	}{
		"a hook by its name":                  {`{"disabled": ["guard"]}`, false, []string{"b"}},
		"no hook by its command":              {`{"disabled": ["a", "b"]}`, false, []string{"a", "b"}},
		"what is no list":                     {`{"disabled": "guard"}`, false, []string{"a", "b"}},
		"no hook of the user by such project": {`{"disabled": ["guard"]}`, true, []string{"a", "b"}},
	} {
		for _, profile := range []llxprt.Profile{llxprt.LLxprt, llxprt.Gemini} {
			t.Run(name+" "+string(profile), func(t *testing.T) {
				user := `{"tools": {"enableHooks": true}, "hooks": {"BeforeTool": [{"hooks": [
				{"type": "command", "name": "guard", "command": "a"}, {"type": "command", "command": "b"}]}]}}`
				s := llxprt.Settings{Profile: profile, Layers: []settings.Layer{layer(hook.Project, `{"hooks": `+tt.hooks+`}`), layer(hook.User, user)}}
				got := load(t, s, pipeline.Workspace{Dir: "/p", Undecided: tt.undecided})
				if !slices.Equal(runnable(got.Hooks), tt.want) {
					t.Errorf("hooks %q run; want %q", runnable(got.Hooks), tt.want)
				}
				for _, h := range got.Hooks {
					if h.Skip != "" && (h.Skip != hook.Disabled || !strings.Contains(h.SkipDetail, "hooks.disabled")) {
						t.Errorf("%s is skipped as %q, %q; want hooks.disabled as the reason", h.Command, h.Skip, h.SkipDetail)
					}
				}
				if len(got.Problems) == 0 {
					t.Error("no problem says where the list belongs")
				}
			})
		}
	}
}

func TestAProjectThatIsNotTrustedBringsNoHooks(t *testing.T) {
	s := llxprt.Settings{
		Layers:     []settings.Layer{layer(hook.Project, hooks(on, "p")), layer(hook.User, hooks(on, "u"))},
		Extensions: []llxprt.Extension{{Dir: "/x", Data: []byte(hooks("", "x"))}},
	}
	got := load(t, s, pipeline.Workspace{Dir: "/p", Untrusted: true})
	if want := []string{"u", "x"}; !slices.Equal(runnable(got.Hooks), want) {
		t.Errorf("hooks %q run; want %q", runnable(got.Hooks), want)
	}
	if h := got.Hooks[0]; h.Command != "p" || h.Skip != hook.Untrusted || !strings.Contains(h.SkipDetail, "not trusted") {
		t.Errorf("%s is skipped as %q, %q; want it to be untrusted", h.Command, h.Skip, h.SkipDetail)
	}
}

// Until the user has decided about a project, the settings of the project switch off only the hooks of the project.
func TestAProjectThatWasNotDecidedOnSwitchesOffItsOwnHooksOnly(t *testing.T) {
	guards := `{"tools": {"enableHooks": true}, "hooks": {"BeforeTool": [{"hooks": [{"type": "command", "name": "guard", "command": "u"}]}]}}`
	for name, tt := range map[string]struct {
		project     string
		own, others bool // which of the hooks run
	}{
		"nothing":                {`{`, true, true},
		"by name":                {`{"hooksConfig": {"disabled": ["guard", "s"]},`, true, true},
		"its own by name":        {`{"hooksConfig": {"disabled": ["own"]},`, false, true},
		"by hooksConfig.enabled": {`{"hooksConfig": {"enabled": false},`, false, true},
		"by tools.enableHooks":   {`{"tools": {"enableHooks": false},`, false, true},
		"everything at once":     {`{"tools": {"enableHooks": false}, "hooksConfig": {"enabled": false, "disabled": ["own", "guard", "s"]},`, false, true},
		"on, what is on anyway":  {`{"tools": {"enableHooks": true}, "hooksConfig": {"enabled": true},`, true, true},
	} {
		t.Run(name, func(t *testing.T) {
			s := llxprt.Settings{Layers: []settings.Layer{
				layer(hook.Project, tt.project+` "hooks": {"BeforeTool": [{"hooks": [{"type": "command", "name": "own", "command": "p"}]}]}}`),
				layer(hook.User, guards), layer(hook.SystemWide, hooks("", "s")),
			}}
			got := runnable(load(t, s, pipeline.Workspace{Dir: "/p", Undecided: true}).Hooks)
			if own, others := slices.Contains(got, "p"), slices.Contains(got, "u") && slices.Contains(got, "s"); own != tt.own || others != tt.others {
				t.Errorf("hooks %q run; want the own: %v, the others: %v", got, tt.own, tt.others)
			}
		})
	}
}

func TestAProjectThatWasNotDecidedOnDoesNotSwitchOnWhatTheUserSwitchedOff(t *testing.T) {
	s := llxprt.Settings{Layers: []settings.Layer{layer(hook.Project, hooks(on, "p")), layer(hook.User, `{"tools": {"enableHooks": false}, `+hooks("", "u")[1:])}}
	if got := runnable(load(t, s, pipeline.Workspace{Dir: "/p", Undecided: true}).Hooks); len(got) != 0 {
		t.Errorf("hooks %q run; want none, the user has switched them off", got)
	}
}

func TestAProjectThatWasNotDecidedOnTakesNoVariablesFromOthers(t *testing.T) {
	s := llxprt.Settings{
		Layers: []settings.Layer{
			layer(hook.Project, `{"security": {"environmentVariableRedaction": {"enabled": true, "blocked": ["PLAIN"]}}}`),
			layer(hook.User, hooks(on, `echo "$PLAIN"`)),
		},
		Environ: []string{"PATH=" + os.Getenv("PATH"), "PLAIN=c"},
	}
	for undecided, want := range map[bool]string{true: "c", false: ""} {
		ses := session(t, system(t, s), pipeline.SessionConfig{Dir: testkit.Dir(t), Undecided: undecided})
		fired, err := declared(t, "BeforeTool").FireJSON(t.Context(), ses, []byte(inputs["BeforeTool"]))
		if err != nil || strings.TrimSpace(*fired.Hooks[0].Stdout) != want {
			t.Errorf("undecided %v: the user's hook sees %q, %v; want %q", undecided, *fired.Hooks[0].Stdout, err, want)
		}
	}
}

// No project can replace a guard by its own copy with a shorter time limit.
func TestOfEqualHooksThatOfTheMoreTrustedLevelRuns(t *testing.T) {
	guard := func(name, timeout string) string {
		return `{"tools": {"enableHooks": true}, "hooks": {"BeforeTool": [{"hooks": [{"type": "command", "name": "` + name + `", "command": "exit 2", "timeout": ` + timeout + `}]}]}}`
	}
	for _, undecided := range []bool{false, true} {
		for name, layers := range map[string][]settings.Layer{
			"u": {layer(hook.Project, guard("p", "1")), layer(hook.User, guard("u", "5000"))},
			"s": {layer(hook.Project, guard("p", "1")), layer(hook.User, guard("u", "1")), layer(hook.SystemWide, guard("s", "5000"))},
		} {
			ses := session(t, system(t, llxprt.Settings{Layers: layers}), pipeline.SessionConfig{Dir: t.TempDir(), Undecided: undecided})
			res, err := llxprt.BeforeTool.Fire(t.Context(), ses, &llxprt.BeforeToolInput{Name: "ls"})
			if err != nil || len(res.Reports) != 1 || res.Reports[0].Hook.Name != name || !res.Blocked() {
				t.Errorf("undecided %v: got %+v, %v; want %s to run, and to block", undecided, res.Reports, err, name)
			}
		}
	}
	project := layer(hook.Project, guard("p", "1"))
	s := llxprt.Settings{Layers: []settings.Layer{project}, Extensions: []llxprt.Extension{{Dir: "/x", Data: []byte(guard("x", "5000"))}}}
	ses := session(t, system(t, s), pipeline.SessionConfig{Dir: t.TempDir(), Undecided: true})
	if res, err := llxprt.BeforeTool.Fire(t.Context(), ses, &llxprt.BeforeToolInput{Name: "ls"}); err != nil || len(res.Reports) != 1 || res.Reports[0].Hook.Name != "x" {
		t.Errorf("got %+v, %v; want the hook of the extension", res.Reports, err)
	}
}

func TestAProjectThatWasNotDecidedOnOrdersItsOwnHooksOnly(t *testing.T) {
	sequence := `{"tools": {"enableHooks": true}, "hooks": {"BeforeTool": [{"sequential": true, "hooks": [{"type": "command", "command": "exit 2"}, {"type": "command", "command": "exit 0"}]}]}}`
	for _, tt := range []struct {
		user      string
		undecided bool
		ran       int
	}{{"{}", true, 1}, {hooks("", "true"), true, 2}, {hooks("", "true"), false, 1}} {
		s := llxprt.Settings{Layers: []settings.Layer{layer(hook.Project, sequence), layer(hook.User, tt.user)}}
		ses := session(t, system(t, s), pipeline.SessionConfig{Dir: t.TempDir(), Undecided: tt.undecided})
		res, err := llxprt.BeforeTool.Fire(t.Context(), ses, &llxprt.BeforeToolInput{Name: "ls"})
		if err != nil || len(res.Reports) != tt.ran {
			t.Errorf("user %s, undecided %v: %d hooks ran, %v; want %d: a block ends a sequence", tt.user, tt.undecided, len(res.Reports), err, tt.ran)
		}
	}
}

func TestFilesAreFoundWhereTheSystemKeepsThem(t *testing.T) {
	dir, home := testkit.Dir(t), testkit.Dir(t)
	t.Setenv("HOME", home)
	t.Setenv("USERPROFILE", home)
	t.Setenv("LLXPRT_SYSTEM_SETTINGS_PATH", filepath.Join(home, "system.json"))
	for file, text := range map[string]string{
		filepath.Join(dir, ".llxprt", "settings.json"):  hooks("", "p"),
		filepath.Join(home, ".llxprt", "settings.json"): hooks("", "u"),
		filepath.Join(home, "system.json"):              hooks(on, "s"),
		filepath.Join(home, "ext", "hooks/hooks.json"):  hooks("", "x"),
	} {
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	s := llxprt.Settings{Extensions: []llxprt.Extension{{Dir: filepath.Join(home, "ext")}}}
	if got, want := runnable(load(t, s, pipeline.Workspace{Dir: dir}).Hooks), []string{"p", "u", "s", "x"}; !slices.Equal(got, want) {
		t.Errorf("hooks %q; want %q", got, want)
	}
	if got, want := runnable(load(t, s, pipeline.Workspace{Dir: home}).Hooks), []string{"u", "s", "x"}; !slices.Equal(got, want) {
		t.Errorf("in the home directory hooks %q; want %q, each file once", got, want)
	}
}

// prints fires BeforeTool and returns the output of its one hook.
func prints(t *testing.T, s llxprt.Settings, dir string) string {
	t.Helper()
	ses := session(t, system(t, s), pipeline.SessionConfig{Dir: dir})
	fired, err := declared(t, "BeforeTool").FireJSON(t.Context(), ses, []byte(inputs["BeforeTool"]))
	if err != nil || len(fired.Hooks) != 1 || fired.Hooks[0].Stdout == nil {
		t.Fatalf("got %+v, %v; want one hook that prints", fired, err)
	}
	return strings.TrimSpace(*fired.Hooks[0].Stdout)
}

func TestAnExtensionsDirectoryIsDataWhateverItsName(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("PowerShell, which runs the hooks of LLxprt Code on Windows, starts no scripts of bash")
	}
	root := testkit.Dir(t)
	dir := filepath.Join(root, "my ext $(touch pwned) 'x'")
	script := filepath.Join(dir, "bin", "hook.sh")
	if err := os.MkdirAll(filepath.Dir(script), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(script, []byte("#!/bin/bash\necho \"ran with $1\"\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	for _, command := range []string{
		`${extensionPath}/bin/hook.sh "$extensionPath"`,
		`"${extensionPath}/bin/hook.sh" "${extensionPath}"`,
		`"${extensionPath}"/bin/hook.sh ${extensionPath}`,
	} {
		t.Run(command, func(t *testing.T) {
			s := project(`{"tools": {"enableHooks": true}}`)
			s.Extensions = []llxprt.Extension{{Dir: dir, Data: []byte(hooks("", command))}}
			if got := prints(t, s, root); got != "ran with "+dir {
				t.Errorf("got %q; want %q", got, "ran with "+dir)
			}
			if _, err := os.Stat(filepath.Join(root, "pwned")); err == nil {
				t.Error("the name of the directory was executed")
			}
		})
	}
}

func TestTheProjectVariablesOverrideInheritedOnes(t *testing.T) {
	dir := testkit.Dir(t)
	s := project(hooks(on, `echo "$LLXPRT_PROJECT_DIR|$GEMINI_PROJECT_DIR|$CLAUDE_PROJECT_DIR|$OTHER"`))
	s.Environ = []string{"PATH=" + os.Getenv("PATH"), "LLXPRT_PROJECT_DIR=/wrong", "CLAUDE_PROJECT_DIR=/wrong", "OTHER=o"}
	if got, want := prints(t, s, dir), dir+"|"+dir+"|"+dir+"|o"; got != want {
		t.Errorf("got %q; want %q", got, want)
	}
	if want := "LLXPRT_PROJECT_DIR=/wrong"; s.Environ[1] != want {
		t.Errorf("the host's environment has become %q", s.Environ)
	}
}

func TestTheRedactionIsWhatAllLayersWish(t *testing.T) {
	wish := func(members string) string {
		return `{"security": {"environmentVariableRedaction": {` + members + `}}}`
	}
	s := llxprt.Settings{
		Layers: []settings.Layer{
			layer(hook.Project, wish(`"enabled": false, "allowed": ["MY_TOKEN"], "blocked": ["PLAIN"]`)),
			layer(hook.User, wish(`"enabled": true, "blocked": ["OTHER"]`)),
			layer(hook.SystemWide, hooks(on, `echo "$MY_TOKEN|$YOUR_TOKEN|$PLAIN|$OTHER|$REST"`)),
		},
		Environ: []string{"PATH=" + os.Getenv("PATH"), "MY_TOKEN=a", "YOUR_TOKEN=b", "PLAIN=c", "OTHER=d", "REST=e"},
	}
	if got, want := prints(t, s, testkit.Dir(t)), "||||e"; got != want {
		t.Errorf("got %q; want %q", got, want)
	}
	ses := session(t, system(t, s), pipeline.SessionConfig{Dir: testkit.Dir(t), Untrusted: true})
	fired, err := declared(t, "BeforeTool").FireJSON(t.Context(), ses, []byte(inputs["BeforeTool"]))
	if err != nil || strings.TrimSpace(*fired.Hooks[0].Stdout) != "||c||e" {
		t.Errorf("got %+v, %v; want a project that is not trusted to have no say", fired.Hooks, err)
	}
}

func TestASettingRunsEveryCommandThroughTheShell(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("every hook of LLxprt Code is PowerShell's on Windows")
	}
	const command = `"hooks": {"BeforeTool": [{"hooks": [{"type": "command", "command": "/bin/cat -n"}]}]}`
	for _, test := range []struct {
		name, settings string
		want           []string
	}{
		{"by default a plain call needs none", `{"tools": {"enableHooks": true}, ` + command + `}`, []string{"/bin/cat", "-n"}},
		{"alwaysShell", `{"tools": {"enableHooks": true}, "hooksConfig": {"alwaysShell": true}, ` + command + `}`, []string{"bash", "-c", "/bin/cat -n"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := llxprt.Settings{
				Layers:  []settings.Layer{{Name: "project", Source: hook.Project, File: "settings.json", Data: []byte(test.settings)}},
				Environ: []string{"PATH=/usr/bin:/bin"},
			}
			loaded, err := s.Load(t.Context(), pipeline.Workspace{Dir: t.TempDir()})
			if err != nil || len(loaded.Problems) > 0 || len(loaded.Hooks) != 1 {
				t.Fatal(loaded, err)
			}
			if got := loaded.Hooks[0].Argv; !slices.Equal(got, test.want) {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
}
