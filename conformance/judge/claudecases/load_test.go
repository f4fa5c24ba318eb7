package claudecases

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/snaphook-go/snaphook/conformance/judge/llxprtcases"
)

func repositorysCases(t *testing.T) []Case {
	t.Helper()
	t.Setenv("SNAPHOOK_CASES", "")
	dir, found := llxprtcases.Dir("claude")
	if !found {
		t.Fatalf("no cases in %s", dir)
	}
	cases, err := Load(dir)
	if err != nil {
		t.Fatal(err)
	}
	return cases
}

func TestTheRepositorysCasesLoad(t *testing.T) {
	cases := repositorysCases(t)
	variants := 0
	for _, c := range cases {
		for _, level := range append([]string{""}, c.levels()...) {
			p := c.Prepare(t, level)
			if text := show(p.Expect) + string(p.Input) + string(p.Settings); strings.Contains(text, "{{") {
				t.Errorf("%s: a placeholder is left in %s", c.Name, text)
			}
		}
		variants += len(c.levels())
		if base := strings.TrimSuffix(filepath.Base(c.File), ".json"); base[4:] != c.Name {
			t.Errorf("case %q has file %s", c.Name, c.File)
		}
	}
	if len(cases) < 200 || variants < 6 {
		t.Errorf("got %d cases and %d variants, want 200 and 6 or more", len(cases), variants)
	}
}

func TestCasesAreThoseOfTheVariable(t *testing.T) {
	dir := t.TempDir()
	writeTree(t, dir, map[string]string{"claude/cases/001-n.json": "{" + good + "}"})
	t.Setenv("SNAPHOOK_CASES", dir)
	if cases := Cases(t); len(cases) != 1 || cases[0].Name != "n" {
		t.Errorf("got %v, want the one case n", cases)
	}
	t.Setenv("SNAPHOOK_CASES", t.TempDir())
	t.Run("none", func(t *testing.T) {
		t.Cleanup(func() {
			if !t.Skipped() {
				t.Error("a directory without cases does not skip")
			}
		})
		Cases(t)
	})
}

// changed returns good with one text replaced.
func changed(old, replacement string) string {
	return "{" + strings.Replace(good, old, replacement, 1) + "}"
}

var faults = []struct {
	name, file string
	want       []string
}{
	{"no JSON", `{`, nil},
	{"two documents", "{" + good + "} {}", nil},
	{"another type", `[]`, nil},
	{"an unknown key", changed(`"tier"`, `"extra": 1, "tier"`), []string{"extra"}},
	{"a key in other case", changed(`"tier"`, `"Tier": 1, "tier"`), []string{"Tier"}},
	{"a key twice", changed(`"tier"`, `"name": "m", "tier"`), []string{"name"}},
	{"a value of the wrong type", changed(`"tier": 1`, `"tier": "1"`), []string{"tier"}},
	{"no name", changed(`"name": "n"`, `"name": ""`), []string{"name is missing"}},
	{"no group", changed(`"group": "g"`, `"group": ""`), []string{"group is missing"}},
	{"another tier", changed(`"tier": 1`, `"tier": 3`), []string{"tier is 3", "write 1"}},
	{"no basis", changed(`["spec"]`, `[]`), []string{"basis is missing"}},
	{"neither settings nor layers", changed(`"settings": {}, `, ``), []string{"settings and layers"}},
	{"both settings and layers", changed(`"event"`, `"layers": {}, "event"`), []string{"settings and layers"}},
	{"an unknown layer", changed(`"settings": {}`, `"layers": {"usr": {}}`), []string{"usr", "managed"}},
	{"an unknown key of the host", changed(`"event"`, `"host": {"tursted": true}, "event"`), []string{"tursted"}},
	{"an unknown key of a plugin", changed(`"event"`, `"plugins": [{"tilte": "p"}], "event"`), []string{"tilte"}},
	{"a plugin without hooks", changed(`"event"`, `"plugins": [{"name": "p", "root": "/r"}], "event"`), []string{"plugins: item 1", "hooks"}},
	{"an answer without a status", changed(`"event"`, `"http": {"/x": {"body": ""}}, "event"`), []string{"/x", "status is 0"}},
	{"an answer without a path", changed(`"event"`, `"http": {"x": {"status": 200}}, "event"`), []string{"slash"}},
	{"an unknown key of an answer", changed(`"event"`, `"http": {"/x": {"status": 200, "dealy_ms": 1}}, "event"`), []string{"dealy_ms"}},
	{"a reply that says nothing", changed(`"event"`, `"llm": [{"delay_ms": 1}], "event"`), []string{"llm: item 1"}},
	{"a reply that says two things", changed(`"event"`, `"llm": [{"reply": "a", "error": "b"}], "event"`), []string{"llm: item 1"}},
	{"no event", changed(`"event": "Stop", `, ``), []string{"event is missing"}},
	{"an input that is no object", changed(`"event"`, `"input": [1], "event"`), []string{"input is [1]"}},
	{"no expectation", changed(`, "expect": {"ran": []}`, ``), []string{"nothing is expected"}},
	{"an empty expectation", changed(`{"ran": []}`, `{}`), []string{"nothing is expected"}},
	{"an expectation that is null", changed(`{"ran": []}`, `null`), []string{"nothing is expected"}},
	{"an unknown action", changed(`"event"`, `"then": [{"action": "wait"}], "event"`), []string{"then: item 1", "wait", "refresh_snapshot"}},
	{"settings without the action", changed(`"event"`, `"then": [{"event": "e", "settings": {}, "expect": {"ran": []}}], "event"`), []string{"write_settings"}},
	{"the action without settings", changed(`"event"`, `"then": [{"action": "write_settings"}], "event"`), []string{"need each other"}},
	{"an action that fires", changed(`"event"`, `"then": [{"action": "refresh_snapshot", "expect": {"ran": []}}], "event"`), []string{"fires nothing"}},
	{"a step without an expectation", changed(`"event"`, `"then": [{"event": "e"}], "event"`), []string{"then: item 1", "nothing is expected"}},
	{"an unknown expectation of a step", changed(`"event"`, `"then": [{"event": "e", "expect": {"rna": []}}], "event"`), []string{"rna", "write one of"}},
	{"an unknown key of a variant", changed(`"event"`, `"variants": {"new": {"expct": {}}}, "event"`), []string{"variants: new", "expct"}},
	{"an unknown expectation of a variant", changed(`"event"`, `"variants": {"new": {"expect": {"rna": []}}}, "event"`), []string{"variants: new", "rna"}},
	{"a variant that changes nothing", changed(`"event"`, `"variants": {"new": {}}, "event"`), []string{"changes nothing"}},
}

func TestLoadNamesWhatIsWrong(t *testing.T) {
	for _, tt := range faults {
		t.Run(tt.name, func(t *testing.T) {
			dir := t.TempDir()
			writeTree(t, dir, map[string]string{"cases/001-x.json": tt.file})
			cases, err := Load(dir)
			if err == nil || cases != nil {
				t.Fatalf("got %d cases and error %v, want an error and no cases", len(cases), err)
			}
			wantContains(t, err.Error(), append(tt.want, "001-x.json")...)
		})
	}
}

// senseless maps expectations that nothing can check, or that would pass without a check, to a part of their error.
var senseless = map[string]string{
	`{"blocked": null}`:                                "leave the key out",
	`{"blocked": "true"}`:                              "blocked",
	`{"continue": 1}`:                                  "continue",
	`{"errors": "1"}`:                                  "errors",
	`{"ran": "a"}`:                                     "ran",
	`{"ran": [null]}`:                                  "write a string",
	`{"ran": null}`:                                    "leave the key out",
	`{"model_sees": [""]}`:                             "empty text",
	`{"model_not_sees": []}`:                           "nothing is expected",
	`{"user_not_sees": [""]}`:                          "empty text",
	`{"outcomes": {"a": "fine"}}`:                      "write one of",
	`{"file_text": {"o": null}}`:                       "write a string",
	`{"http_requests": [{"patch": "/x"}]}`:             "patch",
	`{"http_requests": [{"header": {"X-A": "1"}}]}`:    "lower case",
	`{"llm_requests": [{"kind": "poem"}]}`:             "poem",
	`{"llm_requests": [{"prompt_contains": [""]}]}`:    "empty text",
	`{"user_prompts": [{"mesage": "m"}]}`:              "mesage",
	`{"async": {}}`:                                    "nothing is expected",
	`{"async": {"blocked": true}}`:                     "blocked",
	`{"async": {"next_turn_context": null}}`:           "leave the key out",
	`{"permissiondecision": null}`:                     "permissionDecision",
	`{"additionalContext_max_len": [1]}`:               "max_len",
	`{"env_exports": {"A": 1}}`:                        "env_exports",
	`{"json_file": []}`:                                "json_file",
	`{"files_exist": {"a": true}}`:                     "files_exist",
	`{"duration_lt_ms": "soon"}`:                       "duration_lt_ms",
	`{"spilled": "yes"}`:                               "spilled",
	`{"user_sees": "a"}`:                               "user_sees",
	`{"systemMessages": {}}`:                           "systemMessages",
	`{"http_requests": [{"json_subset": {}, "a": 1}]}`: `"a"`,
}

func TestAnExpectationThatMakesNoSenseIsAnError(t *testing.T) {
	for text, want := range senseless {
		if e, err := readExpect([]byte(text), observables); err == nil {
			t.Errorf("%s is accepted as %v", text, e)
		} else {
			wantContains(t, err.Error(), want)
		}
	}
}

func TestLoadReadsFilesInOrderAndNamesEveryFault(t *testing.T) {
	dir := t.TempDir()
	if _, err := Load(dir); err == nil {
		t.Error("a directory without cases loads")
	}
	writeTree(t, dir, map[string]string{
		"cases/2.json": changed(`"n"`, `"two"`), "cases/1.json": changed(`"n"`, `"one"`), "cases/notes.txt": "no case",
	})
	cases, err := Load(dir)
	if err != nil || len(cases) != 2 || cases[0].Name != "one" || cases[1].File != filepath.Join(dir, "cases", "2.json") {
		t.Errorf("got %v, error %v; want the cases one and two", cases, err)
	}
	writeTree(t, dir, map[string]string{"cases/1.json": `{`, "cases/3.json": changed(`"n"`, `"two"`), "cases/4.json": changed(`"n"`, `""`)})
	if _, err = Load(dir); err == nil {
		t.Fatal("broken files load")
	}
	wantContains(t, err.Error(), "1.json", "3.json: 2.json has a case of the name", "4.json")
}

func TestDefaults(t *testing.T) {
	c := mustParse(t, ``)
	if !c.Host.Trusted || c.Host.Interactive || c.UserSelects != nil || c.Rules != nil {
		t.Errorf("got %+v, want the defaults of FORMAT.md", c)
	}
	c = mustParse(t, `"host": {"interactive": true}, "user_selects": []`)
	if !c.Host.Trusted || !c.Host.Interactive || c.UserSelects == nil {
		t.Errorf("got %+v, want what the case says over the defaults", c)
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte("{" + good + "}"))
	f.Add([]byte(changed(`"event"`, `"variants": {"new": {"expect": {"ran": ["{{DIR}}"]}}}, "event"`)))
	f.Fuzz(func(t *testing.T, text []byte) {
		c, err := parse(text)
		if err != nil {
			return
		}
		if c.Name == "" || len(c.Expect) == 0 {
			t.Errorf("a case without name or expectation is accepted: %q", text)
		}
		for _, level := range append([]string{""}, c.levels()...) {
			_, _ = c.expanded(level, "{{DIR}}", "/p \"q\"") // an error is allowed, a panic is not
		}
	})
}
