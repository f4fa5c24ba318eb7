package environ

import "testing"

func TestACutKeepsTheLastCharacterIfItIsComplete(t *testing.T) {
	for name, test := range map[string]struct {
		text string
		most int
		want string
	}{
		"a short text":                   {"aé", 9, "aé"},
		"one byte before the cut":        {"abc", 2, "ab"},
		"two bytes before the cut":       {"aéb", 3, "aé"},
		"three bytes before the cut":     {"a€b", 4, "a€"},
		"four bytes before the cut":      {"a😀b", 5, "a😀"},
		"one of two bytes":               {"aéb", 2, "a"},
		"two of three bytes":             {"a€b", 3, "a"},
		"three of four bytes":            {"a😀b", 4, "a"},
		"bytes that are not a character": {"a\x80\x80\x80\x80\x80b", 6, "a\x80\x80\x80\x80\x80"},
		"nothing":                        {"€", 0, ""},
		"less than the only character":   {"€", 2, ""},
	} {
		if got := Cut(test.text, test.most); got != test.want {
			t.Errorf("%s: got %q, want %q", name, got, test.want)
		}
	}
}
