package jsrun

import (
	"context"
	"time"

	"errors"
	"os"
	"path/filepath"
	"runtime/debug"
	"strings"
	"testing"

	"github.com/snaphook-go/snaphook/internal/deep"
	"github.com/snaphook-go/snaphook/internal/testkit"
)

// mostStack is a quarter of the stack size at which Go ends a process.
const mostStack = 256 << 20

func TestNoModuleIsNestedTooDeepToBeRead(t *testing.T) {
	defer debug.SetMaxStack(debug.SetMaxStack(mostStack))
	path := filepath.Join(t.TempDir(), "deep.ts")
	read, refused := 0, 0
	try := func(text string) {
		if err := readable([]byte(text), false); err != nil {
			refused++
			return // the bundler never sees it
		}
		read++
		testkit.WriteFile(t, path, text, 0o600)
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second) // some inputs take very long
		defer cancel()
		_, _ = bundled(ctx, path, Options{}) // any result will do: the test is that it returns
	}
	lengths := []int{5000, 120_000}
	if !testkit.Whole() {
		lengths = lengths[:1]
	}
	for _, length := range lengths {
		for text := range deep.Code(length) {
			try(text)
		}
	}
	for _, form := range []string{"(", "{", "[", "!", "~", "a.", "a=>", "f(", "`${", "[0]", "new ", "a=", "if(1)"} { // the forms with the deepest recursion
		try(strings.Repeat(form, maxNests/max(1, nests(form, false))))
	}
	if read < 200 || refused < 100 && testkit.Whole() {
		t.Errorf("%d were read, %d refused: the lengths do not reach the limits", read, refused)
	}
}

func TestAModuleOfTooManyBracketsSaysSo(t *testing.T) {
	for _, unit := range []string{"!", "a:", "${", "a=>", "if(1);else ", "?.a", "new "} {
		start := t.TempDir()
		path := filepath.Join(start, "a.ts")
		testkit.WriteFile(t, path, strings.Repeat(unit, 200_000), 0o600)
		failed := new(LoadError)
		_, err := Open(t.Context(), path, Options{})
		if !errors.As(err, &failed) || !strings.Contains(err.Error(), "a.ts: it ") {
			t.Errorf("%q: got %.200v, want an error that names a limit", unit, err)
		}
	}
}

func TestAnOrdinaryModuleIsFarFromTheLimits(t *testing.T) {
	text := strings.Repeat(`export const check = async (event: Event, ctx: Context) => {
	if (event.toolName === "bash" && event.input.command?.includes("rm -rf")) {
		return { block: true, reason: "no: " + event.input.command };
	}
};
`, 600)
	if err := readable([]byte(text), false); err != nil {
		t.Errorf("%d KiB: %v", len(text)>>10, err)
	}
}

func TestWhatIsLoadedHasToBeWrittenOut(t *testing.T) {
	for text, fine := range map[string]bool{
		`import("./a.ts")`:                          true,
		`import( /* a */ './a.ts' )`:                true,
		"import(`./a.ts`)":                          true,
		`import data from "./a.json"`:               true,
		`import("./a.json", { with: {} })`:          true,
		`const a = require("./a.cjs").b`:            true,
		`// we require (that)`:                      false,
		`typeof require !== "undefined" && require`: true,
		`import("./" + x)`:                          false,
		"import(`./${x}`)":                          false,
		`import(/* ) */ "../" + "../" + x)`:         false,
		"import(// a\n'../' + x)":                   false,
		`import(("../" + x))`:                       false,
		`import("../\x2e./" + x)`:                   false,
		`import.defer("../" + x)`:                   false,
		`require("../" + x)`:                        false,
		`require?.("../" + x)`:                      false,
		`(require)("../" + x)`:                      false,
		`((require) )("../" + x)`:                   false,
		`(require as any)("../" + x)`:               false,
		`require!("../" + x)`:                       false,
		`require<any>("../" + x)`:                   false,
		`r\u0065quire("../" + x)`:                   false,
		`\u{72}equire("../" + x)`:                   false,
	} {
		if err := readable([]byte(text), false); (err == nil) != fine {
			t.Errorf("%s: got %v, want fine: %v", text, err, fine)
		}
	}
}

func FuzzDeepModules(f *testing.F) {
	defer debug.SetMaxStack(debug.SetMaxStack(mostStack))
	f.Add([]byte{0, 0}, uint16(9000))
	f.Add([]byte{1, 3, 7}, uint16(40000))
	f.Add([]byte{2, 21, 3, 40}, uint16(65535))
	path := filepath.Join(f.TempDir(), "deep.ts")
	f.Fuzz(func(t *testing.T, picks []byte, length uint16) {
		text := deep.CodeOf(picks, 4*int(length))
		if readable([]byte(text), false) == nil {
			if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
			_, _ = bundled(t.Context(), path, Options{}) // any result will do: the test is that it returns
		}
	})
}
