package wire_test

import (
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/snaphook-go/snaphook/wire"
)

func TestValuesAreEqualWhateverTheirSpelling(t *testing.T) {
	for name, test := range map[string]struct {
		a, b string
		want bool
	}{
		"order and spaces":      {`{"a":1,"b":[2]}`, `{ "b": [2], "a": 1.0 }`, true},
		"an escape":             {`"é"`, `"\u00e9"`, true},
		"another value":         {`{"a":1}`, `{"a":2}`, false},
		"one member more":       {`{"a":1}`, `{"a":1,"b":null}`, false},
		"large numbers":         {`{"a":9007199254740993}`, `{"a":9007199254740992}`, false},
		"other notations":       {`[100, 1.50, 1E2]`, `[1e2, 1.5, 100]`, true},
		"the order of a list":   {`[1,2]`, `[2,1]`, false},
		"nothing and an empty":  {``, `{}`, false},
		"nothing and nothing":   {``, ``, true},
		"no JSON":               {`{"a"`, `{"a" `, false},
		"the same that is none": {`{"a"`, `{"a"`, true},
	} {
		if got := wire.Equal(jsontext.Value(test.a), jsontext.Value(test.b)); got != test.want {
			t.Errorf("%s: Equal(%s, %s) = %v, want %v", name, test.a, test.b, got, test.want)
		}
	}
}
