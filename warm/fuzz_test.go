package warm

import (
	"strings"
	"testing"
)

// quote returns a word of bash for a text.
func quote(text string) string { return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'" }

// FuzzGrep checks that grep in this process finds the same as the installed grep.
func FuzzGrep(f *testing.F) {
	needPrograms(f)
	tools := Tools()
	for _, seed := range []struct{ flags, pattern, text string }{
		{"qE", `rm +-(rf|fr)|mkfs`, "rm -rf /\n"}, {"c", `a\{2,3\}b*`, "aab\naaa\nab"}, {"oE", "[a-z]+|[0-9]{2}", "ab 123 c4\nX"},
		{"niw", "ab", "AB abc\nab\n"}, {"vx", "a.c", "abc\nabcd\n"}, {"F", "a.b", "a.b\naxb\n"}, {"E", `\bfoo\b`, "a foo b\nfoobar"},
		{"E", "^[^[:space:]]*$", "a b\nab\n\n"}, {"E", "(^| )x", "x\n x\nax\n"}, {"oi", "[a-c]*", "xABCxcab"}, {"E", "a||b", "a"}, {"E", "a**", "a"},
		{"E", "()", "a"}, {"", `\(a\)\1`, "aa"}, {"E", "[[.a.]]", "a"}, {"E", "a{,2}", "aaa"}, {"", "*a", "*a"}, {"E", "[é-ü]", "é"}, {"E", "é.", "éa\né\n"},
		{"ow", "a*", "a aa-b"}, {"m1", "a", "a\na\n"}, {"E", `[\w]`, "w\\"}, {"", `a\?`, ""}, {"E", "^*", "*"}, {"E", "x{2}{3}", "x"}, {"w", "a|b", "a|b"},
		{"wE", "a|ab", "ab c"}, {"wE", "-a", "x-a"}, {"ciE", "[^a-z]", "abc\nABC\n1"}, {"E", "$^", ""}, {"oE", "(a|ab)(c|bcd)", "abcd"},
	} {
		f.Add(seed.flags, seed.pattern, seed.text)
	}
	f.Fuzz(func(t *testing.T, flags, pattern, text string) {
		if len(flags) > 4 || strings.Trim(flags, "qEFGivocwxnm1") != "" || len(pattern) > 60 || len(text) > 200 || strings.IndexByte(text+pattern, 0) >= 0 {
			return
		}
		script := "grep -e " + quote(pattern)
		if flags != "" {
			script = "grep -" + flags + " -e " + quote(pattern)
		}
		same(t, tools, script, "C.UTF-8", []string{text})
		same(t, tools, script, "C", []string{text})
	})
}

// FuzzSed checks that sed in this process prints the same as the installed sed.
func FuzzSed(f *testing.F) {
	needPrograms(f)
	tools := Tools()
	for _, seed := range []struct{ flags, script, text string }{
		{"", "s/a/b/", "aa\nb"}, {"E", "s/[a-c]+/<&>/g", "abcx a\n"}, {"n", "s/^k: *//p", "k: v\nx\n"}, {"", `s|a\.b|\\&|g`, "a.b.a.b"}, {"", "2,3d", "a\nb\nc\nd"},
		{"n", "$p", "a\nb"}, {"", "/x/d;s/^/  /", "x\ny\n\n"}, {"", `s/\(a*\)\(b*\)/\2\1/`, "aabb"}, {"nE", `s/.*"k": ?"([^"]*)".*/\1/p`, `{"k": "v", "k":"w"}`},
		{"E", "s/(a|b)*c/x/", "ababc"}, {"", "s/x*/-/g", "abc"}, {"", "s/b*$/-/", "abb"}, {"", "1!s/a/b/", "a\na"}, {"", `s/\bx/y/g`, "x xx"},
		{"", "s/[/]/x/", "a/b"}, {"", `s/[\/]/X/g`, `a\b/c`}, {"", "s,a\\,b,x,", "a,b"}, {"E", "s/a{2}/x/2", "aaaa"}, {"", "p;p", "x"}, {"", "s/a/\\n/;s/a/b/", "aa"}, {"", "$!d", "a\nb\n"},
		{"E", `s/([^:]*):(.*):([0-9]+)/\3\2\1/`, "a:b:c:12"}, {"", "1d;1d", "a"}, {"", "0p", "a"}, {"", "s/é/e/", "é"}, {"", "", "a"}, {"", ";;p;", "a"}, {"", "s/a/b/ ; p", "a"},
	} {
		f.Add(seed.flags, seed.script, seed.text)
	}
	f.Fuzz(func(t *testing.T, flags, script, text string) {
		if len(flags) > 2 || strings.Trim(flags, "nEr") != "" || len(script) > 60 || len(text) > 200 || strings.IndexByte(text+script, 0) >= 0 {
			return
		}
		command := "sed"
		for _, flag := range flags {
			command += " -" + string(flag)
		}
		command += " -e " + quote(script)
		same(t, tools, command, "C.UTF-8", []string{text})
		same(t, tools, command, "C", []string{text})
	})
}

// FuzzMatch checks that [[ =~ ]] in this process finds the same as in bash.
func FuzzMatch(f *testing.F) {
	needPrograms(f)
	tools := Tools()
	for _, seed := range []struct{ pattern, text string }{
		{`^rm.*(-rf|-fr)$`, "rm -rf"}, {`a$`, "a\nb"}, {`^b`, "a\nb"}, {`[^a]`, "a\n"}, {`.`, "\n"}, {`(a|b){2}`, "ab"}, {`\.env`, "x.env"}, {"a b", "a b"},
	} {
		f.Add(seed.pattern, seed.text)
	}
	f.Fuzz(func(t *testing.T, pattern, text string) {
		if len(pattern) > 60 || len(text) > 200 || strings.IndexByte(text+pattern, 0) >= 0 {
			return
		}
		same(t, tools, "x=$(cat); re="+quote(pattern)+"; [[ $x =~ $re ]]; echo $?; [[ $x =~ \"$re\" ]]; echo $?", "C.UTF-8", []string{text})
		if strings.Trim(pattern, "abcxyz019^$.*+?()|[]-") == "" && pattern != "" {
			same(t, tools, "x=$(cat); [[ $x =~ "+pattern+" ]]; echo $?", "C", []string{text})
		}
	})
}

// FuzzJQ checks that jq in this process prints the same as the installed jq.
func FuzzJQ(f *testing.F) {
	needPrograms(f)
	tools := Tools()
	for _, filter := range []string{
		".", ".a", ".a.b?", ".a // \"x\"", ".[]", "..", ".a[0]", ".a[1:]", "{a, b: .c}", "[.[] | .x?]", "if .a then 1 else 2 end", "\"\\(.a) x\"", "1, 2", "1 + 2",
		".a | test(\"x\")", "keys", "reduce .[] as $x (0; . + 1)", ". as $x | [$x]", "try .a", "try error(\"x\")", "first(.[])", "any", "-1", "- 1", ".a.[0]",
		"{a:1,}", "{\"a b\": 1}", "{(.a): 1}", "..a", ". a", ".a == .b", ".a < 1", "not", "1 as $x | 2 as $y | [$x, $y]", "def f: .; f", "limit(1; .[])", "@json",
		"@base64", "{a: 1 + 2}", "{a: if . then 1 else 2 end}", ".a as [$x] | $x", "1 == 1 == 1", "1 // 2 // 3", "null // empty", "1 - -1", ".a?.b?", ".[\"a\"]?", "[.[]?]",
		"\"a\" * 3", "{} * {}", "[1,2] - [1]", "join(\",\")", "split(\",\")", "range(1e9)", "until(false; .)", "recurse(.)", "[limit(3; repeat(1))]", "input", "env", "$ENV",
		"tojson", "tostring", "ascii_downcase", "\"\\u00e9\"", "\"é\"", "# x", ". # x", "true and (true or error)", "[.[] | select(. > 1)]", ".. | numbers", "to_entries",
		"{a:1} | .b", "[1,[2]] | .. ", ".a |= 1", "del(.a)", "..?", ".a[]?", ".a[", "\"\\(1;2)\"", "{a:.b|.c}", "{a:-1}", "[][0]", "\"abc\"[1:2]", "\"x\" | .[0]",
	} {
		f.Add(filter, `{"a":{"b":"x"},"c":[1,2,null,{"x":"y"}]}`)
	}
	for _, in := range []string{"", "1", "-0", "1.0", "1e2", "[1 2]", "{\"a\":1}{\"a\":2}", "1 2", "truefalse", "\"\\ud800\"", "\"\\ud83d\\ude00\"", "nan", "[1,]", "\ufeff1", "'a'"} {
		f.Add(".", in)
		f.Add(".a?", in)
	}
	f.Fuzz(func(t *testing.T, filter, in string) {
		if len(filter) > 100 || len(in) > 300 || strings.IndexByte(filter+in, 0) >= 0 || strings.Contains(filter, "input") {
			return
		}
		same(t, tools, "jq -c "+quote(filter), "C.UTF-8", []string{in})
		same(t, tools, "jq -re "+quote(filter), "C.UTF-8", []string{in})
	})
}
