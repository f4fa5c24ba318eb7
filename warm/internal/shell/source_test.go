package shell

import (
	"os"
	"path/filepath"
	"testing"
)

// Files that a script sources run in this process, and end as in bash.
func TestSourcedFilesAreTheSame(t *testing.T) {
	needBash(t)
	dir := t.TempDir()
	for name, text := range map[string]string{
		"lib.sh":   "say() { echo \"<$*> $x\"; }\nx=set\n",
		"early.sh": "echo early $1 ${BASH_SOURCE[0]}\n[ -n \"$1\" ] && return 3\necho late\n",
		"two.sh":   ". ./lib.sh\nsay from two\nfinal() { exit 7; }\n",
		"fail.sh":  "false\necho after\n",
		"bad.sh":   "if false; then trap x EXIT; fi; unknown_command() { echo mine; }\n",
		"echo.sh":  "echo() { printf 'mine'; }\n",
		"loop.sh":  ". ./loop.sh\n",
		"trap.sh":  "trap 'echo bye' EXIT\n",
		"open.sh":  "if true\n",
		"unset.sh": "echo ${nope?}\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for script, inside := range map[string]bool{
		"source ./lib.sh; say a b; echo $x":                                   true,
		". \"$PWD/lib.sh\" 2>/dev/null; say a":                                true,
		". ./early.sh; echo $?; set --":                                       false,
		". ./early.sh; echo $?":                                               true,
		"f() { . ./early.sh; echo \"$? $1\"; }; f; f z; echo $1":              true,
		". ./two.sh; final; echo no":                                          true,
		"set -e; . ./fail.sh; echo no":                                        true,
		"if . ./fail.sh; then echo yes; fi; (. ./lib.sh; say); echo \"<$x>\"": true,
		"jq() { echo other; }; . ./bad.sh; unknown_command; jq":               true,
		"f() { echo \"[${BASH_SOURCE[0]}]\"; }; . ./lib.sh; f":                false,
		". ./echo.sh; echo x":                                                 false,
		". ./loop.sh":                                                         false,
		". ./trap.sh":                                                         false,
		". ./open.sh":                                                         false,
		". ./unset.sh":                                                        false,
		". lib.sh":                                                            false,
		". ./missing.sh":                                                      false,
		". ./lib.sh a":                                                        false,
		". ./two.sh; command -v final >/dev/null && final; exit 1":            true,
		"no_such_function":                                                    false,
	} {
		if ran := agree(t, dir, script, nil); ran != inside {
			t.Errorf("%s ran in this process: %v", script, ran)
		}
	}
}
