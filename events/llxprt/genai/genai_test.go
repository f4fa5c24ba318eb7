package genai

import (
	"reflect"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/snaphook-go/snaphook/wire"
)

// decode returns JSON as Go values that can be compared; of equal names the last one is used.
func decode(v jsontext.Value) any {
	switch v.Kind() {
	case '{':
		members := map[string]any{}
		for name, member := range wire.Object(v).Members() {
			members[name] = decode(member)
		}
		return members
	case '[':
		elements := []any{}
		for _, element := range list(v) {
			elements = append(elements, decode(element))
		}
		return elements
	}
	var scalar any
	if json.Unmarshal(v, &scalar, asJavaScript) != nil {
		return string(v)
	}
	return scalar
}

func wantJSON(t *testing.T, got wire.Object, want string) {
	t.Helper()
	if !value(got).IsValid(asJavaScript) {
		t.Fatalf("got %s, which is not JSON; want %s", got, want)
	}
	if !reflect.DeepEqual(decode(value(got)), decode(jsontext.Value(want))) {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

type translation struct {
	name       string
	hook, base string // the hook's output, and the SDK value that the hook was shown; "": none
	want       string
}

func run(t *testing.T, from func(hook, base wire.Object) wire.Object, tests []translation) {
	t.Helper()
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			wantJSON(t, from(wire.Object(test.hook), wire.Object(test.base)), test.want)
		})
	}
}

func runTo(t *testing.T, to func(sdk wire.Object) wire.Object, tests []translation) {
	t.Helper()
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) { wantJSON(t, to(wire.Object(test.base)), test.want) })
	}
}
