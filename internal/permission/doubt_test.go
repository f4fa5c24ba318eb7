package permission

import (
	"maps"
	"slices"
	"strings"
	"testing"
)

// TestARuleMatchesWhereANameIsUnclear goes through every name that the search knows: a word that an expansion may
// complete to the name counts as the name.
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

// A rule matches if a wrapper has an expansion among its options and operands: the expansion may move the beginning of
// the command, or be the command.
func TestARuleMatchesWhereAWrappersWordsAreUnclear(t *testing.T) {
	r := mustParse(t, "Bash(rm *)")
	for name, w := range wrappers {
		own := []string{"-$x", "--$x", "-$x-", "--kill-after$x", "-$@-", `-"$x"`, "-p$x", "-${v}p", `--"$x"`, "-?", "-{a,b}"}
		if w.Operands > 0 {
			own = append(own, "$x", `"$x"`, "${x}s", "5$x", "$(echo 5)", "-k $x 5", "-k 5 $x", "5*", "{5,6}", "-v -v $x")
		}
		if w.Letters != "" {
			own = append(own, "-"+w.Letters[:1]+" $x")
		}
		// rules do not look through this wrapper if it has options; these words may expand to - or --, which are no
		// options
		if w.Bare {
			own = []string{"-$x", "--$x", "-$@-", `-"$x"`, "-?"}
		}
		for _, words := range own {
			command := `\` + name + " " + words + " y z" // the backslash makes time a program, not a keyword
			if !r.Match(bashCall(command)) {
				t.Errorf("%s does not match %q", r, command)
			}
		}
	}
}

// TestADoubtIsNoMoreThanADoubt checks that a rule does not match every command that has an expansion.
func TestADoubtIsNoMoreThanADoubt(t *testing.T) {
	r := mustParse(t, "Bash(rm *)")
	for _, command := range []string{
		"ls $x", "python$V x.py", "./run-$x.sh", "ls *", "ls ~/x", "cd ~ && ls", "timeout 5 ls $x", "nice -n 5 ls *.go", "git log $x",
		"ls | xargs -P$(nproc) wc", "ls | xargs -n $N wc", `make "$x"`, "builtin echo $x", "command ls ~", "command -v ls$x", `exec ls "$@"`, "npm$x test", `"e$x"cho y`,
		"declare x=1", "declare -r x=a$y", "export x=$y", "[ -f *.txt ]", "[ -d ~ ]", "[ -d ~/x ]", `[ "$x" = "[y]" ]`, `[ -n "$x" ]`, "cat <<EOF\nE)\nEOFF\n)\nEOF", "cat <<EOF\nx\nEOF\nls", "cat <<EOF > x\nx\nEOF\n\nls", "cat <<-'E' | sort\n\tx\n\tE\nls\n", "ls $(cat <<E\nx\nE\n) y", "cat <<A <<B\nB\nA\nA\nB\nls", "find . -exec echo {} +", "scp h:~/x y", "make x=~/y",
		"HOME=$(mktemp -d) ls", "ls | xargs timeout 5 ls", "ls | xargs nice -n 5 wc", "shopt -s globstar; ls **/*.go", "set -- *.go", "ls > x 2>&1", "{ ls; } > x", "sort <(ls) > x",
	} {
		if r.Match(bashCall(command)) {
			t.Errorf("%s matches %q", r, command)
		}
	}
	r = mustParse(t, "Bash(curl * | sh)")
	for _, command := range []string{"f() { ls; }; f", "ls | sort", "curl x > y", "curl x; sh y", "sh y | tee x", "ls && curl x"} {
		if r.Match(bashCall(command)) {
			t.Errorf("%s matches %q", r, command)
		}
	}
}

// TestARuleMatchesWhatXargsMayAddToAWrapper has commands in which xargs runs a wrapper: xargs adds the words that it
// reads to the words of the wrapper.
func TestARuleMatchesWhatXargsMayAddToAWrapper(t *testing.T) {
	r := mustParse(t, "Bash(rm *)")
	for name, w := range wrappers {
		own := []string{"", " --", " nice", " nohup timeout 5"}
		if w.Operands > 0 {
			own = append(own, " 5", " -- 5")
		}
		if w.Letters != "" && !w.Bare {
			own = append(own, " -"+w.Letters[:1], " -"+w.Letters[:1]+" 5", " -"+w.Letters[:1]+"5", " --"+append(slices.Clone(w.Names), "x")[0])
		}
		for _, words := range own {
			if command := "ls | xargs " + name + words; !r.Match(bashCall(command)) {
				t.Errorf("%s does not match %q", r, command)
			}
		}
	}
}

// A rule matches if test may evaluate a name that runs, or may run, a command: after -v or -R, and after a word that
// may become -v or -R.
func TestARuleMatchesWhereTestMayAskForAName(t *testing.T) {
	r := mustParse(t, "Bash(rm *)")
	for _, before := range []string{"", "x = y -a ", "-v x -o ", "-R x -a ", "x = -v -o ", "! ", "-n \"$x\" -a ", "-f x -o \\( "} {
		for _, asks := range []string{"-v", "-R", `"-v"`, `\-v`, `"$x"`, `-"$x"`, `"${x}v"`, "-?", "*", "[-]v", "-{v,R}", "$x", "-$x", "~"} {
			for _, name := range []string{"'a[$(:)]'", "'a[`:`]'", "'a[b$(:)]'", "'a[b]'", `a\[b]`, `"$y"`, "$y", "a?b", "~"} {
				for _, form := range []string{"[ %]", "test %", "builtin [ %]", `\test %`} {
					command := strings.Replace(form, "%", before+asks+" "+name+" ", 1)
					if !r.Match(bashCall(command)) {
						t.Errorf("%s does not match %q", r, command)
					}
				}
			}
		}
	}
}

// TestARuleMatchesWhatEndsAHereDocumentTooEarly has lines in $( ) that begin with the delimiter of a here-document and
// have a bracket: bash runs the text after the delimiter.
func TestARuleMatchesWhatEndsAHereDocumentTooEarly(t *testing.T) {
	r := mustParse(t, "Bash(rm *)")
	for _, open := range []string{"$(", "\"$(", "<(", ">(", "$( ls; ", "{ $("} {
		for _, end := range []string{"E", `\E`, "'E'", `"E"`, "'E F'", "E.-"} {
			for _, operator := range []string{"<<", "<<-", "<< ", "2<<"} {
				for _, rest := range []string{" y; )", "y)", "\t)", ";)", " a ) b", "}"} {
					plain := strings.Trim(end, `\'"`)
					command := "echo " + open + "cat " + operator + end + "\na\n" + plain + rest + "\n" + plain + "\n)"
					if strings.HasPrefix(open, `"`) {
						command += `"`
					}
					if strings.HasPrefix(open, "{") {
						command += "; }"
					}
					if !r.Match(bashCall(command)) {
						t.Errorf("%s does not match %q", r, command)
					}
				}
			}
		}
	}
}

// TestARuleAboutARedirectionMatchesWhereverItStands writes a redirection after a command, around it, before it, and
// through other descriptors.
func TestARuleAboutARedirectionMatchesWhereverItStands(t *testing.T) {
	r := mustParse(t, "Bash(make all > out)")
	for _, to := range []string{">", "> ", "1>", ">|", "1>| ", "&>", ">&", "2>&1 >", "<x >", "3>x 2>y > ", "{fd}<x >", "1<>"} {
		for _, form := range []string{
			"make all %out", "%out make all", "make %out all", "make all %out 2>&1", "(make all) %out", "{ make all; } %out", "{ (make all); } %out", "if make all; then :; fi %out", "for i in a; do make all; done %out", "f() { make all; } %out",
			"f() { make all; }; f %out", "exec %out; make all", "exec %out\nls; make all", "eval make all %out", "eval 'make all %out'", "source ./all %out", "nice make all %out", "a=1 make all %out", "make all %ou?", "make all %\"out\"", "ls | xargs nohup %out",
		} {
			if command := strings.Replace(form, "%", to, 1); !r.Match(bashCall(command)) {
				t.Errorf("%s does not match %q", r, command)
			}
		}
	}
	for _, command := range []string{"make all", "make all > other", "make all 2>out", "make all < out", "make all >> out", "make test > out", "(make all) > other", "exec > other; make all", "f() { make all; }; f", "{ make all; } 2>&1", "make all >&2", "echo out > x"} {
		if r.Match(bashCall(command)) {
			t.Errorf("%s matches %q", r, command)
		}
	}
}
