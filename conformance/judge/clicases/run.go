package clicases

import (
	"path/filepath"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
)

// Run judges a program by all existing cases, one subtest each: dialect/name.
func Run(t *testing.T, program string) {
	names, dir := Dialects()
	if len(names) == 0 {
		t.Skip("there are no cases in the directory of SNAPHOOK_CASES")
	}
	for _, name := range names {
		cases, err := Load(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range cases {
			t.Run(name+"/"+c.Name, func(t *testing.T) {
				t.Parallel()
				for _, d := range prepare(t, &c).Judge(program) {
					t.Errorf("%s\n%s", d, c.File)
				}
			})
		}
	}
}

func prepare(t *testing.T, c *Case) *Prepared {
	t.Helper()
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	p, err := c.Prepare(root)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// Poison makes every step expect the run of a script that no case has. A judge that passes the poisoned case checks
// nothing.
func (p *Prepared) Poison() {
	poisoned := func(s *Step) { s.Expect["ran"] = jsontext.Value(`["no-such-label"]`) }
	if p.Steps == nil {
		poisoned(&p.Step)
	}
	for i := range p.Steps {
		poisoned(&p.Steps[i])
	}
}
