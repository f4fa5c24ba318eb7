package llxprt_test

import (
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/snaphook-go/snaphook/events/llxprt"
	"github.com/snaphook-go/snaphook/internal/testkit"
	"github.com/snaphook-go/snaphook/pipeline"
	"github.com/snaphook-go/snaphook/policy"
	"github.com/snaphook-go/snaphook/wire"
)

// A project's files never decide which settings of the user are used. Settings that cannot be read
// are treated as existing: the loader reports the error.
func TestNoProjectSwitchesOffTheHooksOfItsUserByTheProfile(t *testing.T) {
	const hooks, none = `{"tools":{"enableHooks":true},"hooks":{"BeforeTool":[{"hooks":[{"type":"command","command":"exit 2"}]}]}}`, `{}`
	const other = `{"tools":{"enableHooks":true},"hooks":{"BeforeTool":[{"hooks":[{"type":"command","command":"exit 0"}]}]}}`
	for name, tt := range map[string]struct {
		files   map[string]string // "-" makes the file a directory
		want    llxprt.Profile
		problem string
	}{
		"nothing":                          {nil, llxprt.LLxprt, ""},
		"the user has hooks of Gemini":     {map[string]string{"h/.gemini": hooks}, llxprt.Gemini, ""},
		"and the project has LLxprt's":     {map[string]string{"h/.gemini": hooks, "p/.llxprt": none}, llxprt.Gemini, ""},
		"with hooks":                       {map[string]string{"h/.gemini": hooks, "p/.llxprt": other}, llxprt.Gemini, "choose the profile llxprt"},
		"and Gemini's":                     {map[string]string{"h/.gemini": hooks, "p/.llxprt": other, "p/.gemini": hooks}, llxprt.Gemini, "choose the profile llxprt"},
		"the project has both":             {map[string]string{"p/.llxprt": none, "p/.gemini": hooks}, llxprt.LLxprt, "choose the profile gemini"},
		"the user's cannot be read":        {map[string]string{"h/.gemini": "-", "p/.llxprt": hooks}, llxprt.Gemini, "choose the profile llxprt"},
		"the user's alone cannot be read":  {map[string]string{"h/.gemini": "-"}, llxprt.Gemini, ""},
		"the user has no hooks of Gemini":  {map[string]string{"h/.gemini": none, "p/.llxprt": hooks}, llxprt.LLxprt, ""},
		"the user has both":                {map[string]string{"h/.gemini": hooks, "h/.llxprt": none}, llxprt.LLxprt, "choose the profile gemini"},
		"the user has LLxprt's":            {map[string]string{"h/.llxprt": hooks, "p/.gemini": other}, llxprt.LLxprt, "choose the profile gemini"},
		"which cannot be read":             {map[string]string{"h/.llxprt": "-", "p/.gemini": none}, llxprt.LLxprt, ""},
		"the project's cannot be read":     {map[string]string{"p/.llxprt": "-", "p/.gemini": none}, llxprt.LLxprt, ""},
		"the project's Gemini's cannot be": {map[string]string{"p/.gemini": "-"}, llxprt.Gemini, ""},
	} {
		t.Run(name, func(t *testing.T) {
			got, problems := llxprt.Find(withHome(t, tt.files))
			said := ""
			for _, p := range problems {
				said += p.String()
			}
			if got != tt.want || !strings.Contains(said, tt.problem) || (said == "") != (tt.problem == "") {
				t.Errorf("got the profile %s and the problems %q; want %s and %q", got, said, tt.want, tt.problem)
			}
		})
	}
}

// withHome writes settings files of a project, p, and of its user, h, and returns the project's
// directory. The text "-" creates a directory in place of the file, which then cannot be read.
func withHome(t *testing.T, files map[string]string) (dir string) {
	t.Helper()
	root := testkit.Dir(t)
	for name, value := range map[string]string{
		"HOME": "h", "USERPROFILE": "h", "LLXPRT_SYSTEM_SETTINGS_PATH": "none", "GEMINI_CLI_SYSTEM_SETTINGS_PATH": "none",
		"GEMINI_CLI_SYSTEM_DEFAULTS_PATH": "none",
	} {
		t.Setenv(name, filepath.Join(root, value))
	}
	dir = filepath.Join(root, "p")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	for folder, text := range files {
		file := filepath.Join(root, filepath.FromSlash(folder), "settings.json")
		if text != "-" {
			testkit.WriteFile(t, file, text, 0o600)
		} else if err := os.MkdirAll(file, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// A guard of the profile that is not in use is reported as a problem; it denies if a policy makes failures deny. A hook
// that is switched off, or that has an equal in the profile in use, is not reported and does not deny.
func TestAGuardOfTheOtherProfileIsToldAndDeniesWhereFailuresAreClosed(t *testing.T) {
	settings := func(members, entry string) string {
		return `{` + members + `"hooks":{"BeforeTool":[{"matcher":"^ls$","hooks":[` + entry + `]}]}}`
	}
	const on, none = `"tools":{"enableHooks":true},`, `{}`
	const guard, slow, brief = `{"type":"command","command":"exit 0"}`, `{"type":"command","command":"exit 0","timeout":90000}`,
		`{"type":"command","command":"exit 0","timeout":10}`
	for name, tt := range map[string]struct {
		files map[string]string
		told  string // text in the problems; empty: there are no problems
		says  string // text in the denial's error if a policy makes failures deny; empty: no denial
	}{
		"Gemini's beside LLxprt's in the project": {
			map[string]string{"p/.gemini": settings("", guard), "p/.llxprt": none}, "choose the profile gemini", "there are settings of LLxprt Code",
		},
		"which has hooks of its own": {
			map[string]string{"p/.gemini": settings("", guard), "p/.llxprt": settings(on, `{"type":"command","command":"true"}`)},
			"choose the profile gemini", "there are settings of LLxprt Code",
		},
		"the user's beside the project's":         {map[string]string{"h/.gemini": settings("", guard), "h/.llxprt": none}, "choose the profile gemini", "do not run"},
		"LLxprt's beside the user's Gemini's":     {map[string]string{"h/.gemini": settings("", slow), "p/.llxprt": settings(on, guard)}, "choose the profile llxprt", "the user's or the system's settings"},
		"an entry that cannot be used":            {map[string]string{"p/.gemini": settings("", `{"command":"exit 0"}`), "p/.llxprt": none}, "choose the profile gemini", `no "type"`},
		"a file that cannot be parsed":            {map[string]string{"p/.gemini": `{"hooks":`, "p/.llxprt": none}, "hooks in this file do not run", "hooks in this file do not run"},
		"a file that cannot be read":              {map[string]string{"h/.gemini": "-", "h/.llxprt": none}, "hooks in this file do not run", "hooks in this file do not run"},
		"an empty file":                           {map[string]string{"p/.gemini": "", "p/.llxprt": none}, "the file is empty", "the file is empty"},
		"a copy with less time":                   {map[string]string{"h/.gemini": settings("", slow), "h/.llxprt": settings(on, brief)}, "choose the profile gemini", "do not run"},
		"a copy under another matcher":            {map[string]string{"h/.gemini": settings("", guard), "h/.llxprt": `{"tools":{"enableHooks":true},"hooks":{"BeforeTool":[{"matcher":"rm","hooks":[` + guard + `]}]}}`}, "choose the profile gemini", "do not run"},
		"a copy that is off":                      {map[string]string{"h/.gemini": settings("", guard), "h/.llxprt": settings("", guard)}, "choose the profile gemini", "do not run"},
		"a copy of the project":                   {map[string]string{"h/.gemini": settings("", guard), "h/.llxprt": none, "p/.llxprt": settings(on, guard)}, "choose the profile gemini", "do not run"},
		"a copy without the variables":            {map[string]string{"h/.gemini": settings("", `{"type":"command","command":"exit 0","env":{"A":"b"}}`), "h/.llxprt": settings(on, guard)}, "choose the profile gemini", "do not run"},
		"the user has both, with the same guards": {map[string]string{"h/.gemini": settings("", guard), "h/.llxprt": settings(on, guard)}, "", ""},
		"with more time":                          {map[string]string{"h/.gemini": settings("", brief), "h/.llxprt": settings(on, slow)}, "", ""},
		"the user has both, without hooks":        {map[string]string{"h/.gemini": `{"ui":{"theme":"x"}}`, "h/.llxprt": `{"ui":{"theme":"x"}}`}, "", ""},
		"with no hooks below hooks":               {map[string]string{"h/.gemini": `{"hooks":{}}`, "h/.llxprt": none}, "", ""},
		"with an event that has none":             {map[string]string{"h/.gemini": `{"hooks":{"BeforeTool":[]}}`, "h/.llxprt": none}, "", ""},
		"the guard is off there":                  {map[string]string{"h/.gemini": settings(`"hooksConfig":{"enabled":false},`, guard), "h/.llxprt": none}, "", ""},
		"it is off there by its command":          {map[string]string{"h/.gemini": settings(`"hooksConfig":{"disabled":["exit 0"]},`, guard), "h/.llxprt": none}, "", ""},
		"LLxprt's hooks are not on":               {map[string]string{"h/.gemini": settings("", guard), "p/.llxprt": settings("", guard)}, "", ""},
		"the project has both, without hooks":     {map[string]string{"p/.gemini": none, "p/.llxprt": none}, "", ""},
	} {
		for _, overlay := range []string{
			``, `{"defaults": {"gates": {"onFailure": "closed"}}}`, `{"hooks": [{"match": {"event": "BeforeTool"}, "onFailure": "closed"}]}`,
			`{"hooks": [{"onFailure": {"invalid": "closed"}}]}`,
		} {
			t.Run(name+"/"+overlay, func(t *testing.T) {
				dir := withHome(t, tt.files)
				cfg := pipeline.Config{Log: slog.New(slog.DiscardHandler), Load: []pipeline.Load{llxprt.Settings{}.Load}}
				if overlay != "" {
					o, problems := policy.Parse(policy.User, ".snaphook.json", []byte(overlay))
					if len(problems) > 0 {
						t.Fatal(problems)
					}
					cfg.Policy = policy.Source{Overlays: []policy.Overlay{*o}}
				}
				sys := pipeline.NewSystem(cfg)
				t.Cleanup(func() { _ = sys.Close() })
				s, err := sys.NewSession(t.Context(), pipeline.SessionConfig{Dir: dir})
				if err != nil {
					t.Fatal(err)
				}
				said := ""
				for _, p := range s.Problems() {
					said += p.String() + "\n"
				}
				if !strings.Contains(said, tt.told) || (said == "") != (tt.told == "") {
					t.Errorf("the problems are %q; want %q", said, tt.told)
				}
				call := llxprt.BeforeToolInput{Name: "ls", Input: wire.Object(`{}`)}
				res, err := llxprt.BeforeTool.Fire(t.Context(), s, &call)
				if err != nil {
					t.Fatal(err)
				}
				why := ""
				for _, r := range res.Reports {
					if r.Err != nil {
						why += r.Err.Error()
					}
				}
				denied := tt.says != "" && overlay != ""
				if v := llxprt.ApplyBeforeTool(&call, res); v.Run == denied || denied && !strings.Contains(why, tt.says) {
					t.Errorf("runs: %v, with the error %q; want it denied: %v, %q", v.Run, why, denied, tt.says)
				}
			})
		}
	}
}
