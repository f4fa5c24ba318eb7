//go:build unix

package run

import (
	"slices"
	"strings"
	"testing"

	"github.com/snaphook-go/snaphook/internal/bash"
)

func TestQuoteVarsQuotesShortUnquotedVariables(t *testing.T) {
	for _, test := range []struct{ name, script, want string }{
		{"a word of its own", `cat $DIR`, `cat "$DIR"`},
		{"the start of a path", `$DIR/hooks/x.sh --all`, `"$DIR"/hooks/x.sh --all`},
		{"the middle of a word", `cp a=$DIR:$DIR/b x`, `cp a="$DIR":"$DIR"/b x`},
		{"a longer name", `echo $DIRECTORY_X $DIR2 $DIR_`, `echo $DIRECTORY_X $DIR2 $DIR_`},
		{"another name", `echo $HOME $OTHER`, `echo $HOME "$OTHER"`},
		{"the long form", `echo ${DIR} ${DIR:-x}`, `echo ${DIR} ${DIR:-x}`},
		{"double quotes", `echo "$DIR/x"`, `echo "$DIR/x"`},
		{"single quotes", `echo '$DIR' \$DIR`, `echo '$DIR' \$DIR`},
		{"an escaped backslash before", `echo \\$DIR`, `echo \\"$DIR"`},
		{"a command in double quotes", `echo "in $(ls $DIR "$DIR")"`, `echo "in $(ls "$DIR" "$DIR")"`},
		{"backticks", "echo `ls $DIR`", "echo `ls \"$DIR\"`"},
		{"an escape in backticks", "echo `ls \\$DIR`", "echo `ls \\$DIR`"},
		{"a default value", `echo ${X:-$DIR}`, `echo ${X:-"$DIR"}`},
		{"a default value in double quotes", `echo "${X:-$DIR}"`, `echo "${X:-$DIR}"`},
		{"arithmetic", `echo $(( $DIR + 1 )); (( $DIR )); let $DIR`, `echo $(( $DIR + 1 )); (( $DIR )); let $DIR`},
		{"a command in arithmetic", `echo $(( $(cat $DIR) ))`, `echo $(( $(cat "$DIR") ))`},
		{"an index", `echo ${a[$DIR]} ${a:$DIR}`, `echo ${a[$DIR]} ${a:$DIR}`},
		{"a here-document", "cat <<E $DIR\n$DIR $(ls $DIR)\nE\n", "cat <<E \"$DIR\"\n$DIR $(ls \"$DIR\")\nE\n"},
		{"a here-document's end", "cat <<$DIR\nx\n$DIR\n", "cat <<$DIR\nx\n$DIR\n"},
		{"a redirection", `cat < $DIR/x > $DIR/y`, `cat < "$DIR"/x > "$DIR"/y`},
		{"a loop, a case and a test", `for f in $DIR/*; do [[ $f == $DIR ]] && case $f in $DIR) ;; esac; done`, `for f in "$DIR"/*; do [[ $f == "$DIR" ]] && case $f in "$DIR") ;; esac; done`},
		{"a process in place of a file", `diff <(ls $DIR) x`, `diff <(ls "$DIR") x`},
		{"a comment", "true # $DIR", "true # $DIR"},
		{"no variable", `echo hi`, `echo hi`},
		{"a script that is none", `if $DIR (`, `if $DIR (`},
		{"nothing", ``, ``},
	} {
		t.Run(test.name, func(t *testing.T) {
			if got := QuoteVars(test.script, "DIR", "OTHER"); got != test.want {
				t.Errorf("got  %s\nwant %s", got, test.want)
			}
		})
	}
}

func TestQuoteVarsQuotesBracesOnRequest(t *testing.T) {
	const script = `${DIR}/x ${DIR}b "${DIR}" '${DIR}' ${DIR:-x} ${#DIR} $DIR`
	const want = `"${DIR}"/x "${DIR}"b "${DIR}" '${DIR}' ${DIR:-x} ${#DIR} $DIR`
	if got := QuoteVars(script, "{DIR}"); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

func FuzzQuoteVars(f *testing.F) {
	for _, seed := range []string{
		`cat $D/x "$D" '$D' ${D} $DX`, "cat <<E\n$D `ls $D`\nE", "echo `echo \\`ls $D\\``", `a[$D]=$D; (($D)); echo ${x/$D/y}`,
		`[[ $D =~ $D ]] && coproc $D`, "$\\\nD", `x=($D [$D]=$D) declare $D export y=$D`, `$"$D"$D`, "case $D in $D|$D) $D;; esac",
		"`\\$$D`", `@($D|x) {$D,b} ~$D`, `"${x:-"$D"}"`, "if $D; then\r\n$D\r\nfi",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, script string) {
		got := QuoteVars(script, "D")
		if _, err := bash.Parse(script); err != nil {
			if got != script {
				t.Fatalf("got %q, want a script that does not parse unchanged: %q", got, script)
			}
			return
		}
		if _, err := bash.Parse(got); err != nil {
			t.Fatalf("%q became %q: %v", script, got, err)
		}
		if again := QuoteVars(got, "D"); again != got {
			t.Fatalf("%q became %q, then %q", script, got, again)
		}
		if strings.ReplaceAll(got, `"`, "") != strings.ReplaceAll(script, `"`, "") {
			t.Fatalf("%q became %q: more than quotes changed", script, got)
		}
	})
}

func TestShellRunsBash(t *testing.T) {
	if got, want := Shell("exit 2"), []string{"bash", "-c", "exit 2"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	t.Setenv("PATH", t.TempDir())
	if got, want := Shell("exit 2"), []string{"/bin/sh", "-c", "exit 2"}; !slices.Equal(got, want) {
		t.Errorf("without bash: got %q, want %q", got, want)
	}
}
