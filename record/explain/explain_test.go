package explain_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/snaphook-go/snaphook/record"
	"github.com/snaphook-go/snaphook/record/explain"
)

func lineOf(t *testing.T, text string) *record.Line {
	t.Helper()
	text = `{"v":1,"id":"a","time":"2026-01-31T12:00:00.5Z","session":"s-1",` + text + `}`
	for _, l := range record.Lines(strings.NewReader(text), func(n int, err error) { t.Fatal(err) }) {
		return l
	}
	t.Fatal("no line")
	return nil
}

// story returns the lines of an explanation in this order: the outcome, each hook, rules, rewrites, texts for the
// model, texts for the user, notes.
func story(e *explain.Explanation) string {
	words := []string{e.Outcome + ": " + e.Because}
	for _, s := range e.Steps {
		line := "  " + s.Label + ": " + s.Why
		if s.Ran {
			line += " → " + s.Said
		}
		if s.Decided {
			line += " [decided]"
		}
		words = append(words, line)
	}
	for _, r := range e.Rules {
		words = append(words, "  rule "+r.ID+" "+r.Page)
	}
	for _, r := range e.Rewrites {
		words = append(words, "  rewrite "+r.Key+" by "+strings.Join(r.Hooks, ", ")+" wins "+r.Winner+" "+r.Rule)
	}
	for _, text := range e.Model {
		words = append(words, "  model: "+text)
	}
	for _, text := range e.User {
		words = append(words, "  user: "+text)
	}
	for _, text := range e.Notes {
		words = append(words, "  note: "+text)
	}
	return strings.Join(words, "\n")
}

func TestStories(t *testing.T) {
	const (
		guard = `{"id":"g","command":"guard.sh","matcher":"Bash","if":"Bash(git *)","ran":true,"outcome":"blocking","exit":2,"ms":3,"decision":"deny","reason":"no force"}`
		fine  = `{"id":"f","command":"fine.sh","ran":true,"outcome":"success","ms":1}`
		other = `{"id":"o","command":"lint.sh","matcher":"Write","ran":false,"why":"matcher","detail":"matcher \"Write\" does not match \"Bash\""}`
	)
	tests := map[string]struct{ line, want string }{
		"a denial": {
			`"event":"claude.PreToolUse","subject":"Bash","decision":"deny","reason":"no force","hooks":[` + fine + `,` + guard + `,` + other + `]`,
			`denied: denied by guard.sh: no force
  fine.sh: it matches every call → had no objection
  guard.sh: its matcher "Bash" matches "Bash", and its condition "Bash(git *)" holds → denied by exit status 2: no force [decided]
  lint.sh: matcher "Write" does not match "Bash"
  rule C77 docs/spec/claude.md
  rule C52 docs/spec/claude.md
  model: no force`,
		},
		"the second of two denials has the reason": {
			`"event":"llxprt.BeforeTool","subject":"x","decision":"deny","reason":"b","hooks":[{"id":"1","command":"1","ran":true,"decision":"deny","reason":"a","mode":"shadow"},{"id":"2","command":"2","ran":true,"decision":"deny","reason":"b"}]`,
			`denied: denied by 2: b
  1: it matches every call → denied: a; it is in shadow mode, so its answer does not count
  2: it matches every call → denied: b [decided]
  rule L38 docs/spec/llxprt.md
  rule L48 docs/spec/llxprt.md
  model: b`,
		},
		"a failure that is open": {
			`"event":"claude.PreToolUse","subject":"Bash","failed_open":1,"hooks":[{"id":"g","command":"guard.sh","ran":true,"outcome":"non_blocking_error","class":"timeout","error":"late","failed_open":true}]`,
			`passed: it went ahead, and 1 hook failed open
  guard.sh: it matches every call → failed (timeout): late; it fails open, so the action went ahead
  rule C80 docs/spec/claude.md
  note: guard.sh failed, and the action went ahead without its answer`,
		},
		"a failure that is closed": {
			`"event":"claude.PreToolUse","subject":"Bash","decision":"deny","reason":"guard.sh failed","hooks":[{"id":"g","command":"guard.sh","ran":true,"outcome":"blocking","class":"timeout","error":"late","failed_open":false}]`,
			`denied: denied by guard.sh: guard.sh failed
  guard.sh: it matches every call → failed (timeout): late; it fails closed, so the action is denied [decided]
  rule C80 docs/spec/claude.md
  rule C52 docs/spec/claude.md
  model: guard.sh failed`,
		},
		"one rewrite over another": {
			`"event":"claude.PreToolUse","subject":"Bash","rewritten":true,"conflicts":[{"key":"command","hooks":["a","b"]}],"hooks":[{"id":"a","command":"a.sh","ran":true,"outcome":"success","rewrote":true},{"id":"b","command":"b.sh","ran":true,"outcome":"success","rewrote":true}]`,
			`changed: it went ahead with a changed input
  a.sh: it matches every call → changed the input
  b.sh: it matches every call → changed the input
  rule C78 docs/spec/claude.md
  rewrite command by a.sh, b.sh wins b.sh C78`,
		},
		"a question that is repeated": {
			`"event":"claude.PreToolUse","subject":"Bash","rewritten":true,"hooks":[{"id":"a","command":"a.sh","ran":true,"outcome":"success","rewrote":true},{"id":"a","command":"a.sh","ran":true,"outcome":"success","recheck":true}]`,
			`changed: it went ahead with a changed input
  a.sh: it matches every call → changed the input
  a.sh: it matches every call, and it ran again because hooks had changed the input → had no objection
  rule C78 docs/spec/claude.md
  rewrite  by a.sh wins a.sh C78`,
		},
		"shadow that would differ": {
			`"event":"claude.PreToolUse","subject":"Bash","would":{"decision":"deny","reason":"no"},"hooks":[{"id":"a","command":"a.sh","ran":true,"outcome":"blocking","decision":"deny","reason":"no","mode":"shadow","differs":true}]`,
			`passed: 1 hook ran, and none objected
  a.sh: it matches every call → denied: no; it is in shadow mode, so its answer does not count: with this answer the outcome would differ
  rule C77 docs/spec/claude.md
  note: if hooks in shadow mode counted, the outcome would be deny: no`,
		},
		"the user alone is told": {
			`"event":"claude.UserPromptSubmit","decision":"deny","reason":"no","hooks":[{"id":"a","command":"a.sh","ran":true,"outcome":"blocking","decision":"deny","reason":"no"}]`,
			`denied: denied by a.sh: no
  a.sh: it matches every call → denied: no [decided]
  rule C79 docs/spec/claude.md
  rule C61 docs/spec/claude.md
  user: no`,
		},
		"kept answers have more texts": {
			`"event":"claude.PostToolUse","subject":"Bash","hooks":[{"id":"a","command":"a.sh","ran":true,"outcome":"success","answer":"{\"systemMessage\":\"hello\",\"hookSpecificOutput\":{\"hookEventName\":\"PostToolUse\",\"additionalContext\":\"more\"}}"}]`,
			`passed: 1 hook ran, and none objected
  a.sh: it matches every call → had no objection
  model: more
  user: hello`,
		},
		"in the background": {
			`"event":"claude.Stop","hooks":[{"id":"a","command":"a.sh","ran":true,"outcome":"backgrounded","background":{"outcome":"non_blocking_error","error":"bad"}}]`,
			`passed: 1 hook ran, and none objected
  a.sh: it matches every call → went to the background, where it decides nothing; in the background it ended with non_blocking_error: bad`,
		},
		"no hook ran":   {`"event":"claude.Stop","hooks":[` + other + `]`, "passed: none of the 1 hook of the event ran for this call\n  lint.sh: matcher \"Write\" does not match \"Bash\""},
		"no hook":       {`"event":"claude.Stop","hooks":[]`, `passed: no hook is configured for claude.Stop`},
		"another event": {`"event":"mine.Event","decision":"deny","hooks":[]`, `denied: denied, and no hook in the record says why`},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			if got := story(explain.Of(lineOf(t, test.line))); got != test.want {
				t.Errorf("got\n%s\nwant\n%s", got, test.want)
			}
		})
	}
}

func TestCallsAreNamed(t *testing.T) {
	tests := map[string]struct{ input, want string }{
		"a command":           {`{"tool_name":"Bash","tool_input":{"command":"git  push\n--force","description":"push"}}`, "git push --force"},
		"a prompt":            {`{"prompt":"fix the test"}`, "fix the test"},
		"text of JSON":        {`{"toolName":"bash","toolArgs":"{\"command\":\"ls\"}"}`, "ls"},
		"the names of types":  {`{"tool_name":"string","tool_input":{"command":"string"}}`, ""},
		"no member of a call": {`{"tool_input":{"x":1}}`, ""},
		"nothing":             {``, ""},
		"null":                {`null`, ""},
		"a long one":          {`{"prompt":"` + strings.Repeat("x", 300) + `"}`, strings.Repeat("x", 200) + "…"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			if got := explain.Call([]byte(test.input)); got != test.want {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
}

// Each rule in an explanation exists on the page that the explanation names.
func TestRulesAreOnTheirPages(t *testing.T) {
	seen := 0
	for _, event := range explain.Events() {
		for _, r := range explain.RulesOf(event) {
			seen++
			page, err := os.ReadFile(filepath.Join("..", "..", filepath.FromSlash(r.Page)))
			if err != nil {
				t.Fatal(err)
			}
			if r.Text == "" || !regexp.MustCompile(`(?m)^\*\*`+r.ID+`\*\* `).Match(page) {
				t.Errorf("%s: the rule %s (%q) is not on %s, or has no text here", event, r.ID, r.Text, r.Page)
			}
		}
	}
	if seen < 200 {
		t.Errorf("%d rules were compared", seen)
	}
}

func FuzzOf(f *testing.F) {
	f.Add([]byte(`{"v":1,"event":"claude.PreToolUse","decision":"deny","input":{"tool_input":"{\"command\":1}"},"conflicts":[{"key":"a","hooks":[]}],"rewritten":true,"hooks":[{"ran":true,"answer":"{\"hookSpecificOutput\":3}","background":{}}]}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		for _, l := range record.Lines(strings.NewReader(string(text)), nil) {
			e := explain.Of(l)
			if len(e.Steps) != len(l.Hooks) || e.Because == "" {
				t.Errorf("%d steps of %d hooks, because %q", len(e.Steps), len(l.Hooks), e.Because)
			}
			if _, err := json.Marshal(e); err != nil {
				t.Error(err)
			}
		}
	})
}
