package llxprtcases

import (
	"fmt"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

const longestShown = 300 // bytes of the longest string that is shown in full

// Show formats decoded JSON for a person, on one line unless the options demand otherwise; long
// strings are cut.
func Show(v any, options ...json.Options) string {
	if v == nil {
		return "nothing"
	}
	options = append(options, json.Deterministic(true), jsontext.AllowInvalidUTF8(true))
	b, err := json.Marshal(shorten(v), options...)
	if err != nil {
		return fmt.Sprintf("%v (%v)", v, err)
	}
	return string(b)
}

func shorten(v any) any {
	switch v := v.(type) {
	case string:
		if len(v) > longestShown {
			return fmt.Sprintf("%s… (%d bytes)", strings.ToValidUTF8(v[:longestShown/2], ""), len(v))
		}
	case []any:
		short := make([]any, len(v))
		for i := range v {
			short[i] = shorten(v[i])
		}
		return short
	case map[string]any:
		short := make(map[string]any, len(v))
		for key := range v {
			short[key] = shorten(v[key])
		}
		return short
	}
	return v
}

func commonPrefix(a, b string) int {
	n := 0
	for n < min(len(a), len(b)) && a[n] == b[n] {
		n++
	}
	return n
}

// excerpt returns the text around byte n.
func excerpt(s string, n int) string {
	return strings.ToValidUTF8(s[max(0, n-10):min(len(s), n+30)], "")
}
