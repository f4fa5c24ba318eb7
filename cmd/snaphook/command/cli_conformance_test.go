package command

import (
	"path/filepath"
	"testing"

	"github.com/snaphook-go/snaphook/conformance/judge/clicases"
	"github.com/snaphook-go/snaphook/internal/testkit"
)

// TestCLI judges the built binary by the cases of Codex, Copilot and Cursor, and of the profiles of Claude
// Code. Rules CX10, CX14, CX33, CX34, CX35, CX36 and CX40 have no other test.
func TestCLI(t *testing.T) { clicases.Run(t, build(t)) }

// A case with a wrong expectation must fail: otherwise the judge checks nothing.
func TestEveryCLICaseCanFail(t *testing.T) {
	names, dir := clicases.Dialects()
	program := build(t)
	for _, name := range names {
		cases, err := clicases.Load(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		c := cases[0] // one case is enough: all cases go through the same judge
		root := testkit.Dir(t)
		p, err := c.Prepare(root)
		if err != nil {
			t.Fatal(err)
		}
		if p.Poison(); len(p.Judge(program)) == 0 {
			t.Errorf("%s/%s passes with a wrong expectation", name, c.Name)
		}
	}
}
