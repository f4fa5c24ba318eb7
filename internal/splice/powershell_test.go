package splice

import (
	"strings"
	"testing"

	"github.com/snaphook-go/snaphook/internal/lazyregexp"
)

// pattern finds the placeholders of the tests.
var pattern = lazyregexp.New(`\$\{(OPT|DIR)\}`)

func TestPowerShellHasReferencesOrTextThatStaysText(t *testing.T) {
	for _, test := range []struct{ name, script, value, want string }{
		{"code and double quotes", `& ${OPT} "a ${OPT}" b`, "$(x)'", `& ${env:OPT} "a ${env:OPT}" b`},
		{"single quotes", `echo 'it''s ${OPT}' ${OPT}`, "a'b’c $x", `echo 'it''s a''b’’c $x' ${env:OPT}`},
		{"quotes after an escape", "echo `' ${OPT} \"`\"'${OPT}\" '${OPT}'", "'", "echo `' ${env:OPT} \"`\"'${env:OPT}\" ''''"},
		{"a text", "echo @'\n'${OPT}\n'@ ${OPT}", "it's", "echo @'\n'it's\n'@ ${env:OPT}"},
		{"an open text", "echo @\"\n'${OPT}\n\"@ '${OPT}'", "'", "echo @\"\n'${env:OPT}\n\"@ ''''"},
		{"a comment", "# it's\necho '${OPT}' <# ' #> ${OPT}", "'", "# it's\necho '''' <# ' #> ${env:OPT}"},
	} {
		t.Run(test.name, func(t *testing.T) {
			got, err := PowerShell(test.script, pattern, func(string) (Var, bool) { return Var{Name: "OPT", Value: test.value}, true })
			if err != nil || got != test.want {
				t.Errorf("got  %q, %v\nwant %q", got, err, test.want)
			}
		})
	}
	for script, value := range map[string]string{
		"echo @'\n${OPT}\n'@":                "x\n'@; rm x",
		`Invoke-Expression "echo ${OPT}"`:    "$(x)",
		`pwsh -Command "echo '${OPT}'"`:      "'",
		"$f = [scriptblock]::Create(${OPT})": "x; y",
	} {
		_, err := PowerShell(script, pattern, func(string) (Var, bool) { return Var{Name: "OPT", Value: value}, true })
		if err == nil || !strings.Contains(err.Error(), "$env:OPT") {
			t.Errorf("%s: error %v; want the value refused", script, err)
		}
	}
}

func FuzzPowerShell(f *testing.F) {
	f.Add("echo '${OPT}' @'\n${OPT}\n'@ \"`\"${DIR}\" # ${OPT}", "'’\n'@")
	f.Fuzz(func(t *testing.T, script, value string) {
		find := func(string) (Var, bool) { return Var{Name: "OPT", Value: value}, true }
		got, err := PowerShell(script, pattern, find)
		if err != nil {
			return
		}
		if want, _ := PowerShell(script, pattern, func(string) (Var, bool) { return Var{Name: "OPT"}, true }); len(value) == 0 && got != want {
			t.Fatalf("got %q, want %q", got, want)
		}
		if !strings.ContainsAny(script, "'‘’‚‛") && value != "" && got != pattern.ReplaceAllString(script, "$${env:OPT}") {
			t.Fatalf("%q became %q, with a value in it", script, got)
		}
	})
}
