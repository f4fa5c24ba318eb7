package permission

import (
	"strings"
	"sync"
	"testing"

	"github.com/snaphook-go/snaphook/wire"
)

var origin = Origin{Root: "/repo/app", Home: "/home/ann"}

func mustParse(t testing.TB, rule string) *Rule {
	t.Helper()
	r, err := Parse(rule, origin)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestARuleConcernsOnlyTheToolsThatItNames(t *testing.T) {
	for _, tt := range []struct {
		rule, tool string
		want       bool
	}{
		{"Read", "Read", true},
		{"Read", "ReadFile", false},
		{"Read", "read", false},
		{"Read()", "Read", true},
		{"Read(*)", "Read", true},
		{"Read( * )", "Read", true},
		{" Read ", "Read", true},
		{"Edit(*.ts)", "Write", false},
		{"Bash(git *)", "Write", false},
		{"Bash(git *)", "BashOutput", false},
		{"mcp__gh__search", "mcp__gh__search", true},
		{"mcp__gh__search", "mcp__gh__search_code", false},
		{"mcp__gh__search", "mcp__gh__", false},
		{"mcp__gh", "mcp__gh__search", true},
		{"mcp__gh", "mcp__ghx__search", false},
		{"mcp__gh", "mcp__gh", false},
		{"mcp__gh__*", "mcp__gh__search", true},
		{"mcp__gh__*", "mcp__git__search", false},
		{"mcp__gh__get_*", "mcp__gh__get_issue", true},
		{"mcp__gh__get_*", "mcp__gh__set_issue", false},
		{"mcp__*", "mcp__gh__search", true},
		{"mcp__*", "Bash", false},
		{"mcp__plugin_a_b__c-d", "mcp__plugin_a_b__c-d", true},
		{"mcp__gh__search(*)", "mcp__gh__search", true},
		{"mcp__gh(q:x)", "mcp__gh__search", false},
		{"mcp__my.server", "mcp__my_server__search", true},
		{"mcp__my.server__a:b", "mcp__my_server__a_b", true},
		{"mcp__my.server__a:b", "mcp__my.server__a:b", true},
		{"mcp__my.server__*", "mcp__myxserver__a", false},
	} {
		if got := mustParse(t, tt.rule).Match(Call{Tool: tt.tool}); got != tt.want {
			t.Errorf("%s matches a call of %s: %v, want %v", tt.rule, tt.tool, got, tt.want)
		}
	}
}

func TestParseSaysWhatToWriteInstead(t *testing.T) {
	for rule, want := range map[string]string{
		"":                             "no tool; write a rule like",
		"  ":                           "no tool",
		"(git *)":                      "no tool",
		"Bash(git *":                   "end the rule with )",
		"Bash(git *) x":                `" x" follows the last parenthesis`,
		"Bash(git *)x":                 "end the rule with )",
		"Bash (git *)":                 "write Bash(…)",
		"A || B":                       "one rule only",
		"A|B":                          "one rule only",
		"A, B":                         "one rule only",
		"Bash(git *) || Edit(*.ts)":    "one rule only",
		"Bash(git *) && Edit":          "one rule only",
		"Bash(git *), Bash(npm *)":     "one rule only",
		"Bash(git *) or Bash(npm *)":   "one rule only",
		"*":                            "only names that begin with mcp__",
		"Web*":                         "only names that begin with mcp__",
		"mcp__":                        "write mcp__server",
		"Bash)":                        "not the name of a tool",
		"Read([a)":                     "close each [",
		"Read({a)":                     "close each [",
		`Read(a\)`:                     "close each [",
		"Read(../x)":                   "write //p",
		"Read(src/../../x)":            "write //p",
		"Read(!x)":                     "is not supported in a rule",
		"WebFetch(example.com)":        "write WebFetch(domain:example.com)",
		"WebFetch(https://a.com)":      "write WebFetch(domain:example.com)",
		"WebFetch(domain:)":            "a host alone",
		"WebFetch(domain:https://a.b)": "a host alone",
		"WebFetch(domain:a.com/x)":     "a host alone",
	} {
		r, err := Parse(rule, origin)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("Parse(%q) = %v, %v; want an error with %q", rule, r, err, want)
		}
	}
	for _, rule := range []string{"Read(/x)", "Read(~/x)", "Read(~)"} {
		if _, err := Parse(rule, Origin{}); err == nil || !strings.Contains(err.Error(), "write //p") {
			t.Errorf("Parse(%q) without directories: %v, want an error", rule, err)
		}
	}
}

func TestParseAcceptsParenthesesInASpec(t *testing.T) {
	for _, rule := range []string{
		"Bash(echo (a))", `Bash(find . \( -name *)`, `Bash(python -c "print(1), Foo(2)")`, "Bash((a) || foo(b))", "Edit(app/(group)/*.ts)", "Bash(a)b)", "Bash(foo() *)",
	} {
		if r, err := Parse(rule, origin); err != nil || r.String() != rule {
			t.Errorf("Parse(%q) = %v, %v; want the rule", rule, r, err)
		}
	}
}

func TestParametersAreComparedByTheirText(t *testing.T) {
	for _, tt := range []struct {
		rule, input string
		want        bool
	}{
		{"Agent(reviewer)", `{"subagent_type":"reviewer"}`, true},
		{"Agent(reviewer)", `{"subagent_type":"code-reviewer"}`, false},
		{"Agent(*reviewer)", `{"subagent_type":"code-reviewer"}`, true},
		{"Agent(my-plugin:*)", `{"subagent_type":"my-plugin:reviewer"}`, true},
		{"Agent(reviewer)", `{"prompt":"reviewer"}`, false},
		{"Task(reviewer)", `{"subagent_type":"reviewer"}`, true},
		{"Skill(deploy)", `{"skill":"deploy"}`, true},
		{"Skill(deploy)", `{"command":"deploy"}`, true},
		{"Skill(deploy)", `{"skill":"deploys"}`, false},
		{"Skill(review *)", `{"skill":"review"}`, true},
		{"Skill(review *)", `{"command":"review 12"}`, true},
		{"Search(query:a*)", `{"query":"abc"}`, true},
		{"Search(query: a*)", `{"query":"abc"}`, true},
		{"Search(query:a*)", `{"query":"xabc"}`, false},
		{"Search(query:a*)", `{}`, false},
		{"Search(query:a:b)", `{"query":"a:b"}`, true},
		{"Search(count:5)", `{"count":5}`, true},
		{"Search(count:5)", `{"count":50}`, false},
		{"Search(count:5)", `{"count":"5"}`, true},
		{"Edit(replace_all:true)", `{"file_path":"/a","replace_all":true}`, true},
		{"Edit(replace_all:true)", `{"file_path":"/a","replace_all":false}`, false},
		{"Search(x:*)", `{"x":{"y":1}}`, false},
		{"Search(x:*)", `{"x":null}`, false},
		{"mcp__gh(repo:acme/*)", `{"repo":"acme/a"}`, true},
		{"mcp__gh__*(repo:acme/*)", `{"repo":"other/a"}`, false},
	} {
		tool, _, _ := strings.Cut(tt.rule, "(")
		if strings.HasPrefix(tool, "mcp__") {
			tool = "mcp__gh__search"
		}
		if got := mustParse(t, tt.rule).Match(Call{Tool: tool, Input: wire.Object(tt.input)}); got != tt.want {
			t.Errorf("%s matches %s: %v, want %v", tt.rule, tt.input, got, tt.want)
		}
	}
}

func TestRulesAreUsedFromManyGoroutines(t *testing.T) {
	r := mustParse(t, "Bash(git push *)")
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for range 100 {
				if !r.Match(bashCall("a; git push $(x)")) || r.Match(bashCall("git pull && ls")) {
					t.Error("a shared rule changed its mind")
				}
			}
		})
	}
	wg.Wait()
}
