package bash_test

import (
	"strings"
	"testing"

	"mvdan.cc/sh/v3/syntax"

	"github.com/snaphook-go/snaphook/internal/bash"
)

func TestEveryCommandOfATextIsFound(t *testing.T) {
	for script, want := range map[string]string{
		"a; b | c && d || ! e &":                          "a b c d e",
		"A=1 a x >b 2>&1":                                 "a",
		`x=$(a) y=1`:                                      "a",
		`a "$(b)" <(c) ${x:-$(d)}` + " `e`":               "a b c d e",
		"if a; then b; elif c; then d; else e; fi":        "a b c d e",
		"while a; do b; done; until c; do d; done":        "a b c d",
		"for i in $(a); do b; done; select x; do c; done": "a b c",
		"case $(a) in $(b)) c;; *) d;; esac":              "a b c d",
		"f() { a; }; (b); { c; }; time d; coproc e":       "a b c d e",
		"[[ $(a) ]]; (( $(b) )); let $(c); x[$(d)]=1":     "a b c d",
		"a <<E >$(c)\n$(b)\nE":                            "a b c",
		"a <<'E'\n$(b)\nE":                                "a",
		"declare x=$(a); export y=(`b`)":                  "a b",
		"eval 'b'; sh -c 'c'; trap 'd' EXIT; env e":       "eval sh trap env",
		"# a\n": "",
	} {
		file, err := bash.Parse(script)
		if err != nil {
			t.Fatal(err)
		}
		var found []string
		for call := range bash.Calls(file) {
			found = append(found, call.Args[0].Lit())
		}
		if got := strings.Join(found, " "); got != want {
			t.Errorf("%s: got %q, want %q", script, got, want)
		}
	}
}

func TestASearchForCommandsMayEndEarly(t *testing.T) {
	file, err := bash.Parse("a; b $(c); d")
	if err != nil {
		t.Fatal(err)
	}
	found := ""
	for call := range bash.Calls(file) {
		if found += call.Args[0].Lit(); found == "ab" {
			break
		}
	}
	if found != "ab" {
		t.Errorf("got %q, want ab", found)
	}
}

func TestAWalkTellsEachNodeWhatIsAroundIt(t *testing.T) {
	for script, want := range map[string]bash.SyntaxContext{
		"a $x":                         {Bare: true},
		`a "$x"`:                       {Quoted: true},
		`a "$(b $x)"`:                  {Bare: true},
		"a `b $x`":                     {Bare: true, Backtick: true},
		"a `b \"$x\"`":                 {Backtick: true, Quoted: true},
		"a `b <(c $x)`":                {Bare: true, Backtick: true},
		"a >$x":                        {Bare: true},
		"a <<E\n$x\nE":                 {Quoted: true},
		"a <<E\n$(b $x)\nE":            {Bare: true},
		"a $((x + $x))":                {Number: true},
		"((x + $x))":                   {Number: true},
		"for ((x=$x;;)); do :; done":   {Number: true},
		"a[$x]=1":                      {Number: true},
		"a ${b[$x]}":                   {Number: true},
		"a ${b:$x}":                    {Number: true},
		"[[ a -eq $x ]]":               {Bare: true, Number: true},
		"[[ a = $x ]]":                 {Bare: true},
		"declare -i a=$x":              {Bare: true, Number: true},
		"f() { if a; then b $x; fi; }": {Bare: true},
	} {
		file, err := bash.Parse(script)
		if err != nil {
			t.Fatal(err)
		}
		found := 0
		bash.Walk(file, bash.SyntaxContext{Bare: true}, func(node syntax.Node, around bash.SyntaxContext) (bash.SyntaxContext, bool) {
			if p, ok := node.(*syntax.ParamExp); ok && p.Short {
				found++
				got := bash.SyntaxContext{Bare: around.Bare, Backtick: around.Backtick, Number: around.Number, Quoted: around.Quoted}
				if got != want {
					t.Errorf("%s: got %+v, want %+v", script, got, want)
				}
			}
			return around.Inside(node), true
		})
		if found != 1 {
			t.Errorf("%s: $x is found %d times", script, found)
		}
	}
}

func TestAWalkLeavesOutTheChildrenOfANodeThatItDoesNotEnter(t *testing.T) {
	file, err := bash.Parse("a $(b $(c)) d; e")
	if err != nil {
		t.Fatal(err)
	}
	found := ""
	bash.Walk(file, 0, func(node syntax.Node, depth int) (int, bool) {
		_, subst := node.(*syntax.CmdSubst)
		if lit, ok := node.(*syntax.Lit); ok {
			found += lit.Value
		}
		return depth + 1, !subst
	})
	if found != "ade" {
		t.Errorf("got %q, want ade", found)
	}
}
