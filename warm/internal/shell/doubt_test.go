package shell

import (
	"testing"

	"github.com/snaphook-go/snaphook/internal/inprocess"
)

// A command that only bash can run leaves the script to bash when the script reaches that command, and at once if every
// run reaches it.
func TestOnlyBashRunsWhatIsReached(t *testing.T) {
	for script, want := range map[string]struct {
		compiles, runs bool
	}{
		"[ -n \"$nothing\" ] && trap x EXIT; echo on": {true, true},
		"[ -z \"$nothing\" ] && trap x EXIT; echo on": {true, false},
		"trap x EXIT; echo on":                        {false, false},
		"exit; trap x EXIT":                           {true, true},
		"set -e; trap x EXIT":                         {true, false},
		"x=$(trap x EXIT)":                            {false, false},
		"x=\"$(echo a | trap x EXIT)\"":               {false, false},
		"if trap x EXIT; then :; fi":                  {false, false},
		"f() { trap x EXIT; }; f":                     {true, false},
		"f() { trap x EXIT; }; echo on":               {true, true},
		"{ ( trap x EXIT ); }":                        {false, false},
		"if false; then time x; fi":                   {false, false}, // bash may read other commands there
		"if false; then echo @(a|b); fi":              {false, false},
		"if false; then let x=1; fi":                  {false, false},
		"false && echo \"${x:-it's}\" \"${y:-it's}\"": {false, false},
		"false && echo `echo \\`x\\``":                {false, false},
	} {
		p, err := NewTools(nil).Compile(script)
		if err == nil != want.compiles {
			t.Errorf("%s: %v", script, err)
		}
		if err != nil {
			continue
		}
		if _, why, ok := p.Run(&inprocess.Call{Env: fuzzEnv, Dir: "/"}); ok != want.runs {
			t.Errorf("%s: ran %v (%s)", script, ok, why)
		}
	}
}
