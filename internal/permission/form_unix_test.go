//go:build unix

package permission

import (
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/snaphook-go/snaphook/wire"
)

// searched reports whether the rule matches the call. It searches the syntax, as rules about pipelines do.
func (b *bash) searched(call *parsed) bool {
	s := search{rule: b}
	return s.tree(call.command, call.file) || b.argues && s.expands || s.detours(b)
}

// checkForms compares a match by recorded forms with a search by the rule.
func checkForms(t *testing.T, pattern, command string) {
	t.Helper()
	b, ok := newBash(pattern).(*bash)
	if !ok || b.chain != nil || b.compound || b.redirect {
		return
	}
	call := newParsed(`{"command":` + string(wire.Quote(command)) + `}`)
	if call.file == nil {
		return
	}
	if f := call.forms(b.argues); !f.many && f.match(b) != b.searched(call) {
		t.Errorf("Bash(%s), %q: %v by forms, %v by a search", pattern, command, f.match(b), b.searched(call))
	}
}

var formPatterns = []string{
	"rm", "rm *", "rm x", "rm -rf *", "r*", "* x", "*rm*", "rm*x", "ls *", "echo *", "eval *", "xargs rm *", "a=1 rm *", "time *", "[[ *", "(( *", `"rm" *`,
	`'rm' x`, `\rm *`, "git push *", "cat", "e", "x", "$x *", "x=*", "timeout * rm *", "sudo *", "* y", "declare *", "let *", "*",
}

func TestRecordedFormsMatchAsASearchDoes(t *testing.T) {
	commands := []string{
		"", "rm x >y 2>&1", ">x", "{ rm x; } >y", "eval 'rm x' >y", "xargs -I{} rm {} <x", "timeout 5 nice rm x", "a=1 b=$c rm x", "$x y", "rm $x", `"$x" y`, "r* x", "$(echo rm) x",
		"rm-x", "f() { rm x; }; f", "time rm x", "if [[ a == rm ]]; then ls; fi", "cat <<E\n$(rm x)\nE", "trap 'rm x' 0", "eval 'eval \"rm x\"'",
	}
	for _, trick := range tricks {
		commands = append(commands, trick.commands...)
	}
	for _, command := range commands {
		for _, pattern := range formPatterns {
			checkForms(t, pattern, command)
		}
	}
}

func FuzzRecordedFormsMatchAsASearchDoes(f *testing.F) {
	for i, trick := range tricks {
		f.Add(formPatterns[i%len(formPatterns)], trick.commands[0])
	}
	f.Fuzz(func(t *testing.T, pattern, command string) {
		if len(pattern) < 100 && len(command) < 1000 {
			checkForms(t, pattern, command)
		}
	})
}

func TestACommandWithTooManyFormsIsSearchedByEachRule(t *testing.T) {
	for name, command := range map[string]string{
		"many commands":      strings.Repeat("ls;", mostForms+1) + "rm x",
		"long wrapped words": strings.Repeat("nice ", 40) + "rm " + strings.Repeat("x", 20<<10),
		"many conditions":    strings.Repeat("[[ a ]];", mostForms+1) + "rm x",
	} {
		t.Run(name, func(t *testing.T) {
			input := wire.Object(`{"command":` + string(wire.Quote(command)) + `}`)
			if f := parsedCall(input).forms(true); !f.many || len(f.forms)+len(f.texts) > 0 {
				t.Errorf("many: %v; %d forms and %d texts are kept", f.many, len(f.forms), len(f.texts))
			}
			if !mustParse(t, "Bash(rm *)").Match(Call{Tool: "Bash", Input: input}) {
				t.Error("Bash(rm *) does not match")
			}
			if mustParse(t, "Bash(git push *)").Match(Call{Tool: "Bash", Input: input}) {
				t.Error("Bash(git push *) matches")
			}
		})
	}
}

func TestCallsOfManyGoroutinesAreNotConfused(t *testing.T) {
	rules := []*Rule{mustParse(t, "Bash(rm 7 *)"), mustParse(t, "Bash(rm)"), mustParse(t, "Bash(rm 7 * | sh)")}
	long := strings.Repeat("y", mostInput)
	var all sync.WaitGroup
	for g := range 8 {
		all.Go(func() {
			for i := range 200 {
				n := (i*7 + g) % 40
				tail := "x"
				if n%3 == 0 {
					tail = long
				}
				input := wire.Object(fmt.Sprintf(`{"command":"ls && rm %d %s | sh"}`, n, tail))
				for at, want := range []bool{n == 7, false, n == 7} {
					if got := rules[at].Match(Call{Tool: "Bash", Input: input}); got != want {
						t.Errorf("%s: %v for %s", rules[at], got, input[:30])
					}
				}
			}
		})
	}
	all.Wait()
}

func TestOnlyRecentShortCommandsAreKept(t *testing.T) {
	rule := mustParse(t, "Bash(rm *)")
	for i := range 3 * mostRecent {
		rule.Match(Call{Tool: "Bash", Input: wire.Object(fmt.Sprintf(`{"command":"ls %d"}`, i))})
	}
	long := wire.Object(`{"command":"ls ` + strings.Repeat("x", mostInput) + `"}`)
	rule.Match(Call{Tool: "Bash", Input: long})
	recent.mu.Lock()
	defer recent.mu.Unlock()
	for _, p := range recent.ring {
		if p == nil || len(p.input) > mostInput {
			t.Errorf("kept: %v", p)
		}
	}
}
