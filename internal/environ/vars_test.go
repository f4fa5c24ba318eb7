package environ

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestVariablesAreFoundByTheirWholeName(t *testing.T) {
	env := []string{"A=1", "AB=2", "A=3", "bare", "E=x=y"}
	for name, want := range map[string]string{"A": "3", "AB": "2", "B": "", "bare": "", "a": "", "E": "x=y"} {
		if got := Getenv(env, name); got != want {
			t.Errorf("%s: got %q, want %q", name, got, want)
		}
	}
}

func TestWithVarReplacesInACopy(t *testing.T) {
	env := []string{"A=1", "AB=2", "A=3"}
	before := slices.Clone(env)
	if diff := cmp.Diff([]string{"AB=2", "A=x=y"}, WithVar(env, "A", "x=y")); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	if diff := cmp.Diff(before, env); diff != "" {
		t.Errorf("WithVar changed its argument (-before +after):\n%s", diff)
	}
}
