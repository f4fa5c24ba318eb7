package schemas_test

import (
	"fmt"
	"iter"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/rogpeppe/go-internal/txtar"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/snaphook-go/snaphook/cmd/snaphook/internal/fixture"
	"github.com/snaphook-go/snaphook/internal/testkit"
	"github.com/snaphook-go/snaphook/policy"
	rec "github.com/snaphook-go/snaphook/record"
	"github.com/snaphook-go/snaphook/settings"
)

// edited is a kind of file that people write, with its schema and its reader.
type edited struct {
	schema   string
	is       func(file string) bool
	read     func(file, text string) error
	examples []string // valid; together they have every member and every word
}

// beyond matches errors about relations that a schema does not express.
var beyond = regexp.MustCompile(`is not a member of a rule of this file|is not a regular expression of Go|is not below the project|` +
	`is a file of this fixture|is given twice|the file has no fixture`)

var editedForms = map[string]edited{
	"overlay": {
		schema: "overlay.json",
		is:     func(file string) bool { return filepath.Base(file) == ".snaphook.json" },
		read: func(file, text string) error {
			if _, problems := policy.Parse(policy.Machine, file, []byte(text)); len(problems) > 0 {
				return problems[0]
			}
			return nil
		},
		examples: []string{
			`{"$schema": "https://example.com/overlay.json",
			  "hooks": [
			    {"match": {"dialect": "claude", "event": "PreToolUse", "name": "guard*", "command": "*/guard.sh*", "source": "project"},
			     "onFailure": {"default": "closed", "spawn": "open", "missing": "ask", "timeout": "closed", "crash": "closed", "exit": "closed",
			       "output": "closed", "oversize": "closed", "http": "closed", "model": "closed", "cancelled": "closed", "queue": "closed",
			       "untrusted": "closed", "invalid": "closed", "breaker": "closed", "remote": "closed"},
			     "mode": "enforce", "timeout": "5s",
			     "retry": {"times": 2, "on": ["spawn", "missing", "timeout", "crash", "exit", "output", "oversize", "http", "model", "remote"]},
			     "queue": "1m30s", "stretch": 1.5, "warm": "auto", "prewarm": true, "recheck": true},
			    {"onFailure": "open", "mode": "shadow", "timeout": "1.5h", "warm": "python"},
			    {"onFailure": "ask", "mode": "off", "timeout": "+.5ms", "warm": "node"},
			    {"onFailure": "closed", "timeout": "1us", "warm": "bash"}, {"timeout": "0h0.01ns3m", "warm": "worker"}, {"warm": "off"}],
			  "defaults": {"gates": {"onFailure": "closed"}, "observers": {"onFailure": "open"}},
			  "limits": {"concurrent": 16, "perEvent": {"claude.PostToolUse": 4}, "breaker": {"failures": 5, "for": "30s"}, "warm": 8},
			  "recheck": false}`,
			`{"defaults": {"observers": {"onFailure": {"default": "open", "spawn": "open", "missing": "open", "timeout": "open", "crash": "open",
			  "exit": "open", "output": "open", "oversize": "open", "http": "open", "model": "open", "cancelled": "open", "queue": "open",
			  "untrusted": "open", "invalid": "open", "breaker": "open", "remote": "open"}}}}`,
			`{"hooks": [{}], "lock": ["hooks", "hooks[0]", "hooks[0].mode", "hooks[0].onFailure", "hooks[0].onFailure.timeout", "defaults",
			  "defaults.gates", "defaults.observers.onFailure", "limits", "limits.perEvent", "recheck"]}`,
			`{}`,
		},
	},
	"fixture": {
		schema: "fixture.json",
		is: func(file string) bool {
			return slices.ContainsFunc(fixture.Suffixes, func(s string) bool { return strings.HasSuffix(file, s) })
		},
		read: func(file, text string) error {
			_, err := fixture.Parse(file, []byte(text))
			return err
		},
		examples: []string{
			`{"$schema": "https://example.com/fixture.json", "name": "a", "settings": {"hooks": {}},
			  "session": [
			    {"event": "claude.PreToolUse", "input": {"tool_name": "Bash"},
			     "expect": {"blocked": true, "stop": false, "reason": {"contains": "force", "matches": ["a", "b"], "equals": "c"}, "stdout": "", "stderr": null,
			       "context": {"equals": "x", "contains": ["x"], "matches": "x"}, "ran": ["*guard"], "effects": {"permissionDecision": "deny"}, "decision": "deny", "maxMs": 0.5}},
			    {"event": "claude.Stop", "expect": {"decision": "ask"}}, {"event": "claude.Stop", "expect": {"decision": "allow"}},
			    {"event": "claude.Stop", "expect": {"decision": "none"}}, {"event": "claude.Stop", "expect": {"decision": "block"}},
			    {"event": "claude.Stop", "expect": {"decision": "approve"}}, {"event": "claude.Stop", "expect": {"decision": ""}},
			    {"event": "claude.Stop", "expect": {"decision": null}}],
			  "env": {"CI": "1", "HOME": null}, "files": {"a.txt": "…", "~/b": null},
			  "user": [{"ask": "Dangerous", "answer": "no"}], "model": [{"ask": "x", "reply": {"ok": true}}],
			  "http": [{"url": "https://example.com/*", "status": 404, "reply": null}],
			  "mcp": [{"server": "memory", "tool": "*", "reply": "ok", "error": true}]}`,
			`[{"settings": null, "session": [{"event": "claude.Stop"}]}, {"settings": "a.json", "session": [{"event": "claude.Stop"}]}]`,
			`{"$schema": "https://example.com/fixture.json", "fixtures": [{"$schema": "x", "session": [{"event": "claude.Stop"}]}]}`,
		},
	},
}

// The schema of each form accepts a file if, and only if, the program accepts it; errors that match beyond are exempt.
// The test tries all examples, and each example with one member more, one member less, or another value, at every
// place.
func TestSchemasAcceptWhatTheProgramReads(t *testing.T) {
	for name, form := range editedForms {
		t.Run(name, func(t *testing.T) {
			schema := compiled(t, form.schema, nil)
			var docs []any
			words := probes
			for _, example := range form.examples {
				doc := decoded(t, example)
				if docs = append(docs, doc); schema.Validate(doc) != nil {
					t.Errorf("the schema refuses an example: %v", schema.Validate(doc))
				}
				for _, mutant := range mutants(doc, "", probes) {
					for _, word := range offers(form.read("a.hooktest.json", encoded(t, mutant))) {
						if !slices.Contains(wordsOf(words), word) {
							words = append(words, word)
						}
					}
				}
			}
			if len(words) < len(probes)+10 {
				t.Errorf("the program offers too few words: %v", words)
			}
			looked := 0
			for _, doc := range docs {
				for where, mutant := range mutants(doc, "", words) {
					if looked++; looked%5 > 0 && !testkit.Whole() { // with SNAPHOOK_TIMES, all are looked at
						continue
					}
					text := encoded(t, mutant)
					read, valid := form.read("a.hooktest.json", text), schema.Validate(mutant)
					if (read == nil) != (valid == nil) && (read == nil || !beyond.MatchString(read.Error())) {
						t.Errorf("at %s:\nthe program: %v\nthe schema: %v\n%.300s", where, read, valid, text)
					}
				}
			}
			if looked < 500 {
				t.Errorf("only %d files were looked at", looked)
			}
		})
	}
}

// Every member and every word of a schema is in an example that the program reads. The program's error about an unknown
// member lists the known members: each of them is in an example that the schema accepts.
func TestSchemasHaveTheMembersOfTheProgram(t *testing.T) {
	for name, form := range editedForms {
		t.Run(name, func(t *testing.T) {
			used, named := map[string]map[string]bool{}, map[string]map[string]bool{}
			var docs []any
			for _, example := range form.examples {
				if err := form.read("a.hooktest.json", example); err != nil {
					t.Errorf("the program refuses an example: %v", err)
				}
				doc := decoded(t, example)
				docs = append(docs, doc)
				collect(doc, "", used)
				for where, mutant := range mutants(doc, "", nil) {
					err := form.read("a.hooktest.json", encoded(t, mutant))
					if err != nil && strings.Contains(err.Error(), `member "zzz"`) {
						add(named, shape(where), offers(err)...)
					}
				}
			}
			if len(named) < 7 {
				t.Errorf("the program offers members at %d places: %v", len(named), named)
			}
			for where, members := range named {
				for member := range members {
					if !used[where][member] {
						t.Errorf("%s: the program reads %q, and no example has it: add it, and the schema has to have it", where, member)
					}
				}
			}
			for where, without := range narrower(decoded(t, schemaText(t, form.schema)), "") {
				schema := compiled(t, form.schema, without)
				if !slices.ContainsFunc(docs, func(doc any) bool { return schema.Validate(doc) != nil }) {
					t.Errorf("the schema has %s, and no example uses it", where)
				}
			}
		})
	}
}

// Files of the project's own tests, examples and pages are accepted by the schema and by the program, or by neither.
func TestSchemasAgreeWithTheFilesOfTheProject(t *testing.T) {
	root := filepath.Join("..", "..", "..", "..")
	files := map[string]string{}
	scripts, err := filepath.Glob(filepath.Join(root, "testdata", "script", "*.txtar"))
	if err != nil || len(scripts) == 0 {
		t.Fatalf("no scripts: %v", err)
	}
	for _, script := range scripts {
		archive, err := txtar.ParseFile(script)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range archive.Files {
			files[filepath.Base(script)+"/"+f.Name] = string(f.Data)
		}
	}
	for _, dir := range []string{filepath.Join(root, "examples"), filepath.Join("..", "..", "command", "template")} {
		err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
			if err == nil && d.Type().IsRegular() && strings.HasSuffix(path, ".json") {
				text, err := os.ReadFile(path)
				files[path] = string(text)
				return err
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	for name, form := range editedForms {
		schema := compiled(t, form.schema, nil)
		accepted := 0
		for file, text := range files {
			if !form.is(file) {
				continue
			}
			texts := []string{text}
			if strings.HasSuffix(file, ".jsonl") {
				texts = strings.Split(strings.TrimSpace(text), "\n")
			}
			for _, text := range texts {
				doc, err := settings.Parse(file, []byte(text))
				if err != nil {
					continue // no JSON
				}
				read, valid := form.read(file, text), schema.Validate(decoded(t, string(doc.JSON())))
				if (read == nil) != (valid == nil) && (read == nil || !beyond.MatchString(read.Error())) {
					t.Errorf("%s\nthe program: %v\nthe schema: %v", file, read, valid)
				}
				if read == nil {
					accepted++
				}
			}
		}
		if accepted < 5 {
			t.Errorf("%s: %d files were accepted", name, accepted)
		}
	}
}

// The schema of records has the members of record.Line, with their types, and no others.
func TestTheSchemaOfRecordsHasTheMembersOfALine(t *testing.T) {
	schema := decoded(t, schemaText(t, filepath.Join("..", "record.schema.json"))).(map[string]any)
	defs := schema["$defs"].(map[string]any)
	seen := 0
	var compare func(where string, of reflect.Type, s map[string]any)
	compare = func(where string, of reflect.Type, s map[string]any) {
		for of.Kind() == reflect.Pointer {
			of = of.Elem()
		}
		if ref, ok := s["$ref"].(string); ok {
			s = defs[strings.TrimPrefix(ref, "#/$defs/")].(map[string]any)
		}
		seen++
		want := map[reflect.Kind]string{
			reflect.String: "string", reflect.Bool: "boolean", reflect.Int: "integer", reflect.Uint64: "integer",
			reflect.Float64: "number", reflect.Slice: "array", reflect.Map: "object", reflect.Struct: "object",
		}[of.Kind()]
		switch {
		case of.PkgPath() == "time":
			want = "string"
		case of.Name() == "Value": // the input, as the line has it
			want = "object"
		}
		if !slices.Contains(typesOf(s), want) {
			t.Errorf("%s: the schema has %v, and the program reads a %s", where, typesOf(s), want)
		}
		if of.Kind() == reflect.Slice && want == "array" {
			compare(where+"[]", of.Elem(), s["items"].(map[string]any))
		}
		if of.Kind() != reflect.Struct || want != "object" {
			return
		}
		properties, members := s["properties"].(map[string]any), map[string]bool{}
		for i := range of.NumField() {
			name := of.Field(i).Tag.Get("json")
			members[name] = true
			p, there := properties[name].(map[string]any)
			if !there {
				t.Errorf("%s: the schema does not have %q", where, name)
				continue
			}
			compare(where+"."+name, of.Field(i).Type, p)
		}
		for name := range properties {
			if !members[name] {
				t.Errorf("%s: the schema has %q, and the program does not read it", where, name)
			}
		}
	}
	compare("", reflect.TypeFor[rec.Line](), schema)
	if seen < 60 {
		t.Errorf("%d members were compared", seen)
	}
}

// typesOf returns the types that a schema of one value accepts.
func typesOf(s map[string]any) (types []string) {
	switch t := s["type"].(type) {
	case string:
		return []string{t}
	case []any:
		for _, one := range t {
			types = append(types, one.(string))
		}
	}
	values, _ := s["enum"].([]any)
	if value, ok := s["const"]; ok {
		values = append(values, value)
	}
	for _, value := range values {
		switch value.(type) {
		case string:
			types = append(types, "string")
		case float64:
			types = append(types, "integer")
		}
	}
	return types
}

func schemaText(t *testing.T, file string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "..", "..", "..", "docs", "schema", file))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// compiled compiles the schema of a file. If the argument instead is not nil, it replaces the schema of the file.
func compiled(t *testing.T, file string, instead any) *jsonschema.Schema {
	t.Helper()
	if instead == nil {
		instead = decoded(t, schemaText(t, file))
	}
	c := jsonschema.NewCompiler()
	if err := c.AddResource("schema.json", instead); err != nil {
		t.Fatal(err)
	}
	schema, err := c.Compile("schema.json")
	if err != nil {
		t.Fatal(err)
	}
	return schema
}

func decoded(t *testing.T, text string) (doc any) {
	t.Helper()
	if err := json.Unmarshal([]byte(text), &doc); err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	return doc
}

func encoded(t *testing.T, doc any) string {
	t.Helper()
	text, err := json.Marshal(doc, json.Deterministic(true))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// probes are values of every type; some of them fit no member.
var probes = []any{nil, true, false, 0., 1., 0.5, -1., 300., 1e12, "zzz", "", "5s", "open", []any{}, []any{"zzz"}, []any{1.}, map[string]any{}}

// wordsOf returns the texts among values.
func wordsOf(values []any) (words []string) {
	for _, v := range values {
		if word, ok := v.(string); ok {
			words = append(words, word)
		}
	}
	return words
}

// mutants yields copies of a document. Each copy has one change at one place: a value of probes, one member less, or
// one member more.
func mutants(doc any, at string, probes []any) iter.Seq2[string, any] {
	return func(yield func(string, any) bool) {
		for _, probe := range probes {
			if !yield(at, probe) {
				return
			}
		}
		switch v := doc.(type) {
		case map[string]any:
			more := maps.Clone(v)
			more["zzz"] = "zzz"
			if !yield(at, more) {
				return
			}
			for _, name := range slices.Sorted(maps.Keys(v)) {
				less := maps.Clone(v)
				delete(less, name)
				if !yield(at, less) {
					return
				}
				for where, value := range mutants(v[name], at+"."+name, probes) {
					other := maps.Clone(v)
					other[name] = value
					if !yield(where, other) {
						return
					}
				}
			}
		case []any:
			for i := range v {
				for where, value := range mutants(v[i], fmt.Sprintf("%s[%d]", at, i), probes) {
					other := slices.Clone(v)
					other[i] = value
					if !yield(where, other) {
						return
					}
				}
			}
		}
	}
}

// narrower yields copies of a schema, each without one of the members or one of the words of its enumerations.
func narrower(schema any, at string) iter.Seq2[string, any] {
	return func(yield func(string, any) bool) {
		switch v := schema.(type) {
		case map[string]any:
			if properties, ok := v["properties"].(map[string]any); ok {
				for name := range properties {
					less := maps.Clone(properties)
					less[name] = false
					other := maps.Clone(v)
					other["properties"] = less
					if !yield(at+"."+name, other) {
						return
					}
				}
			}
			if words, ok := v["enum"].([]any); ok {
				for i, word := range words {
					other := maps.Clone(v)
					if other["enum"] = slices.Delete(slices.Clone(words), i, i+1); len(words) == 1 {
						continue
					}
					if !yield(fmt.Sprintf("%s: %v", at, word), other) {
						return
					}
				}
			}
			for name, child := range v {
				if _, below := child.(map[string]any); !below && name != "oneOf" {
					continue
				}
				for where, value := range narrower(child, at+"/"+name) {
					other := maps.Clone(v)
					other[name] = value
					if !yield(where, other) {
						return
					}
				}
			}
		case []any:
			for i, child := range v {
				for where, value := range narrower(child, fmt.Sprintf("%s/%d", at, i)) {
					other := slices.Clone(v)
					other[i] = value
					if !yield(where, other) {
						return
					}
				}
			}
		}
	}
}

// index matches the index of an element in a path.
var index = regexp.MustCompile(`\[\d+\]`)

// shape returns a path without the indices of elements. It is the same in the three forms of a file of fixtures: one
// fixture, a list, and an object with "fixtures".
func shape(path string) string {
	path = index.ReplaceAllString(path, "[]")
	return strings.TrimPrefix(strings.TrimPrefix(path, ".fixtures"), "[]")
}

// collect notes the members of objects by their places.
func collect(doc any, at string, in map[string]map[string]bool) {
	switch v := doc.(type) {
	case map[string]any:
		for name, value := range v {
			add(in, shape(at), name)
			collect(value, at+"."+name, in)
		}
	case []any:
		for i, value := range v {
			collect(value, fmt.Sprintf("%s[%d]", at, i), in)
		}
	}
}

func add(to map[string]map[string]bool, where string, words ...string) {
	if to[where] == nil {
		to[where] = map[string]bool{}
	}
	for _, word := range words {
		to[where][word] = true
	}
}

// offered matches the list of members or words in an error.
var offered = regexp.MustCompile(`(?:write one of:?|want one of:?) (.+)$`)

// offers returns the members or words that an error offers.
func offers(err error) []string {
	if err == nil {
		return nil
	}
	first, _, _ := strings.Cut(err.Error(), "\n")
	if m := offered.FindStringSubmatch(first); m != nil {
		return strings.Split(m[1], ", ")
	}
	return nil
}
