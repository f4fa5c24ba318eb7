package claude_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/samber/lo"

	"github.com/snaphook-go/snaphook/events/claude"
	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/internal/testkit"
	"github.com/snaphook-go/snaphook/pipeline"
	"github.com/snaphook-go/snaphook/settings"
)

// everyone returns a world in which each source has a Stop hook whose command is the source's name. members maps a
// source to the text that precedes the hooks in its settings.
func everyone(members map[hook.Source]string) world {
	w := project("")
	w.Layers, w.replies = nil, map[string]scripted{}
	with := func(name string) string {
		w.replies[name] = scripted{}
		return `"hooks":{"Stop":[{"hooks":[{"type":"command","command":"` + name + `"}]}]}}`
	}
	for _, source := range []hook.Source{hook.Managed, hook.Flag, hook.Local, hook.Project, hook.User} {
		w.Layers = append(w.Layers, layer(source, `{`+members[source]+with(source.String())))
	}
	w.Plugins = []claude.Plugin{
		{Name: "forced", Marketplace: "corp", Root: "/", Data: []byte("{" + with("forced"))},
		{Name: "own", Marketplace: "corp", Root: "/", Data: []byte("{" + with("own"))},
	}
	return w
}

// present registers a skill and two Go hooks, fires Stop, and returns the names of the hooks that
// ran, except the Go hook of the program.
func (w world) present(t *testing.T) (ran []string) {
	t.Helper()
	s := w.open(t)
	skill := claude.FrontMatter{Name: "skill", File: "/skill.md", Root: "/skill", Hooks: []byte(`{"Stop":[{"hooks":[{"type":"command","command":"true"}]}]}`)}
	if _, problems, err := skill.Register(s); err != nil || len(problems) > 0 {
		t.Fatal(err, problems)
	}
	silent := func(context.Context, claude.StopInput) (o hook.Output[claude.BasicOutput], err error) { return o, nil }
	claude.Stop.On(s, "go", silent)
	claude.Stop.On(s, "callback", silent, pipeline.UserProvided())
	for _, h := range fire(t, s, "Stop", "").Hooks {
		ran = append(ran, lo.CoalesceOrEmpty(lo.FromPtr(h.Name), lo.FromPtr(h.Command)))
	}
	if !slices.Contains(ran, "go") {
		t.Error("the program's own hook does not run")
	}
	return slices.DeleteFunc(ran, func(name string) bool { return name == "go" })
}

func TestPoliciesSayWhichHooksRun(t *testing.T) {
	all := []string{"user", "project", "local", "flag", "managed", "forced", "own", "true", "callback"}
	managed := []string{"managed", "forced"}
	const force = `"enabledPlugins":{"forced@corp":true,"own@corp":false,"forced":true,"x":1},`
	type policies = map[hook.Source]string
	for _, tt := range []struct {
		name     string
		policies policies
		want     []string
	}{
		{"none", nil, all},
		{"managed settings switch all off", policies{hook.Managed: force + `"disableAllHooks":true,`}, nil},
		{"also against others", policies{hook.Managed: `"disableAllHooks":true,`, hook.Flag: `"disableAllHooks":false,`}, nil},
		{"managed hooks alone", policies{hook.Managed: force + `"allowManagedHooksOnly":true,`}, []string{"managed", "forced"}},
		{"no plugin is forced", policies{hook.Managed: `"allowManagedHooksOnly":true,`}, []string{"managed"}},
		{"managed hooks alone, says somebody else", policies{hook.User: `"allowManagedHooksOnly":true,`, hook.Flag: `"allowManagedHooksOnly":true,`}, all},
		{"plugins alone", policies{hook.Managed: `"strictPluginOnlyCustomization":true,`}, []string{"flag", "managed", "forced", "own", "callback"}},
		{"plugins alone for hooks", policies{hook.Managed: `"strictPluginOnlyCustomization":["skills","hooks","x"],`}, []string{"flag", "managed", "forced", "own", "callback"}},
		{"plugins alone for something else", policies{hook.Managed: `"strictPluginOnlyCustomization":["skills"],`}, all},
		{"plugins alone, says somebody else", policies{hook.Local: `"strictPluginOnlyCustomization":true,`}, all},
		{"the user switches off", policies{hook.User: `"disableAllHooks":true,`, hook.Managed: force}, managed},
		{"the project against the user", policies{hook.User: `"disableAllHooks":true,`, hook.Project: `"disableAllHooks":false,`}, all},
		{"the project", policies{hook.Project: `"disableAllHooks":true,`, hook.User: `"disableAllHooks":false,`, hook.Managed: force}, managed},
		{"the flag against the local file", policies{hook.Flag: `"disableAllHooks":true,`, hook.Local: `"disableAllHooks":false,`, hook.Managed: force}, managed},
		{"managed settings against the user", policies{hook.User: `"disableAllHooks":true,`, hook.Managed: `"disableAllHooks":false,`}, all},
		{"a plugin that the user forces", policies{hook.User: force + `"disableAllHooks":true,`}, []string{"managed"}},
		{"all of them", policies{hook.Managed: force + `"allowManagedHooksOnly":true,"strictPluginOnlyCustomization":true,`, hook.User: `"disableAllHooks":true,`}, managed},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := everyone(tt.policies).present(t); !slices.Equal(got, tt.want) {
				t.Errorf("ran %q; want %q", got, tt.want)
			}
		})
	}
}

func TestALaterManagedFileOverrulesAnEarlierOne(t *testing.T) {
	w := everyone(map[hook.Source]string{hook.Managed: `"disableAllHooks":true,"allowManagedHooksOnly":true,"strictPluginOnlyCustomization":true,"enabledPlugins":{"forced@corp":true},`, hook.User: `"disableAllHooks":true,`})
	w.Layers = append(w.Layers, layer(hook.Managed, `{"disableAllHooks":false,"allowManagedHooksOnly":false,"strictPluginOnlyCustomization":false,"enabledPlugins":{"forced@corp":false}}`))
	if got := w.present(t); len(got) != 9 {
		t.Errorf("ran %q; want all", got)
	}
}

func TestStartModes(t *testing.T) {
	for _, tt := range []struct {
		name string
		set  func(*world)
		want []string
	}{
		{"safe", func(w *world) { w.Safe = true }, []string{"managed"}},
		{"safe, by the variable", func(w *world) { w.Environ = append(w.Environ, "CLAUDE_CODE_SAFE_MODE=1") }, []string{"managed"}},
		{"not safe", func(w *world) { w.Environ = append(w.Environ, "CLAUDE_CODE_SAFE_MODE=0", "CLAUDE_CODE_SIMPLE=false") }, []string{"user", "project", "local", "flag", "managed", "forced", "own", "true", "callback"}},
		{"bare", func(w *world) { w.Bare = true }, []string{"true", "callback"}},
		{"bare, by the variable", func(w *world) { w.Environ = append(w.Environ, "CLAUDE_CODE_SIMPLE=true") }, []string{"true", "callback"}},
		{"an untrusted folder with a user", func(w *world) { w.host.Untrusted, w.host.Interactive = true, true }, nil},
		{"an untrusted folder without one", func(w *world) { w.host.Untrusted = true }, []string{"user", "project", "local", "flag", "managed", "forced", "own", "true", "callback"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			w := everyone(nil)
			tt.set(&w)
			if got := w.present(t); !slices.Equal(got, tt.want) {
				t.Errorf("ran %q; want %q", got, tt.want)
			}
		})
	}
}

// Until the user has decided about a project, the settings of the project switch off only the hooks
// of the project, also when there is no user to ask.
func TestAProjectThatWasNotDecidedOnSwitchesOffItsOwnHooksOnly(t *testing.T) {
	for name, set := range map[string]func(*world){
		"undecided":              func(w *world) { w.host.Undecided = true },
		"untrusted and headless": func(w *world) { w.host.Untrusted = true },
	} {
		for _, level := range []hook.Source{hook.Project, hook.Local} {
			w := everyone(map[hook.Source]string{level: `"disableAllHooks":true,`})
			set(&w)
			if got, want := w.present(t), []string{"user", "flag", "managed", "forced", "own", "true", "callback"}; !slices.Equal(got, want) {
				t.Errorf("%s, %s: ran %q; want %q", name, level, got, want)
			}
		}
	}
	w := everyone(map[hook.Source]string{hook.User: `"disableAllHooks":true,`, hook.Project: `"disableAllHooks":false,`})
	w.host.Undecided = true
	if got, want := w.present(t), []string{"managed"}; !slices.Equal(got, want) {
		t.Errorf("ran %q; want %q: the user has switched hooks off", got, want)
	}
}

func TestAProjectThatWasNotDecidedOnHasNoSayInRequestsOfOthers(t *testing.T) {
	request := `"hooks":{"Stop":[{"hooks":[{"type":"http","url":"https://hooks.example.com/a"}]}]}}`
	for _, tt := range []struct {
		user, project string
		own           bool // the hook is the project's
		runs          bool
	}{
		{"", `"allowedHttpHookUrls":[],`, false, true},
		{"", `"allowedHttpHookUrls":[],`, true, false},
		{`"allowedHttpHookUrls":[],`, `"allowedHttpHookUrls":["https://hooks.example.com/*"],`, true, false},
		{`"allowedHttpHookUrls":["https://hooks.example.com/*"],`, "", true, true},
	} {
		user, project := "{"+strings.TrimSuffix(tt.user, ",")+"}", "{"+strings.TrimSuffix(tt.project, ",")+"}"
		if tt.own {
			project = "{" + tt.project + request
		} else {
			user = "{" + tt.user + request
		}
		s := claude.Settings{Layers: []settings.Layer{layer(hook.User, user), layer(hook.Project, project)}, Environ: []string{"HOME=/h"}}
		loaded, err := s.Load(t.Context(), pipeline.Workspace{Dir: "/p", Undecided: true})
		if err != nil || len(loaded.Hooks) != 1 || (loaded.Hooks[0].Skip == "") != tt.runs {
			t.Errorf("user %s, project %s: got %+v, %v; want it to run: %v", user, project, loaded.Hooks, err, tt.runs)
		}
	}
}

func TestRequestsKeepToTheListsOfAllLayers(t *testing.T) {
	request := `"hooks":{"Stop":[{"hooks":[{"type":"http","url":"https://Hooks.example.com/a","headers":{"A":"$X$Y"},"allowedEnvVars":["X","Y"]}]}]}}`
	for _, tt := range []struct {
		user, managed string
		runs          bool
	}{
		{"", "", true},
		{`"allowedHttpHookUrls":[],`, "", false},
		{`"allowedHttpHookUrls":null,`, "", true},
		{`"allowedHttpHookUrls":["https://hooks.example.com/*"],`, "", true},
		{`"allowedHttpHookUrls":["https://other/*"],`, "", false},
		{`"allowedHttpHookUrls":["https://other/*"],`, `"allowedHttpHookUrls":["https://hooks.example.com*"],`, true},
		{`"allowedHttpHookUrls":"https://hooks.example.com/*",`, "", false}, // an invalid list allows nothing
		{`"allowedHttpHookUrls":[5],`, "", false},
	} {
		for _, source := range []hook.Source{hook.User, hook.Managed} { // the lists limit managed hooks too
			s := claude.Settings{Layers: []settings.Layer{layer(hook.Local, `{`+tt.user+`"x":1}`), layer(hook.Flag, `{`+tt.managed+`"x":1}`), layer(source, `{`+request)}}
			if h := read(t, s).Hooks[0]; (h.Skip == "") != tt.runs || !tt.runs && h.Skip != hook.Policy {
				t.Errorf("%s %s %v: skipped for %q; want it to run: %v", tt.user, tt.managed, source, h.Skip, tt.runs)
			}
		}
	}
}

// Hooks run in a fixed order of their sources (rules C1, C2).
func TestTheOrderOfHooks(t *testing.T) {
	got := everyone(nil).present(t)
	if want := []string{"user", "project", "local", "flag", "managed", "forced", "own", "true", "callback"}; !slices.Equal(got, want) {
		t.Errorf("the order is %q; want %q", got, want)
	}
}

func TestTheSameHookRunsOnceUnlessItIsAPlugins(t *testing.T) {
	const c = `{"type":"command","command":"c"}`
	for _, tt := range []struct {
		name, user, project string
		plugins             []string
		want                int
	}{
		{"a command", c, c, nil, 1},
		{"twice in one file", c + "," + c, `{"type":"command","command":"d"}`, nil, 2},
		{"another type", c, `{"type":"prompt","prompt":"c"}`, nil, 2},
		{"another shell", c, `{"type":"command","command":"c","shell":"bash"}`, nil, 2},
		{"other arguments", c, `{"type":"command","command":"c","args":[]}`, nil, 2},
		{"another condition", c, `{"type":"command","command":"c","if":"Bash"}`, nil, 2},
		{"a condition that does not hold", `{"type":"command","command":"c","if":"Edit"}`, c, nil, 1},
		{"another time", c, `{"type":"command","command":"c","timeout":3}`, nil, 1},
		{"a URL", `{"type":"http","url":"http://127.0.0.1:1/"}`, `{"type":"http","url":"http://127.0.0.1:1/"}`, nil, 1},
		{"other headers", `{"type":"http","url":"http://127.0.0.1:1/"}`, `{"type":"http","url":"http://127.0.0.1:1/","headers":{"a":"b"}}`, nil, 2},
		{"a prompt", `{"type":"prompt","prompt":"c"}`, `{"type":"prompt","prompt":"c"}`, nil, 1},
		{"a prompt and an agent", `{"type":"prompt","prompt":"c"}`, `{"type":"agent","prompt":"c"}`, nil, 2},
		{"a tool", `{"type":"mcp_tool","server":"c","tool":"d"}`, `{"type":"mcp_tool","server":"c","tool":"d","input":{"a":1}}`, nil, 2},
		{"a plugin's copy", c, c, []string{c}, 2},
		{"two plugins", c, c, []string{c, c}, 3},
		{"twice in a plugin", c, c, []string{c + "," + c}, 2},
	} {
		t.Run(tt.name, func(t *testing.T) {
			list := func(entries string) string { return `{"hooks":{"PreToolUse":[{"hooks":[` + entries + `]}]}}` }
			w := project("")
			w.replies = map[string]scripted{"c": {}, "d": {}}
			w.Layers = []settings.Layer{layer(hook.User, list(tt.user)), layer(hook.Project, list(tt.project))}
			for i, p := range tt.plugins {
				w.Plugins = append(w.Plugins, claude.Plugin{Root: []string{"/usr", "/bin"}[i], Data: []byte(list(p))})
			}
			if got := len(fire(t, w.open(t), "PreToolUse", "").Hooks); got != tt.want {
				t.Errorf("%d hooks ran; want %d", got, tt.want)
			}
		})
	}
}

func TestHooksInGoAreNoDuplicates(t *testing.T) {
	s := project(`{}`).open(t)
	answers(claude.Stop, s, hook.Output[claude.BasicOutput]{}, hook.Output[claude.BasicOutput]{})
	if res := mustFire(t, claude.Stop, s, claude.StopInput{}); len(res.Reports) != 2 {
		t.Errorf("%d hooks ran; want both", len(res.Reports))
	}
}

func TestSettingsAreReadOnceAndAgainByReload(t *testing.T) {
	w := project(hooks("Stop", "a"))
	w.replies = map[string]scripted{"a": {}, "b": {}}
	w.host.Dir = testkit.Dir(t)
	sys := w.system(t)
	s, err := sys.NewSession(t.Context(), pipeline.SessionConfig{Dir: w.host.Dir})
	if err != nil {
		t.Fatal(err)
	}
	w.Layers[0].Data = []byte(hooks("Stop", "b"))
	wantEffects(t, fire(t, s, "Stop", ""), `{"outcomes":{"a":"success"}}`)
	if err := sys.Reload(t.Context()); err != nil {
		t.Fatal(err)
	}
	wantEffects(t, fire(t, s, "Stop", ""), `{"outcomes":{"b":"success"}}`)
}

func TestLoadLeavesTheCallersLayersAlone(t *testing.T) {
	layers := []settings.Layer{layer(hook.Managed, `{}`), layer(hook.User, `{}`)}
	read(t, claude.Settings{Layers: layers})
	if layers[0].Source != hook.Managed {
		t.Error("the layers have been put in another order")
	}
}
