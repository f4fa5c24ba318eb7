package claudecases

import (
	"bytes"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/snaphook-go/snaphook/conformance/judge/llxprtcases"
)

// same reports whether two JSON texts have the same value. The order of members and the spelling of
// numbers do not matter, and big integers are compared exactly.
func same(a, b jsontext.Value) bool {
	a, errA := canonical(a)
	b, errB := canonical(b)
	return errA == nil && errB == nil && bytes.Equal(a, b)
}

func canonical(v jsontext.Value) (jsontext.Value, error) {
	v = v.Clone()
	err := v.Canonicalize(jsontext.CanonicalizeRawInts(false))
	return v, err
}

// trimmed returns a text without its trailing newlines, and anything else as it is.
func trimmed(v jsontext.Value) jsontext.Value {
	var text string
	if v.Kind() != '"' || json.Unmarshal(v, &text) != nil {
		return v
	}
	return quote(strings.TrimRight(text, "\n"))
}

// lacks returns, in words, the parts of want that are missing in got. An object may have further members, at every
// depth; a list must have the same number of elements.
func lacks(path string, want, got jsontext.Value) []string {
	if want.Kind() != got.Kind() || !got.IsValid() {
		return departures(path, want, got)
	}
	switch want.Kind() {
	case '{':
		return lacksMembers(path, want, got)
	case '[':
		return lacksElements(path, want, got)
	}
	if !same(want, got) {
		return departures(path, want, got)
	}
	return nil
}

func lacksMembers(path string, want, got jsontext.Value) (all []string) {
	var wanted, there map[string]jsontext.Value
	if json.Unmarshal(want, &wanted) != nil || json.Unmarshal(got, &there) != nil {
		return departures(path, want, got)
	}
	for _, name := range slices.Sorted(maps.Keys(wanted)) {
		if value, ok := there[name]; ok {
			all = append(all, lacks(path+"."+name, wanted[name], value)...)
		} else {
			all = append(all, fmt.Sprintf("%s.%s: want %s, got nothing", path, name, show(wanted[name])))
		}
	}
	return all
}

func lacksElements(path string, want, got jsontext.Value) (all []string) {
	var wanted, there []jsontext.Value
	if json.Unmarshal(want, &wanted) != nil || json.Unmarshal(got, &there) != nil || len(wanted) != len(there) {
		return departures(path, want, got)
	}
	for i := range wanted {
		all = append(all, lacks(fmt.Sprintf("%s[%d]", path, i), wanted[i], there[i])...)
	}
	return all
}

func departures(path string, want, got jsontext.Value) []string {
	return []string{fmt.Sprintf("%s: want %s, got %s", path, show(want), show(got))}
}

// show formats any value for a person.
func show(v any, options ...json.Options) string {
	return llxprtcases.Show(plain(v), options...)
}

// plain returns the value that v decodes or converts to as JSON, or v as a text if that fails.
func plain(v any) any {
	text, isText := v.(jsontext.Value)
	if !isText {
		var err error
		if text, err = json.Marshal(v, jsontext.AllowInvalidUTF8(true)); err != nil {
			return fmt.Sprint(v)
		}
	}
	var decoded any
	if err := json.Unmarshal(text, &decoded); err != nil {
		return string(text) // text is a file or a request, not JSON
	}
	if decoded == nil {
		return jsontext.Value("null") // null differs from a missing value
	}
	return decoded
}
