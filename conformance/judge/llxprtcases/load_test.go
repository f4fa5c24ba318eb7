package llxprtcases

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestTheRepositorysCasesLoad(t *testing.T) {
	t.Setenv("SNAPHOOK_CASES", "")
	dir, found := Dir("llxprt")
	if !found {
		t.Fatalf("no cases in %s", dir)
	}
	cases, err := Load(dir)
	if err != nil {
		t.Fatal(err)
	}
	if len(cases) < 300 {
		t.Errorf("got %d cases, want 300 or more", len(cases))
	}
	for _, c := range cases {
		if filepath.Base(c.File) != c.Theme+".json" {
			t.Errorf("case %q has file %s and theme %s", c.Name, c.File, c.Theme)
		}
		c.Prepare(t)
	}
}

func TestTheVariableLeadsToCases(t *testing.T) {
	for _, dialect := range []string{"llxprt", "claude", "xcsh"} {
		if _, found := Dir(dialect); found {
			return
		}
	}
	t.Errorf("SNAPHOOK_CASES=%s holds no cases of any dialect", os.Getenv("SNAPHOOK_CASES"))
}

func TestDir(t *testing.T) {
	elsewhere := t.TempDir()
	if err := os.MkdirAll(filepath.Join(elsewhere, "llxprt", "cases"), 0o755); err != nil {
		t.Fatal(err)
	}
	here, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	here = filepath.Join(here, "..", "..")
	tests := []struct {
		name, variable, dialect, dir string
		found                        bool
	}{
		{"without the variable it is the own copy", "", "llxprt", filepath.Join(here, "llxprt"), true},
		{"a dialect without cases is not found", "", "nobodys", filepath.Join(here, "nobodys"), false},
		{"the variable replaces the own copy", elsewhere, "llxprt", filepath.Join(elsewhere, "llxprt"), true},
		{"the own copy does not stand in", elsewhere, "claude", filepath.Join(elsewhere, "claude"), false},
		{"a relative one counts from the repository's root", "conformance", "llxprt", filepath.Join(here, "llxprt"), true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Setenv("SNAPHOOK_CASES", tt.variable)
			if dir, found := Dir(tt.dialect); dir != tt.dir || found != tt.found {
				t.Errorf("got %s, %v; want %s, %v", dir, found, tt.dir, tt.found)
			}
		})
	}
}

func TestLoadNamesWhatIsWrong(t *testing.T) {
	const good = `"basis": "spec", "event": "BeforeTool", "expect": {"success": true}`
	tests := []struct {
		name, file string
		want       []string
	}{
		{"a file that is not JSON", `{`, []string{"x.json"}},
		{"two documents", `{"theme": "x", "cases": []} {}`, []string{"x.json"}},
		{"an unknown key of a file", `{"theme": "x", "casses": []}`, []string{"x.json", "casses"}},
		{"a file without theme", `{"cases": [{"name": "a", ` + good + `}]}`, []string{"theme is missing"}},
		{"a file without cases", `{"theme": "x", "cases": []}`, []string{"holds no cases"}},
		{"an unknown key of a case", in(`"name": "a", "expct": {}, ` + good), []string{"x.json", `case 1 ("a")`, "expct"}},
		{"an unknown key in other case", in(`"name": "a", "Event": "e", ` + good), []string{`case 1 ("a")`, "Event"}},
		{"an unknown key of a step", in(`"name": "a", "basis": "spec", "event": "e", "steps": [{"fires": {}}]`), []string{`("a")`, "fires"}},
		{"an unknown key of an extension", in(`"name": "a", "extensions": [{"active": true}], ` + good), []string{"active"}},
		{"a case of another type", `{"theme": "x", "cases": [7]}`, []string{"x.json", "case 1"}},
		{"a value of the wrong type", in(`"name": "a", "slow": "yes", ` + good), []string{`("a")`, "slow"}},
		{"no name", in(good), []string{"case 1", "name is missing"}},
		{"the same name twice", `{"theme": "x", "cases": [{"name": "a", ` + good + `}, {"name": "a", ` + good + `}]}`, []string{`case 2 ("a")`, "has this name"}},
		{"an unknown basis", in(`"name": "a", "basis": "rumour", "event": "e", "expect": {"success": true}`), []string{"rumour", "advisory"}},
		{"an unknown kind", in(`"name": "a", "kind": "poem", ` + good), []string{"poem", "translator"}},
		{"an unknown via", in(`"name": "a", "via": "pigeon", ` + good), []string{"pigeon"}},
		{"via bus without a message", in(`"name": "a", "via": "bus", ` + good), []string{"bus.message"}},
		{"a message without via", in(`"name": "a", "bus": {"message": {}}, ` + good), []string{"bus.message"}},
		{"no event", in(`"name": "a", "basis": "spec", "expect": {"success": true}`), []string{"event is missing"}},
		{"no expectation", in(`"name": "a", "basis": "spec", "event": "e"`), []string{"nothing is expected"}},
		{"an empty expectation", in(`"name": "a", "basis": "spec", "event": "e", "expect": {}`), []string{"nothing is expected"}},
		{"steps without expectation", in(`"name": "a", "basis": "spec", "event": "e", "steps": [{"fire": {}}]`), []string{"nothing is expected"}},
		{"steps beside an expectation", in(`"name": "a", "steps": [], ` + good), []string{"exclude each other"}},
		{"a step that fires nothing", in(`"name": "a", "basis": "spec", "event": "e", "steps": [{"expect": {"trace": []}}]`), []string{"step 1", "fires nothing"}},
		{"a project outside", in(`"name": "a", "projectDirName": "..", ` + good), []string{"projectDirName"}},
		{"a deep project", in(`"name": "a", "projectDirName": "a/b", ` + good), []string{"projectDirName"}},
		{"args of an event", in(`"name": "a", "args": [1], ` + good), []string{"translator"}},
		{"result of an event", in(`"name": "a", "basis": "spec", "event": "e", "expect": {"result": 1}`), []string{"translator"}},
		{"a translator without fn", in(`"name": "a", "basis": "spec", "kind": "translator", "expect": {"result": 1}`), []string{"fn is missing"}},
		{"a translator without result", in(`"name": "a", "basis": "spec", "kind": "translator", "fn": "f", "expect": {"success": true}`), []string{"result"}},
		{"a translator with an event", in(`"name": "a", "kind": "translator", "fn": "f", "basis": "spec", "event": "e", "expect": {"result": 1}`), []string{"no meaning"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			dir := t.TempDir()
			writeTree(t, dir, map[string]string{"cases/x.json": tt.file})
			cases, err := Load(dir)
			if err == nil || cases != nil {
				t.Fatalf("got %d cases and error %v, want an error and no cases", len(cases), err)
			}
			wantContains(t, err.Error(), tt.want...)
		})
	}
}

// in returns a file with one case.
func in(members string) string { return `{"theme": "x", "cases": [{` + members + `}]}` }

func TestLoadReadsFilesInOrderAndNamesEveryFault(t *testing.T) {
	dir := t.TempDir()
	if _, err := Load(dir); err == nil {
		t.Error("a directory without cases loads")
	}
	good := func(name string) string {
		return strings.ReplaceAll(in(`"name": "NAME", "basis": "spec", "event": "e", "expect": {"success": true}`), "NAME", name)
	}
	writeTree(t, dir, map[string]string{"cases/b.json": good("2"), "cases/a.json": good("1"), "cases/notes.txt": "no case"})
	cases, err := Load(dir)
	if err != nil || len(cases) != 2 || cases[0].Name != "1" || cases[1].Name != "2" {
		t.Errorf("got %v, error %v; want the cases 1 and 2", cases, err)
	}
	writeTree(t, dir, map[string]string{"cases/a.json": `{`, "cases/b.json": in(`"name": ""`)})
	if _, err = Load(dir); err == nil {
		t.Fatal("broken files load")
	}
	wantContains(t, err.Error(), "a.json", "b.json")
}

func TestDefaults(t *testing.T) {
	c := mustParse(t, `"event": "e", "expect": {"success": true}`)
	if !c.Trusted || c.SessionID != "session-0001" || c.TranscriptPath != "" || c.ProjectDirName != "p" {
		t.Errorf("got %+v, want the defaults of FORMAT.md", c)
	}
	p := c.Prepare(t)
	if p.Cwd != p.Project || filepath.Base(p.Project) != "p" {
		t.Errorf("cwd %s, project %s; want the cwd to be the project, p", p.Cwd, p.Project)
	}
	c = mustParse(t, `"event": "e", "trusted": false, "sessionId": "s", "cwd": "@PROJECT@/sub", "expect": {"success": true}`)
	p = c.Prepare(t)
	if p.Trusted || p.SessionID != "s" || p.Cwd != p.Project+"/sub" {
		t.Errorf("got %+v, want what the case says", p)
	}
}

func FuzzParseFile(f *testing.F) {
	f.Add([]byte(in(`"name": "a", "basis": "spec", "event": "e", "expect": {"success": true}`)))
	f.Add([]byte(in(`"name": "a", "basis": "spec", "kind": "translator", "fn": "f", "args": ["@REPEAT:x:3@"], "expect": {"result": 1}`)))
	f.Fuzz(func(t *testing.T, text []byte) {
		cases, err := parseFile("x.json", text)
		if err != nil {
			return
		}
		for _, c := range cases {
			if c.Name == "" || c.Theme == "" {
				t.Errorf("a case without name or theme is accepted: %q", text)
			}
			_, _ = c.expanded("/p") // expanded may fail, but must not panic
		}
	})
}

// Cases older than the rules' numbers are read too.
func TestOlderCasesAreRead(t *testing.T) {
	c, err := parse([]byte(`{"name": "n", "basis": "seed", "seed_ref": ["4.3"], "event": "e", "expect": {"success": true}}`))
	if err != nil || c.Basis != "spec" {
		t.Errorf("basis %q, err %v; want an older case to be one of the documentation", c.Basis, err)
	}
}
