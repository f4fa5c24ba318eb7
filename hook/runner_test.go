package hook_test

import (
	"context"
	"testing"

	"github.com/snaphook-go/snaphook/hook"
)

type plainRunner struct{}

func (plainRunner) Run(context.Context, hook.Call) (hook.Reply, error) { return hook.Reply{}, nil }

type namedRunner struct {
	plainRunner
	name string
}

type wrappingRunner struct{ hook.Runner }

func (w wrappingRunner) Unwrap() hook.Runner { return w.Runner }

func TestRunnerAsFindsTheFirstRunnerOfAType(t *testing.T) {
	for name, tt := range map[string]struct {
		in    hook.Runner
		found string
		ok    bool
	}{
		"no Runner":                {nil, "", false},
		"another type":             {plainRunner{}, "", false},
		"the Runner itself":        {namedRunner{name: "a"}, "a", true},
		"a wrapped Runner":         {wrappingRunner{wrappingRunner{namedRunner{name: "b"}}}, "b", true},
		"another type in wrappers": {wrappingRunner{plainRunner{}}, "", false},
		"a wrapper without Runner": {wrappingRunner{}, "", false},
	} {
		if got, ok := hook.RunnerAs[namedRunner](tt.in); got.name != tt.found || ok != tt.ok {
			t.Errorf("%s: %q, %v; want %q, %v", name, got.name, ok, tt.found, tt.ok)
		}
	}
}
