package unread

import (
	"bytes"
	"math/rand/v2"
	"reflect"
	"regexp"
	"strings"
	"testing"
)

// The expressions and the functions of this package find the same. The package does not use the expressions, because
// they need a second for 4 MB of text.
const (
	quote   = "\\\\*[\"'`]?"
	refused = `(?:den(?:y|ied|ies)|block(?:ed|s)?|reject(?:ed|s)?|refuse[ds]?|forbid(?:den|s)?|disallow(?:ed)?|prohibit(?:ed|s)?)`
	decides = `(?:decision|behaviou?r|verdict|permission|action)` + quote + `\s*[:=]\s*` + quote + `\s*` + refused + `\b`
	answers = "\\\\*[\"'`]" + `\s*[:=]\s*` + "\\\\*[\"'`]" + `\s*` + refused + `\s*` + "\\\\*[\"'`]"
	isTrue  = `\b` + refused + quote + `\s*[:=]\s*(?:true|1|yes|` + "\\\\*[\"'`])"
	isFalse = `\b(?:continue|allow(?:ed)?|approved?|permit(?:ted)?|proceed|ok)` + quote + `\s*[:=]\s*` + quote + `(?:false|0|no)\b`
)

var (
	formal = regexp.MustCompile(`(?i)` + decides + `|` + answers + `|` + isTrue + `|` + isFalse)
	plain  = regexp.MustCompile(`(?im)^\W*` + refused + `(?:\s*[:!]|["'.]*\s*$)`)

	fragment = regexp.MustCompile(`\{\s*["']|["']\s*:\s*(?:["'{\[\d]|true|false|null)|(?:["'\]}\d]|true|false|null)\s*\}\s*$`)
	object   = regexp.MustCompile(`\{\s*(?:["']|[A-Za-z_]+\s*:)`)
)

// sameAsExpressions checks that the words of a denial, and parts of objects, are found exactly where the expressions
// match.
func sameAsExpressions(t *testing.T, text []byte) {
	t.Helper()
	if got, want := deniesInMember(text), formal.Match(text); got != want {
		t.Fatalf("%q: a member denies is %v, want %v", text, got, want)
	}
	if got, want := deniesInLine(text), plain.Match(text); got != want {
		t.Fatalf("%q: a line denies is %v, want %v", text, got, want)
	}
	if got, want := hasFragment(text), fragment.Match(text); got != want {
		t.Fatalf("%q: has a part of an object is %v, want %v", text, got, want)
	}
	want := -1
	if at := object.FindIndex(text); at != nil {
		want = at[0]
	}
	if got := objectIn(text); got != want {
		t.Fatalf("%q: an object begins at %d, want %d", text, got, want)
	}
}

func TestWordsAndObjectsAreFoundAsByExpressions(t *testing.T) {
	parts := strings.Split("decision behavior behaviour verdict permission action deny denied denies DENY block blocked blocks bloc\u212A "+
		"reject refu\u017Fe refused forbidden forbids disallow disallowed prohibit prohibited continue allow allowed approve approved "+
		"permit permitted proceed ok OK o\u212A false FALSE fal\u017Fe 0 no true 1 yes \u017F \u212A x _ 7 é ! . \\ \\\\ \" ' ` : = : = : = \" \" \\\" { } , { } [ ] null nul", " ")
	parts = append(parts, " ", "\n", "\t", "\r\n", "\f", "\v", "\xff", "\xe2", "\xc5")
	random := rand.New(rand.NewPCG(1, 2))
	found := 0
	for range 60_000 {
		var text []byte
		for range 1 + random.IntN(9) {
			text = append(text, parts[random.IntN(len(parts))]...)
		}
		sameAsExpressions(t, text)
		if Denies(text) {
			found++
		}
	}
	if found < 1000 {
		t.Errorf("only %d of the texts deny", found)
	}
}

func FuzzWordsAndObjects(f *testing.F) {
	for _, text := range []string{`{"decision":"deny"}`, `decision : \"block\"`, "no\nBlocked.\n", `'refused' = yes`, `continue: "false"`, "bloc\u212A: 1"} {
		f.Add([]byte(text))
	}
	f.Fuzz(sameAsExpressions)
}

// Each level of a nested object is read once.
func TestDoubtIsFoundInDeepObjectsInTime(t *testing.T) {
	const levels = 9_000
	for last, want := range map[string]bool{`"x"`: false, `{"desicion":1}`: true, `[{"decision":1}]`: false} {
		text := strings.Repeat(`{"a":`, levels) + last + `,"b":"` + strings.Repeat("x", 1<<20) + `"` + strings.Repeat("}", levels)
		if got := Doubtful([]byte(text)); got != want {
			t.Errorf("%s below %d objects: doubtful is %v, want %v", last, levels, got, want)
		}
	}
}

// A long text takes a time that grows with its length only, however many words, quotes and separators it has.
func TestALongTextIsSearchedInTime(t *testing.T) {
	const size = 1 << 20
	for _, part := range []string{"x", ":", " ", `\`, `"`, `":"`, `: \ `, "decision:", "decision:deny_", `"":"deny x`, "den", "blocked ", "x:blocked", "\n", "\u212A", "xdeny:t", "behaviou:\n", "{", "{ ", "{a", "}"} {
		text := bytes.Repeat([]byte(part), size/len(part))
		if Denies(text) || objectIn(text) >= 0 {
			t.Errorf("%q denies or begins an object if it is repeated", part)
		}
		hasFragment(text)
	}
	long := []byte("decision" + strings.Repeat(" ", size) + ":" + strings.Repeat(" ", size) + "deny")
	if !Denies(long) {
		t.Error("a denial with much white space is lost")
	}
}

// Each value of a member that occurs often is added to the unused text once, however long the first value is.
func TestUnusedTextIsNotLongerThanTheAnswer(t *testing.T) {
	form := FormOf(nil, nil, reflect.TypeFor[struct{}]())
	answer := `{"reason":"` + strings.Repeat("x", 1<<16) + `"` + strings.Repeat(`,"reason":""`, 1<<16) + `}`
	if r := form.Read([]byte(answer)); len(r.Unread) > len(answer)+1<<17 || r.Why == "" {
		t.Errorf("%d bytes are unused in an answer of %d: %q", len(r.Unread), len(answer), r.Why)
	}
}
