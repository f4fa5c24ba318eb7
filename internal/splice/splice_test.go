//go:build unix

package splice

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/snaphook-go/snaphook/internal/bash"
)

// put makes a script with the values of an option and of a directory.
func put(script, option, dir string) (string, error) {
	return Script(script, pattern, func(text string) (Var, bool) {
		if text == "${OPT}" {
			return Var{Name: "OPT", Value: option}, true
		}
		return Var{Name: "DIR", Value: dir, Word: true}, true
	})
}

// evil contains every way to break out of a quoted text.
const evil = "x'\"$(touch owned)`touch owned`\n); __import__('os').system('touch owned') #\nEND\ntouch owned\n"

func TestPlaceholdersAreReplacedWhereverTheyStand(t *testing.T) {
	const dir = `/a b/it's "$(touch owned)"`
	for _, test := range []struct{ name, script, want string }{
		{"bare", `printf '%s|' ${DIR}/x`, dir + "/x|"},
		{"in double quotes", `printf '%s|' "${OPT}" "a ${DIR} b"`, evil + "|a " + dir + " b|"},
		{"in single quotes", `printf '%s|' 'a ${OPT} $HOME "${DIR}"'`, "a " + evil + ` $HOME "` + dir + `"|`},
		{"in single quotes with escapes", `printf '%s|' $'a\t${OPT}\'b'`, "a\t" + evil + "'b|"},
		{"in a here-document", "cat <<E\n${OPT}$HOMELESS\nE\n", evil + "\n"},
		{"in a quoted here-document", "cat <<'E'\n$HOME `id` \\$x \\\n${OPT}\n\"${DIR}\"\nE\nprintf end", "$HOME `id` \\$x \\\n" + evil + "\n\"" + dir + "\"\nend"},
		{"in one without tabs", "cat <<-\"E F\"\n\t\t$HOME ${DIR}\n\tE F\n", "$HOME " + dir + "\n"},
		{"in two of one line", "cat <<'A' - <<'B'\n${DIR}1\nA\n${DIR}2\nB\n", dir + "2\n"},
		{"in a function's", "f() { cat <<'E'\n${DIR}\nE\n}; f", dir + "\n"},
		{"in a substitution", "printf '%s|' \"$(cat <<'E'\n$ ${DIR}\nE\n)\"", "$ " + dir + "|"},
		{"in backticks", "printf '%s|' `printf %s 'a${OPT}' | tr -d '\\n' | wc -l`", "0|"},
		{"in a quoted here-document in backticks", "printf '%s' \"`cat <<'E'\n\\ \\$x ${DIR}\nE\n`\"", "\\ \\$x " + dir},
		{"in a script of a script", `sh -c 'printf "%s|" "${OPT}" ${DIR} '"'"'${DIR}'"'"`, evil + "|" + dir + "|" + dir + "|"},
		{"in a script in double quotes", `bash -ec "printf '%s|' '${OPT}'; printf \"\$HOMELESS\""`, evil + "|"},
		{"two scripts deep", `sh -c "sh -c 'printf %s \"${DIR}\"'"`, dir},
		{"in what is evaluated", `eval 'printf %s "${OPT}"'`, evil},
		{"in what a trap runs", `trap 'printf %s "${OPT}"' EXIT`, evil},
		{"in a script that a shell reads", "sh <<'E'\nprintf %s '${OPT}'\nE\n", evil},
		{"in a script of a here-string", `bash <<< 'printf %s "${OPT}"'`, evil},
		{"as an argument of a script", `sh -c 'printf %s "$1"' - "${OPT}"`, evil},
		{"in arguments of programs in other languages", `awk -v x=a 'BEGIN{print ARGV[1]}' "${DIR}"`, dir + "\n"},
		{"as a value for jq", `jq -rn --arg x '${DIR}' '$x'`, dir + "\n"},
		{"in a comment", "printf x # '${OPT}\n", "x"},
	} {
		t.Run(test.name, func(t *testing.T) {
			script, err := put(test.script, evil, dir)
			if err != nil {
				t.Fatal(err)
			}
			for _, shell := range []string{"bash", "sh"} {
				if shell == "sh" && strings.ContainsAny(test.script, "<") && strings.Contains(test.script, "<<<") || strings.Contains(test.script, "$'") {
					continue // bash's own
				}
				if got := output(t, shell, script, evil, dir); got != test.want {
					t.Errorf("%s\n%s\nprints %q\nwant   %q", shell, script, got, test.want)
				}
			}
		})
	}
}

// output runs a script, which must not run a value.
func output(t *testing.T, shell, script, option, dir string) string {
	t.Helper()
	for _, program := range []string{"python3", "jq"} {
		if _, err := exec.LookPath(program); err != nil && strings.Contains(script, program) {
			t.Skipf("%s is not installed", program)
		}
	}
	cmd := exec.Command(shell, "-c", script)
	cmd.Dir = t.TempDir()
	cmd.Env = append(os.Environ(), "OPT="+option, "DIR="+dir)
	out, err := cmd.Output()
	if err != nil {
		t.Errorf("%s: %v", script, err)
	}
	if _, err := os.Stat(filepath.Join(cmd.Dir, "owned")); err == nil {
		t.Fatalf("%s\nran a value", script)
	}
	return string(out)
}

func TestAValueThatWouldBeCodeIsRefused(t *testing.T) {
	for _, test := range []struct{ name, script, value, why string }{
		{"Python in double quotes", `python3 -c "print('${OPT}')"`, "'+x+'", `the value of ${OPT} would be read as Python here; write os.environ["OPT"] in its place`},
		{"Python in single quotes", `python3 -c 'print("${OPT}")'`, `\`, "Python"},
		{"Python without quotes", `python3 -c 'print(${OPT})'`, "exit", "Python"},
		{"Python in a format", `python3 -c 'print(f"${OPT}")'`, "{exit()}", "Python"},
		{"a comment in Python", "python3 -c '# ${OPT}\n'", "\nexit()", "Python"},
		{"Python after other words", `env A=b timeout 3 /usr/bin/python3.11 -Ic "x='${OPT}'"`, "'", "Python"},
		{"Python of a here-document", "python3 - <<'E'\nprint('${OPT}')\nE\n", "'", "Python"},
		{"Python of an open here-document", "python3 <<E\nprint('${OPT}')\nE\n", "'", "Python"},
		{"Python that is piped", `printf %s 'print("${OPT}")' | python3`, `"`, "Python"},
		{"JavaScript", "node -e 'console.log(`${OPT}`)'", "${process}", "process.env.OPT"},
		{"JavaScript in one word", `node --eval='${OPT}'`, "process.exit()", "JavaScript"},
		{"Perl", `perl -ne 'print "${OPT}"'`, "@{[exit]}", "Perl"},
		{"awk", `awk -F : "/x/ {print \"${OPT}\"}" file`, `";system("id")"`, "awk"},
		{"jq", `jq -r '.a == "${OPT}"'`, `\(env)`, "jq"},
		{"sed", `sed "s/x/${OPT}/"`, "/e;", "sed"},
		{"arithmetic", `echo $(( ${OPT} + 1 ))`, "a[$(id)]", "arithmetic"},
		{"a comparison of numbers", `[[ ${OPT} -gt 1 ]]`, "x", "arithmetic"},
		{"an index", `echo "${a[${OPT}]}"`, "$(id)", "arithmetic"},
		{"a declared number", `declare -i n=${OPT}`, "a[$(id)]", "arithmetic"},
		{"a script with something else", `sh -c "cd $HOME; echo ${OPT}"`, "$(id)", "shell code"},
		{"a script of a substitution", `sh -c "$(echo ${OPT})"`, "$(id)", "shell code"},
		{"what is piped into a shell", `echo "echo ${OPT}" | tee x | sh -e`, "$(id)", "shell code"},
		{"what a shell reads", `. <(echo "${OPT}")`, "$(id)", "shell code"},
		{"what is evaluated in parts", `eval echo "${OPT}"`, "$(id)", "shell code"},
		{"a script of another machine", `ssh host "echo '${OPT}'"`, "'", "shell code"},
		{"a script without this environment", `sudo sh -c 'echo "${OPT}"'`, `"`, "shell code"},
		{"a script of a shell in a variable", `$SHELL -c 'echo "${OPT}"'`, "$(id)", "a program whose name is not known"},
		{"a script of a program with a default", `"${PYTHON:-python3}" -c 'print("${OPT}")'`, `"`, "a program whose name is not known"},
		{"a script of a program that is looked for", "timeout 5 `command -v node` -e 'f(\"${OPT}\")'", `"`, "a program whose name is not known"},
		{"a script of a program that a value names", `${OPT} -c 'echo ${OPT}'`, "$(id)", "a program whose name is not known"},
		{"a script of a program with a part of a name", `/usr/bin/python$V --eval='${OPT}'`, "x()", "a program whose name is not known"},
		{"a script that cannot be read", `echo "${OPT}" (`, "$(id)", "shell code"},
	} {
		t.Run(test.name, func(t *testing.T) {
			var refused *CodeError
			script, err := put(test.script, test.value, "/dir")
			if !errors.As(err, &refused) || !strings.Contains(err.Error(), test.why) {
				t.Errorf("%s became %q with the error %v; want one about %s", test.script, script, err, test.why)
			}
			if _, err := put(test.script, "5", "/dir"); err != nil {
				t.Errorf("with 5: %v", err)
			}
		})
	}
}

func TestAValueThatIsTextIsTextInOtherLanguages(t *testing.T) {
	for _, test := range []struct{ script, value, want string }{
		{`python3 -c "print('${OPT}')"`, `it is "$(so)" {x} (é)`, `it is "$(so)" {x} (é)` + "\n"},
		{`python3 -c 'print("""a "b" ${OPT}""", end="")'`, `it's`, `a "b" it's`},
		{"python3 - <<'E'\nn = ${OPT}\nprint(n + 1)\nE\n", "7", "8\n"},
		{`awk 'BEGIN {print "${OPT}"}'`, "a b/c.d", "a b/c.d\n"},
		{`jq -n '"${OPT}"'`, "é, x", "\"é, x\"\n"},
		{`echo x | sed "s|x|${OPT}|"`, "/a/b-c", "/a/b-c\n"},
		{`echo $(( ${OPT} + 1 ))`, "41", "42\n"},
	} {
		script, err := put(test.script, test.value, "/dir")
		if err != nil {
			t.Errorf("%s: %v", test.script, err)
			continue
		}
		if got := output(t, "bash", script, test.value, "/dir"); got != test.want {
			t.Errorf("%s\nprints %q, want %q", script, got, test.want)
		}
	}
}

// FuzzScript checks that the spliced script is the same for every value: it has references in
// place of the values.
func FuzzScript(f *testing.F) {
	for _, script := range []string{
		`echo '${OPT}' "${DIR}"`, "cat <<'E'\n${OPT}\nE\n", "`cat <<-\\E\n\t${OPT}\n\tE\n`", `python3 -c "'${OPT}'"`,
		`sh -c "sh -c '${OPT}'"`, `$(( ${OPT} )) [[ ${DIR} -eq 1 ]]`, `a[${OPT}]=$'${DIR}'`, `eval ${OPT} | . <(x)`,
	} {
		f.Add(script, evil)
	}
	f.Fuzz(func(t *testing.T, script, value string) {
		got, err := put(script, value, value)
		if err != nil || !pattern.MatchString(script) {
			return
		}
		if other, err := put(script, "5", "5"); err != nil || other != got {
			t.Fatalf("%q became %q for one value, and %q (%v) for another", script, got, other, err)
		}
		if _, err := bash.Parse(script); err != nil {
			return
		}
		if _, err := bash.Parse(got); err != nil {
			t.Fatalf("%q became %q: %v", script, got, err)
		}
	})
}

func TestEveryProgramThatRunsATextOfItsOwnGetsNoCode(t *testing.T) {
	for _, script := range []string{
		`fish -c 'echo ${OPT}'`, `runuser -u me -c "echo ${OPT}"`, `su -c "${OPT}"`, `watch ${OPT}`, `ssh h "ls ${OPT}"`,
		`elvish -c '${OPT}'`, `expect -c '${OPT}'`, `tclsh -c ${OPT}`, `osascript -e '${OPT}'`, `python3.12 -c ${OPT}`, `sudo sh -c 'x ${OPT}'`,
	} {
		if out, err := put(script, evil, "/d"); err == nil {
			t.Errorf("%s: %s", script, out)
		}
	}
}
