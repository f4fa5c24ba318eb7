package permission

import (
	"maps"
	"slices"
	"testing"
)

// TestARuleMatchesWhereANameIsUnclear goes through every name that the search
// knows: one that an expansion completes is as good as the name.
func TestARuleMatchesWhereANameIsUnclear(t *testing.T) {
	r := mustParse(t, "Bash(rm *)")
	names := slices.Concat(slices.Collect(maps.Keys(builtins)), slices.Collect(maps.Keys(wrappers)))
	for _, name := range names {
		for _, written := range []string{
			"$x", "$@" + name, name + "$@", name + "${x}", name + "$(:)", name + "`:`", `"$x"` + name, name + `"$x"`, name[:1] + "$x", name[:1] + `"$x"`,
			name[:1] + "*", "?" + name[1:], "[" + name[:1] + "]" + name[1:], name[:1] + "{" + name[1:] + ",}", "{" + name + ",x}", name[:len(name)-1] + `$'\x65'`,
			name[:len(name)-1] + "$x'r\"\"m y'", name[:1] + "$(echo)" + name[1:], name[:1] + "${x:-}" + name[1:],
		} {
			for _, command := range []string{written, written + ` 5 r""m y`, "builtin " + written + " y", "timeout 5 " + written + " y", "nohup nice -n 5 " + written, "ls | " + written, "A=1 " + written} {
				if !r.Match(bashCall(command)) {
					t.Errorf("%s does not match %q, which may run %s", r, command, name)
				}
			}
		}
	}
}

// TestARuleMatchesWhereAWrappersWordsAreUnclear: what is expanded among the
// options and operands moves where the command begins, or is it.
func TestARuleMatchesWhereAWrappersWordsAreUnclear(t *testing.T) {
	r := mustParse(t, "Bash(rm *)")
	for name, w := range wrappers {
		own := []string{"-$x", "--$x", "-$x-", "--kill-after$x", "-$@-", `-"$x"`, "-p$x", "-${v}p", `--"$x"`, "-?", "-{a,b}"}
		if w.operands > 0 {
			own = append(own, "$x", `"$x"`, "${x}s", "5$x", "$(echo 5)", "-k $x 5", "-k 5 $x", "5*", "{5,6}", "-v -v $x")
		}
		if w.letters != "" {
			own = append(own, "-"+w.letters[:1]+" $x")
		}
		if w.bare { // its options are not looked into, however they end
			own = []string{"-$x", "--$x", "-$@-", `-"$x"`, "-?"}
		}
		for _, words := range own {
			command := `\` + name + " " + words + " y z" // without the backslash, time is no program
			if !r.Match(bashCall(command)) {
				t.Errorf("%s does not match %q", r, command)
			}
		}
	}
}

// TestADoubtIsNoMoreThanADoubt: a rule does not match all that has an expansion.
func TestADoubtIsNoMoreThanADoubt(t *testing.T) {
	r := mustParse(t, "Bash(rm *)")
	for _, command := range []string{
		"ls $x", "python$V x.py", "./run-$x.sh", "ls *", "ls ~/x", "cd ~ && ls", "timeout 5 ls $x", "nice -n 5 ls *.go", "git log $x",
		"ls | xargs -P$(nproc) wc", "ls | xargs -n $N wc", `make "$x"`, "builtin echo $x", "command ls ~", "command -v ls$x", `exec ls "$@"`, "npm$x test", `"e$x"cho y`,
	} {
		if r.Match(bashCall(command)) {
			t.Errorf("%s matches %q", r, command)
		}
	}
}
