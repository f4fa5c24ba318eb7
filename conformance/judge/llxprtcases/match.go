package llxprtcases

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"time"
)

// differences describes how got differs from want, both of them decoded JSON; empty if it does not.
// It follows FORMAT.md's "Matching values". Absent and null are the same, but neither is an empty
// object or an empty list: {} matches only an object without keys.
func differences(path string, want, got any) []string {
	switch want := want.(type) {
	case string:
		return textDifferences(path, want, got)
	case []any:
		return listDifferences(path, want, got)
	case map[string]any:
		return objectDifferences(path, want, got)
	}
	if want == got { // null, a number or a boolean
		return nil
	}
	return []string{departs(path, want, got)}
}

func departs(path string, want, got any) string {
	return fmt.Sprintf("%s: want %s, got %s", path, Show(want), Show(got))
}

func listDifferences(path string, want []any, got any) []string {
	list, ok := got.([]any)
	if !ok || len(list) != len(want) {
		return []string{departs(path, want, got)}
	}
	var all []string
	for i := range want {
		all = append(all, differences(fmt.Sprintf("%s[%d]", path, i), want[i], list[i])...)
	}
	return all
}

// subset marks an object that may have more keys than the expected ones.
const subset = "@SUBSET@"

func objectDifferences(path string, want map[string]any, got any) []string {
	object, ok := got.(map[string]any)
	if !ok {
		return []string{departs(path, want, got)}
	}
	var all []string
	for _, key := range slices.Sorted(maps.Keys(want)) {
		if key != subset {
			all = append(all, differences(path+"."+key, want[key], object[key])...)
		}
	}
	if want[subset] == true {
		return all
	}
	for _, key := range slices.Sorted(maps.Keys(object)) {
		if _, wanted := want[key]; !wanted && object[key] != nil {
			all = append(all, departs(path+"."+key, nil, object[key]))
		}
	}
	return all
}

func textDifferences(path, want string, got any) []string {
	if textMatches(want, got) {
		return nil
	}
	d := departs(path, want, got)
	if text, ok := got.(string); ok && max(len(want), len(text)) > longestShown {
		n := commonPrefix(want, text)
		d += fmt.Sprintf("; they part at byte %d: want %s, got %s", n, Show(excerpt(want, n)), Show(excerpt(text, n)))
	}
	return []string{d}
}

var uuid = regexp.MustCompile(`^(?i)[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$`)

// textMatches reports whether got matches want, which is a whole-string matcher or literal text. A date-time has the
// form of RFC 3339: ISO 8601 in a single spelling, with a time zone.
func textMatches(want string, got any) bool {
	text, isText := got.(string)
	switch want {
	case "@ANY@":
		return got != nil
	case "@ABSENT@":
		return got == nil
	case "@NONEMPTY@":
		return isText && text != ""
	case "@ISO8601@":
		_, err := time.Parse(time.RFC3339, text)
		return isText && err == nil
	case "@UUID@":
		return isText && uuid.MatchString(text)
	}
	if part, ok := strings.CutPrefix(want, "@CONTAINS:"); ok {
		if part, ok := strings.CutSuffix(part, "@"); ok {
			return isText && strings.Contains(text, part)
		}
	}
	return isText && text == want
}
