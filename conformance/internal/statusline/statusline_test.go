package statusline_test

import (
	"fmt"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/snaphook-go/snaphook/conformance/internal/statusline"
)

func TestTextsAreMadeFitForOneLine(t *testing.T) {
	for _, tt := range []struct{ text, want string }{
		{"one\ttab\r\nx", "one tab x"},
		{"two\n  lines", "two lines"},
		{"  padded  ", "padded"},
		{"\u00a0padded\ufeff", "padded"},
		{"", ""},
		{"a\x00b\x7fc\u0085d\u009be", "abcde"},
		{"\x1b[31mred\x1b[0m", "\x1b[31mred\x1b[0m"},
		{"\x1b[38;2;1:2:3mred", "\x1b[38;2;1:2:3mred"},
		{"\x1b[2Jgone", "[2Jgone"},
		{"\x1b[31", "[31"},
		{"\x1b\x00[31mx", "[31mx"},
		{"\x1b\x1b[1mx", "\x1b[1mx"},
		{"\x1b]0;title\x07x", "]0;titlex"},
		{"a\xffb", "a\ufffdb"},
		{"a\x9b31mb", "a\ufffd31mb"},
		{"a \x00 b", "a b"},
		{"naïve 日本語 👩‍👩‍👧", "naïve 日本語 👩‍👩‍👧"},
	} {
		if got := statusline.Sanitize(tt.text); got != tt.want {
			t.Errorf("%q becomes %q, want %q", tt.text, got, tt.want)
		}
	}
}

func TestLinesAreCutToTheTerminal(t *testing.T) {
	for _, tt := range []struct {
		text    string
		columns int
		want    string
	}{
		{"hello world", 12, "hello world"},
		{"hello world", 11, "hello world"},
		{"hello world", 10, "hello wor…"},
		{"hello world", 2, "h…"},
		{"hello world", 1, "…"},
		{"hello world", 0, ""},
		{"hello world", -1, ""},
		{"日本語テキスト", 5, "日本…"},
		{"日本語テキスト", 6, "日本…"},
		{"日本語", 6, "日本語"},
		{"ab👩‍👩‍👧cd", 4, "ab…"},
		{"ab👩‍👩‍👧cd", 5, "ab👩‍👩‍👧…"},
		{"é́é́é́", 2, "é́…"},
		{"\x1b[31mhello\x1b[0m", 5, "\x1b[31mhello\x1b[0m"},
		{"\x1b[31mhello\x1b[0m", 3, "\x1b[31mhe…\x1b[0m"},
	} {
		var l statusline.Line
		l.Set("k", tt.text)
		if got, ok := l.Render(tt.columns); got != tt.want || !ok {
			t.Errorf("%q in %d columns: %q, %v; want %q", tt.text, tt.columns, got, ok, tt.want)
		}
	}
}

func TestKeysAreInByteOrder(t *testing.T) {
	var l statusline.Line
	for _, key := range strings.Fields("b B _x é a 10 9 A z") {
		l.Set(key, key)
	}
	if got, _ := l.Render(80); got != "10 9 A B _x a b z é" {
		t.Errorf("got %q", got)
	}
}

func TestABlankTextTakesItsPlace(t *testing.T) {
	var l statusline.Line
	l.Set("a", "x")
	l.Set("b", " \n")
	l.Set("c", "y")
	if got, _ := l.Render(80); got != "x  y" {
		t.Errorf("got %q, want two spaces", got)
	}
	l.Clear("b")
	l.Clear("never set")
	if got, _ := l.Render(80); got != "x y" {
		t.Errorf("got %q after the blank one was cleared", got)
	}
}

func TestWithoutTextsThereIsNoLine(t *testing.T) {
	var l statusline.Line
	if _, ok := l.Render(80); ok {
		t.Error("an empty line is shown")
	}
}

func FuzzSanitize(f *testing.F) {
	for _, seed := range []string{"a\tb", "\x1b[31mx", "\x1b[", "\xff\x9b", " \u00a0", "👩‍👩‍👧"} {
		f.Add(seed, 7)
	}
	f.Fuzz(func(t *testing.T, text string, columns int) {
		clean := statusline.Sanitize(text)
		if again := statusline.Sanitize(clean); again != clean || !utf8.ValidString(clean) {
			t.Errorf("%q becomes %q, and that %q", text, clean, again)
		}
		for i, r := range clean {
			if unicode.IsControl(r) && (r != 0x1b || !strings.HasPrefix(clean[i:], "\x1b[")) {
				t.Errorf("%q keeps the control character %U: %q", text, r, clean)
			}
		}
		var l statusline.Line
		l.Set("k", text)
		columns = max(0, columns%200)
		if line, _ := l.Render(columns); statusline.Width(line) > columns {
			t.Errorf("%q takes %d of %d columns", line, statusline.Width(line), columns)
		}
	})
}

func ExampleLine() {
	var l statusline.Line
	l.Set("tests", "12 passed\n")
	l.Set("branch", "main")
	line, _ := l.Render(80)
	fmt.Println(line)
	line, _ = l.Render(10)
	fmt.Println(line)
	// Output:
	// main 12 passed
	// main 12 p…
}
