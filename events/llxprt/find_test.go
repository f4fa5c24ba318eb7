package llxprt_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/snaphook-go/snaphook/events/llxprt"
)

// A project's files never decide which of the user's settings count. Settings that cannot be read
// count as present: the loader reports the error.
func TestNoProjectSwitchesOffTheHooksOfItsUserByTheProfile(t *testing.T) {
	const hooks, none = `{"hooks":{}}`, `{}`
	for name, tt := range map[string]struct {
		files   map[string]string // "-" makes a directory of the file
		want    llxprt.Profile
		problem string
	}{
		"nothing":                          {nil, llxprt.LLxprt, ""},
		"the user has hooks of Gemini":     {map[string]string{"h/.gemini": hooks}, llxprt.Gemini, ""},
		"and the project has LLxprt's":     {map[string]string{"h/.gemini": hooks, "p/.llxprt": none}, llxprt.Gemini, ""},
		"with hooks":                       {map[string]string{"h/.gemini": hooks, "p/.llxprt": hooks}, llxprt.Gemini, "choose the profile llxprt"},
		"and Gemini's":                     {map[string]string{"h/.gemini": hooks, "p/.llxprt": hooks, "p/.gemini": hooks}, llxprt.Gemini, "choose the profile llxprt"},
		"the project has both":             {map[string]string{"p/.llxprt": none, "p/.gemini": hooks}, llxprt.LLxprt, "choose the profile gemini"},
		"the user's cannot be read":        {map[string]string{"h/.gemini": "-", "p/.llxprt": hooks}, llxprt.Gemini, "choose the profile llxprt"},
		"the user's alone cannot be read":  {map[string]string{"h/.gemini": "-"}, llxprt.Gemini, ""},
		"the user has no hooks of Gemini":  {map[string]string{"h/.gemini": none, "p/.llxprt": hooks}, llxprt.LLxprt, ""},
		"the user has both":                {map[string]string{"h/.gemini": hooks, "h/.llxprt": none}, llxprt.LLxprt, "choose the profile gemini"},
		"the user has LLxprt's":            {map[string]string{"h/.llxprt": hooks, "p/.gemini": hooks}, llxprt.LLxprt, "choose the profile gemini"},
		"which cannot be read":             {map[string]string{"h/.llxprt": "-", "p/.gemini": none}, llxprt.LLxprt, ""},
		"the project's cannot be read":     {map[string]string{"p/.llxprt": "-", "p/.gemini": none}, llxprt.LLxprt, ""},
		"the project's Gemini's cannot be": {map[string]string{"p/.gemini": "-"}, llxprt.Gemini, ""},
	} {
		t.Run(name, func(t *testing.T) {
			root := t.TempDir()
			t.Setenv("HOME", filepath.Join(root, "h"))
			t.Setenv("USERPROFILE", filepath.Join(root, "h"))
			for folder, text := range tt.files {
				file := filepath.Join(root, filepath.FromSlash(folder), "settings.json")
				dir := filepath.Dir(file)
				if text == "-" {
					dir = file
				}
				if err := os.MkdirAll(dir, 0o755); err != nil {
					t.Fatal(err)
				}
				if text == "-" {
					continue
				}
				if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			got, problems := llxprt.Find(filepath.Join(root, "p"))
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
