package xcshcases_test

import (
	"strings"
	"testing"

	"go.uber.org/goleak"

	"github.com/snaphook-go/snaphook/conformance/judge/llxprtcases"
	xcshcases "github.com/snaphook-go/snaphook/conformance/judge/xcshcases"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func cases(t *testing.T) []xcshcases.Case {
	dir, found := llxprtcases.Dir("xcsh")
	if !found {
		t.Skip("there are no xcsh cases in the directory of SNAPHOOK_CASES")
	}
	cases, err := xcshcases.Load(dir)
	if err != nil {
		t.Fatal(err)
	}
	return cases
}

func TestXcsh(t *testing.T) { xcshcases.Run(t, cases(t), xcshcases.Options{}) }

func TestXcshUntyped(t *testing.T) {
	xcshcases.Run(t, cases(t), xcshcases.Options{Make: xcshcases.Untyped})
}

func TestEveryCaseHasAModule(t *testing.T) {
	for _, c := range cases(t) {
		for _, h := range c.Hooks {
			if text := xcshcases.GenerateJS(h); strings.Contains(text, "__HOOK__") {
				t.Errorf("%s: %s", c.Name, text)
			}
		}
	}
}
