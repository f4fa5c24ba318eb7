package jsrun_test

import (
	"testing"

	"github.com/snaphook-go/snaphook/jsrun"
)

func TestAResultIsSplitFromTheChangesBesideIt(t *testing.T) {
	for result, want := range map[string]struct {
		own, changed string
		assigned     int
	}{
		``:               {},
		`{"block":true}`: {own: `{"block":true}`},
		`{"$touched":{"changed":{"content":[]},"assigned":["input","toolName"]},"result":{"details":1}}`: {`{"details":1}`, `{"content":[]}`, 2},
		`{"$touched":{"changed":{},"assigned":["input"]}}`:                                               {"", `{}`, 1},
		`{"$touched":{"changed":`: {own: `{"$touched":{"changed":`},
	} {
		own, touched := jsrun.Split(jsrun.Value(result))
		if string(own) != want.own || string(touched.Changed) != want.changed || len(touched.Assigned) != want.assigned {
			t.Errorf("%s: %s, %+v", result, own, touched)
		}
	}
}

func FuzzSplit(f *testing.F) {
	f.Add(`{"$touched":{"changed":{"content":[]},"assigned":["input"]},"result":{"details":1}}`)
	f.Add(`{"$touched":[]}`)
	f.Add(`{"$touched":`)
	f.Fuzz(func(t *testing.T, result string) {
		own, touched := jsrun.Split(jsrun.Value(result))
		if len(own)+len(touched.Changed) > len(result) {
			t.Errorf("%q: %q, %+v", result, own, touched)
		}
	})
}
