package bounded_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/bmatcuk/doublestar/v4"
	"github.com/dlclark/regexp2/v2"
	"mvdan.cc/sh/v3/syntax"

	"github.com/snaphook-go/snaphook/internal/bounded"
)

func TestATextIsRefusedAboveItsLimitsAndNotAtThem(t *testing.T) {
	repeat := strings.Repeat
	tests := map[string]struct {
		check     func(string) error
		at, above string
		what      string
		limit     int
	}{
		"a long script":             {bounded.Shell, repeat("a", 128<<10), repeat("a", 128<<10+1), "bytes", 128 << 10},
		"round brackets":            {bounded.Shell, repeat("(", 8192), repeat("(", 8193), "brackets", 8192},
		"brackets of every kind":    {bounded.Shell, repeat("({[`", 2048), repeat("({[`", 2048) + "`", "brackets", 8192},
		"brackets that are closed":  {bounded.Shell, repeat("()", 8192), repeat("()", 8193), "brackets", 8192},
		"brackets that are quoted":  {bounded.Shell, "'" + repeat("(", 8192), "'" + repeat("(", 8193), "brackets", 8192},
		"a long expression":         {bounded.Pattern, repeat("a", 64<<10), repeat("a", 64<<10+1), "bytes", 64 << 10},
		"nested groups":             {bounded.Pattern, repeat("(a|", 16) + repeat(")", 16), repeat("(a|", 17) + repeat(")", 17), "nested groups", 16},
		"many groups, not nested":   {bounded.Pattern, repeat("(a|b)", 1000), repeat("(a|b)", 1000) + repeat("(?:", 17), "nested groups", 16},
		"brackets of a class":       {bounded.Pattern, repeat("[)](", 16), repeat("[)](", 17), "nested groups", 16},
		"brackets that begin one":   {bounded.Pattern, repeat("[])](", 16), repeat("[])](", 17), "nested groups", 16},
		"a class without a char":    {bounded.Pattern, repeat("[^])](", 16), repeat("[^])](", 17), "nested groups", 16},
		"brackets that are escaped": {bounded.Pattern, repeat(`\((`, 16), repeat(`\)(`, 17), "nested groups", 16},
		"brackets of a comment":     {bounded.Pattern, "(?x)#" + repeat(")(", 15), "(?x)#" + repeat(")(", 17), "nested groups", 16},
		"a long path":               {bounded.Glob, repeat("a", 4<<10), repeat("a", 4<<10+1), "bytes", 4 << 10},
		"braces in braces":          {bounded.Glob, repeat("{", 64), repeat("{", 65), "braces", 64},
		"choices one after another": {
			bounded.Glob, repeat("{a,b}", 10), repeat("{a,b}", 10) + "{a,b}", "combinations of alternatives in braces", 1024,
		},
		"many choices at once": {
			bounded.Glob, "{" + repeat(",", 1023) + "}", "{" + repeat(",", 1024) + "}", "combinations of alternatives in braces", 1024,
		},
		"choices in choices": {
			bounded.Glob, "{a,{b,c}}" + repeat("{a,b}", 8), "{a,{b,c}}" + repeat("{a,b}", 9), "combinations of alternatives in braces", 1024,
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			if err := test.check(test.at); err != nil {
				t.Errorf("at its limit: %v", err)
			}
			var over *bounded.Error
			if err := test.check(test.above); !errors.As(err, &over) || over.What != test.what || over.Limit != test.limit || over.Hint == "" {
				t.Errorf("above its limit: %v; want more than %d %s", err, test.limit, test.what)
			}
		})
	}
}

// The parsers survive every text within the bounds: the test runs them on the default stack, and an overflow would end
// the test's process.
func TestWhatIsLetThroughCanBeRead(t *testing.T) {
	for _, unit := range []string{"(", "{ ", "$(", "${a:-", "$((", "[[ (", "`", "a=(", "f() {", "case x in (a) ", "if (", "let (", "a[", "$["} {
		text := strings.Repeat(unit, 8192)
		for bounded.Shell(text) != nil {
			text = text[:len(text)*9/10]
		}
		for _, lang := range []syntax.LangVariant{syntax.LangBash, syntax.LangPOSIX} {
			_, _ = syntax.NewParser(syntax.Variant(lang)).Parse(strings.NewReader(text), "") // Parse has to return, with a result or an error
		}
	}
	for _, unit := range []string{"[", "a{1,2}", "a|", "a*", `\d`, "(a|b)", "(?:a|b)*", "[a-z]|", strings.Repeat("(?:a|b", 16) + strings.Repeat(")", 16)} {
		text := strings.Repeat(unit, bounded.MaxPattern/len(unit))
		if err := bounded.Pattern(text); err != nil {
			t.Fatal(err)
		}
		_, _ = regexp2.Compile(text, regexp2.ECMAScript) // it returns, in time
	}
	for _, unit := range []string{"{a,*a}", "{a,**/a}", "**/a/", "*a", "?", "[a-z]", "{a,{b,{c,", "**/*a*/"} {
		text := strings.Repeat(unit, bounded.MaxGlob/len(unit))
		for bounded.Glob(text) != nil {
			text = text[:len(text)-len(unit)]
		}
		for _, path := range []string{strings.Repeat("a/", 2000) + "c", strings.Repeat("a", 4000)} {
			_, _ = doublestar.Match(text, path) // it returns, in time
		}
	}
}

// ways counts the texts that a pattern stands for, one by one.
func ways(text string) (n int) {
	open := strings.IndexByte(text, '{')
	if open < 0 {
		return 1
	}
	depth, from, shut := 0, open+1, -1
	var parts []string
	for i := open; i < len(text) && shut < 0; i++ {
		switch c := text[i]; {
		case c == '{':
			depth++
		case c == '}':
			if depth--; depth == 0 {
				parts, shut = append(parts, text[from:i]), i
			}
		case c == ',' && depth == 1:
			parts, from = append(parts, text[from:i]), i+1
		}
	}
	if shut < 0 {
		return ways(text[open+1:]) // it is never closed
	}
	for _, part := range parts {
		n += ways(part)
	}
	return n * ways(text[shut+1:])
}

func FuzzGlobIsReadInFewWays(f *testing.F) {
	for _, seed := range []string{"a", "{a,b}{c,d}", "{a,{b,c}}", "{{a,b},{c,d},{e,f}}", "{{{{a,b},c},d},e}", "{a,b", "}{,}", strings.Repeat("{,}", 12)} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if len(text) > 200 || bounded.Glob(text) != nil {
			return
		}
		if n := ways(text); n > 1024 {
			t.Errorf("%q is let through, and stands for %d texts", text, n)
		}
	})
}
