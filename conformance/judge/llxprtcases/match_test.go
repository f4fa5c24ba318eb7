package llxprtcases

import (
	"strings"
	"testing"
)

func TestMatching(t *testing.T) {
	tests := []struct {
		name, want, got string
		match           bool
	}{
		{"null is null", `null`, `null`, true},
		{"null is not false", `null`, `false`, false},
		{"null is not an empty string", `null`, `""`, false},
		{"null is not an empty object", `null`, `{}`, false},
		{"null is not an empty list", `null`, `[]`, false},
		{"false is not null", `false`, `null`, false},
		{"booleans", `true`, `true`, true},
		{"other booleans", `true`, `false`, false},
		{"a boolean is not its name", `true`, `"true"`, false},
		{"numbers of another spelling", `1`, `1.0`, true},
		{"big numbers", `1e+21`, `1000000000000000000000`, true},
		{"other numbers", `1`, `1.5`, false},
		{"a number is not its text", `1`, `"1"`, false},
		{"zero is not false", `0`, `false`, false},
		{"zero is not null", `0`, `null`, false},
		{"strings", `"a"`, `"a"`, true},
		{"strings in other case", `"a"`, `"A"`, false},
		{"a string is not its number", `"1"`, `1`, false},
		{"an empty string is not null", `""`, `null`, false},
		{"lists", `[1, "a", null]`, `[1, "a", null]`, true},
		{"lists in another order", `[1, 2]`, `[2, 1]`, false},
		{"a longer list", `[1]`, `[1, null]`, false},
		{"a shorter list", `[1, null]`, `[1]`, false},
		{"an empty list", `[]`, `[]`, true},
		{"an empty list is not null", `[]`, `null`, false},
		{"an empty list is not an object", `[]`, `{}`, false},
		{"objects", `{"a": 1, "b": {"c": [2]}}`, `{"b": {"c": [2]}, "a": 1}`, true},
		{"a missing key", `{"a": 1}`, `{}`, false},
		{"a key in other case", `{"a": 1}`, `{"A": 1}`, false},
		{"another key", `{"a": 1}`, `{"a": 1, "b": 2}`, false},
		{"another key that is false", `{"a": 1}`, `{"a": 1, "b": false}`, false},
		{"another key that is null", `{"a": 1}`, `{"a": 1, "b": null}`, true},
		{"a wanted null that is absent", `{"a": null}`, `{}`, true},
		{"an empty object", `{}`, `{}`, true},
		{"an empty object with nulls", `{}`, `{"a": null}`, true},
		{"an empty object is not null", `{}`, `null`, false},
		{"an empty object is not a full one", `{}`, `{"a": 1}`, false},
		{"an object is not a list", `{}`, `[]`, false},
		{"a subset", `{"@SUBSET@": true, "a": 1}`, `{"a": 1, "b": 2}`, true},
		{"a subset has to match", `{"@SUBSET@": true, "a": 1}`, `{"a": 2, "b": 2}`, false},
		{"a subset is not null", `{"@SUBSET@": true}`, `null`, false},
		{"a subset holds for its object only", `{"@SUBSET@": true, "a": {}}`, `{"a": {"b": 1}}`, false},
		{"a subset further down", `{"a": {"@SUBSET@": true}}`, `{"a": {"b": 1}}`, true},
		{"a marker that is off", `{"@SUBSET@": false, "a": 1}`, `{"a": 1, "b": 2}`, false},
		{"any: a string", `"@ANY@"`, `""`, true},
		{"any: false", `"@ANY@"`, `false`, true},
		{"any: an object", `"@ANY@"`, `{}`, true},
		{"any is not null", `"@ANY@"`, `null`, false},
		{"any in an object is not absent", `{"a": "@ANY@"}`, `{}`, false},
		{"absent", `{"a": "@ABSENT@"}`, `{}`, true},
		{"absent: null", `"@ABSENT@"`, `null`, true},
		{"absent is not an empty string", `"@ABSENT@"`, `""`, false},
		{"absent is not an empty object", `"@ABSENT@"`, `{}`, false},
		{"absent is not its own name", `"@ABSENT@"`, `"@ABSENT@"`, false},
		{"non-empty", `"@NONEMPTY@"`, `" "`, true},
		{"non-empty: an empty string", `"@NONEMPTY@"`, `""`, false},
		{"non-empty: a number", `"@NONEMPTY@"`, `1`, false},
		{"non-empty: a list", `"@NONEMPTY@"`, `["a"]`, false},
		{"non-empty: null", `"@NONEMPTY@"`, `null`, false},
		{"a date-time", `"@ISO8601@"`, `"2025-02-18T16:30:00.000Z"`, true},
		{"a date-time with an offset", `"@ISO8601@"`, `"2025-02-18T16:30:00+01:00"`, true},
		{"a date alone", `"@ISO8601@"`, `"2025-02-18"`, false},
		{"a day that does not exist", `"@ISO8601@"`, `"2025-02-30T16:30:00Z"`, false},
		{"a date-time of another form", `"@ISO8601@"`, `"Tue, 18 Feb 2025 16:30:00 GMT"`, false},
		{"a date-time as number", `"@ISO8601@"`, `1739896200`, false},
		{"a uuid", `"@UUID@"`, `"123e4567-e89b-12d3-A456-426614174000"`, true},
		{"a uuid with more", `"@UUID@"`, `"x123e4567-e89b-12d3-a456-426614174000"`, false},
		{"a uuid with a line break", `"@UUID@"`, `"123e4567-e89b-12d3-a456-426614174000\n"`, false},
		{"a uuid: null", `"@UUID@"`, `null`, false},
		{"contains", `"@CONTAINS:b c@"`, `"a b c d"`, true},
		{"contains: not", `"@CONTAINS:x@"`, `"a b c d"`, false},
		{"contains: in other case", `"@CONTAINS:B@"`, `"abc"`, false},
		{"contains an at sign", `"@CONTAINS:a@b@"`, `"xa@by"`, true},
		{"contains: a list", `"@CONTAINS:a@"`, `["a"]`, false},
		{"contains: null", `"@CONTAINS:a@"`, `null`, false},
		{"an open matcher is meant literally", `"@CONTAINS:a"`, `"a"`, false},
		{"a matcher within a longer string is meant literally", `"x@ANY@"`, `"xy"`, false},
		{"an unknown matcher is meant literally", `"@MAYBE@"`, `"x"`, false},
		{"matchers deep down", `{"a": ["@NONEMPTY@", {"b": "@UUID@"}]}`, `{"a": ["x", {"b": "no"}]}`, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			found := differences("v", decode[any](t, tt.want), decode[any](t, tt.got))
			if (len(found) == 0) != tt.match {
				t.Errorf("want %s, got %s: differences %q", tt.want, tt.got, found)
			}
		})
	}
}

func TestDifferencesReadWell(t *testing.T) {
	long := strings.Repeat("x", 1000)
	tests := []struct{ name, want, got, words string }{
		{"a value", `{"reason": "x"}`, `{"reason": "y"}`, `final.reason: want "x", got "y"`},
		{"nothing", `{"reason": "x"}`, `{}`, `final.reason: want "x", got nothing`},
		{"too much", `{}`, `{"b": [1]}`, `final.b: want nothing, got [1]`},
		{"deep down", `{"a": [{"b": 1}]}`, `{"a": [{"b": 2}]}`, `final.a[0].b: want 1, got 2`},
		{"text for scripts", `"<&>"`, `"ü"`, `final: want "<&>", got "ü"`},
		{
			"long strings", `"` + long + `a"`, `"` + long + `b"`,
			`final: want "` + long[:150] + `… (1001 bytes)", got "` + long[:150] + `… (1001 bytes)"; they part at byte 1000: want "xxxxxxxxxxa", got "xxxxxxxxxxb"`,
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := differences("final", decode[any](t, tt.want), decode[any](t, tt.got))
			if len(got) != 1 || got[0] != tt.words {
				t.Errorf("got %q, want %q", got, tt.words)
			}
		})
	}
}
