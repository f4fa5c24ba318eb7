package warm

import (
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"testing"
)

// dashMaker makes random scripts from the commands that dash and this process know.
type dashMaker struct {
	*rand.Rand
	depth int
	loop  bool
	fn    bool
}

// madeForDash returns a random script.
func madeForDash(seed uint64) string {
	m := dashMaker{Rand: rand.New(rand.NewPCG(seed, 7))}
	start := m.pick("", "", "", "set -e\n", "set -u\n", "set -eu\n", "set -e -u; set +u\n")
	start += "g() { echo \"<$1>\" $#; return 4; }\nf() { " + m.pick("g", "false\necho", "local x\necho", "shift; g") + " \"$@\"; }\n"
	start += m.pick("x=1 y='a b' z=\n", "x=$(cat)\ny=\"a\tb \"\nz=3\n", "read -r x y; z=$y\n", "x='a\\nb' y=\"-n\" z=0\n", "x=! y='(' z=-f\n", "x='a=b' y=' lead' z='trail '\n")
	return start + m.list(2+m.IntN(5))
}

func (m dashMaker) pick(all ...string) string { return all[m.IntN(len(all))] }

// rare returns text in most cases, and otherwise one of forms, which are often left to dash.
func (m dashMaker) rare(text string, forms ...string) string {
	if m.IntN(30) == 0 {
		return m.pick(forms...)
	}
	return text
}

func (m dashMaker) inFunction() dashMaker {
	m.loop, m.fn = false, true
	return m
}

func (m dashMaker) list(n int) string {
	var out strings.Builder
	for range n {
		out.WriteString(m.command() + "\n")
	}
	return out.String()
}

func (m dashMaker) command() string {
	if m.depth++; m.depth > 4 {
		return m.simple()
	}
	inner, again := m, m
	inner.loop, inner.fn = false, false
	again.loop = true
	switch m.IntN(20) {
	case 0:
		return "if " + m.command() + "\nthen\n" + m.list(1+m.IntN(2)) + m.pick("", "else\n"+m.list(1), "elif "+m.command()+"\nthen "+m.command()+"\n") + "fi" + m.redirect()
	case 1:
		return "for x in " + m.word() + " " + m.word() + "; do\n" + again.list(2) + "done" + m.redirect()
	case 2:
		return "while " + m.pick("IFS= ", "") + "read -r " + m.pick("x", "x y", "y z x") + "; do\n" + again.list(1) + "done" + m.input()
	case 3:
		return "case " + m.pick(m.quoted(), m.word()) + " in " + m.pick("", "(") + m.pattern() + ") " + m.command() + " ;;\n" + m.pattern() + "|" + m.pattern() + ") " +
			m.command() + m.pick(";;", "\n") + " esac" + m.redirect()
	case 4:
		return "{ " + m.command() + "\n" + m.command() + "\n}" + m.redirect()
	case 5:
		return "( " + inner.list(2) + ")" + m.redirect()
	case 6:
		return inner.command() + " | " + inner.command() + m.pick("", " | "+inner.simple())
	case 7, 8:
		return m.command() + m.pick(" && ", " || ") + m.command() + m.pick("", " && "+m.simple(), " || "+m.simple())
	case 9:
		return "! " + m.simple()
	case 10:
		return m.pick("f", "g") + "() {\n" + m.inFunction().list(2) + "}\n" + m.pick("f", "g") + " " + m.word() + m.pick("", " || echo \"failed $?\"", m.redirect())
	case 11:
		return m.pick("until", "while") + " " + m.command() + "\ndo " + again.command() + "\nbreak; done"
	}
	return m.simple()
}

func (m dashMaker) input() string {
	return m.pick("", " <a.txt", " < \"empty\"", " <<E\n"+m.document()+"E\n", " <<'E'\n $x \\ `y` \"\nE\n", " </dev/null")
}

func (m dashMaker) document() string {
	return m.pick("$x and \"$y\" \\$z\n", "a b c\n\n  d  \n", "$(echo \"$x\") \\\\ \\a\n", "${x:-none} $((z + 1))\n", "")
}

func (m dashMaker) simple() string {
	if m.loop && m.IntN(8) == 0 {
		return m.pick("break", "continue")
	}
	if m.fn && m.IntN(5) == 0 {
		return m.pick("return", "return 3", "local x="+m.pick("\"$y\"", "'a  b'", "lit", "\"$(echo $x; false)\""), "local y", "local x y=\"$x\" z", "return $z")
	}
	switch m.IntN(17) {
	case 0:
		return m.pick("true", "false", ":", "shift", "shift 2", "read -r x", "read -r x y z", "unset z", "IFS= read -r x", "read x", "cd lib", "cd ..", "cd /; pwd", "pwd", "[ \"$PWD\" = \"$HOME\" ]")
	case 1:
		return m.pick("x", "y", "z") + "=" + m.pick(m.quoted(), m.word(), m.number(), "$x$y", "\"$@\"", "~/x")
	case 2:
		return m.test()
	case 3:
		return "export " + m.pick("x", "y=\"$x\"", "z='a b' x", "w=\"$(cat)\"", m.rare("x", "w=$x", "-p"))
	case 4:
		return m.pick("z="+m.number(), "echo $(("+m.sum()+"))", "[ \"$(("+m.sum()+"))\" -gt 3 ]")
	case 5:
		return "printf '" + m.pick(`%s|%s\n`, `%d %s\t`, `%%%s\\`, `no\n`, `%s`, m.rare(`%s\n`, `\"%s`, `%5s`, `\x`, `%b`)) + "' " + m.word() + " " + m.pick(m.word(), "3", "") + m.redirect()
	case 6:
		return m.pick("exit 3", "(exit 4)", "exit", "x=$(exit 2)", "echo $?", "echo $? $#", "echo \"$(false) $?\"", "x=$(false; echo y)", "x=$(false) y=$(echo $?)", "exit $z", m.rare("(exit 30)", "(exit 300); echo $?", "$(exit 3)"))
	case 7:
		return m.pick("cat", "cat a.txt", "grep -c e", "jq -r .tool_name", "jq -c .", "head -n 1", "tr a-z A-Z", "wc -l", "grep -q Bash", "cat - a.txt", "sort", "cut -c1-3", "sed 's/a/b/'", "echo \"$(cat)\" | jq -r '.tool_input.command // empty'", "if cat | grep -q rm; then exit 2; fi", "cat nothing 2>/dev/null", "no-such-program 2>/dev/null", "bash -c 'echo \"$x$y\"'") + m.pick(m.input(), m.redirect())
	case 8:
		return m.pick("command -v jq", "command -v no-such-program", "command cat a.txt", "command -v f", "test -t 0", "exec cat a.txt", "command -v jq >/dev/null 2>&1")
	}
	return "echo " + m.pick("", "", "-n ", "-e ", "-n -n ") + m.word() + " " + m.word() + m.redirect()
}

func (m dashMaker) test() string {
	not := m.pick("", "", "! ")
	inside := m.pick(m.quoted()+m.pick(" = ", " != ", m.rare(" = ", " == ", " \\> "))+m.quoted(), m.pick("-n ", "-z ", "-f ", "-d ", "-e ", "-s ", "-x ", "-r ", "-L ")+m.pick(m.word(), "a.txt", "lib", "empty", "nothing"),
		m.word(), m.pick("$z", "\"$x\"", "3")+m.pick(" -eq ", " -ne ", " -lt ", " -ge ")+m.pick("2", "$z", "0"), m.rare("\"$x\" = \"$y\" ", "", "\"$x\" \"$y\"", "\"$x\" -a \"$y\"", "\"$x\" = a -o -n \"$y\""))
	return m.pick("[ "+not+inside+" ]", "test "+not+inside, "[ "+not+inside+" ] && echo yes", "[ "+not+inside+" ] || echo no $?")
}

func (m dashMaker) number() string {
	return m.pick(strconv.Itoa(m.IntN(12)), "$(("+m.sum()+"))", "0", "-1")
}

func (m dashMaker) sum() string {
	return m.pick("z", "x", "$z", "1", "2", "z+1", "(z - 2) * 3", "-z", "7 / 2", "7 % z", "-7 / 2", "z == 3", "z != x", "z < 2", "4 >= z", "$# + 1", "$? + 1", "z * z - 1", "1 < 2 == 1", m.rare("1", "z && 1", "! z", "z = 4", "z ? 1 : 2", "010", "0x10", "9223372036854775807 + 1", "z++", "1 & 2"))
}

func (m dashMaker) redirect() string {
	return m.pick("", "", "", "", " >&2", " 2>&1", " >/dev/null", " 2>/dev/null", " >out", " >>log", " >\"$HOME/out2\"", m.rare(" 2>errors", " >>$HOME/log"), " 1>&2 2>/dev/null")
}

func (m dashMaker) word() string {
	return m.pick(m.quoted(), m.quoted(), "$x", "$y", "$z", "a$x", "$x$y\"\"", "$1", "\"$@\"", "$(echo $x)", "lit", "'q q'", "a\\ b", "\"$*\"", "$#", "${x}y", "~", "~/a", "a=$x", "\"$(cat)\"", "\"a\\tb\"", "'\\n\\\\'", "-n", "\"$5\"", "\"é — ❌\"", "'🚫'", "$HOME", "''", "a'b'\"c\"", "$(printf '%s\\n\\n' a b)", "{}", "x#y", m.rare("!", "$10", "\"`echo $y`\"", "`echo $x`", "\"a$@b\"", "*", "{a,b}", "$((z))x"))
}

func (m dashMaker) quoted() string {
	v := m.pick("x", "y", "z", "1", "e", "E", "nothing")
	op := m.pick("", "", ":-"+m.pick("d", "", "d d", "$x", m.rare("a b", "a*b", "(a|b)", "\"q\"", "{}")), "-d", "+s", ":+s", "+a b", ":=new", "=new", "#"+m.trimmed(), "##"+m.trimmed(), "%"+m.trimmed(), "%%"+m.trimmed())
	return m.pick("\"${"+v+op+"}\"", "\"${"+v+op+"}\"", "${"+v+op+"}", "\"$x-$y\"", "'a*b'", "\"$(echo \"$y\"; echo)\"", "\"a\\\"b\"", "\"${#"+v+"}\"", "w", "\"$x\"", "\"\\a \\$x \\\\\"", "\"$(cat)\"", "\"$(echo \"${x}\" | cat)\"", "\"it's\"", "${x#'a'}", "${x%\"$y\"}", "${x##*\"a\"}")
}

func (m dashMaker) trimmed() string {
	return m.pick("a", "*", "*a", "a*", "?", "[ab]", "*[!a]", " *", "a* ", "*=", "$y", "*$y", "[a-c]*", "[!0-9]*", "*:*", "??*", "[0-9]", m.rare("?", "[^a]", "{", "*\\n*", "[a-c]*", "[[:space:]]"))
}

func (m dashMaker) pattern() string {
	return m.pick("*", "a*", "*b", "\"$x\"", "$x", "[ab]*", "?", "*' '*", "w", "\"a\"*b", "1", "2", "''", "*\\**", "-*", "*\"$y\"*", "*Bash*", "[!a]*", "\\*", "a[*]b", "\"*\"", "'a*'*", m.rare("[0-9]", "~", "[[:alpha:]]*", "[a-z]", "[^a]"))
}

// madeInputs are the inputs of random scripts.
func madeInputs(seed uint64) []string {
	all := payloads()
	for i, in := range all {
		all[i] = in[:min(len(in), 20_000)]
	}
	all = append(all, "one two\n three \n{\"a\": \"b\"}", "a\tb  c \\n d\n\\e\n", "1\n2\n3\n")
	return []string{all[seed%uint64(len(all))], all[(seed*7+3)%uint64(len(all))]}
}

// Random scripts end here as in dash. SNAPHOOK_MADE has the first seed and the number of scripts, as in "1000 5000".
func TestMadeScriptsAreTheSameInDash(t *testing.T) {
	needPrograms(t)
	judges, tools := dashes(t), Tools()
	first, n := uint64(0), uint64(150)
	if all := os.Getenv("SNAPHOOK_MADE"); all != "" {
		if _, err := fmt.Sscan(all, &first, &n); err != nil {
			t.Fatal(err)
		}
	}
	scripts, runs := 0, 0
	for seed := first; seed < first+n; seed++ {
		ran, _ := sameInDash(t, judges, tools, madeForDash(seed), []string{"C", "C.UTF-8"}[seed%2], madeInputs(seed))
		if runs += ran; ran > 0 {
			scripts++
		}
	}
	t.Logf("%d of %d scripts ran here, %d times", scripts, n, runs)
	if uint64(scripts) < n/4 {
		t.Errorf("%d of %d scripts ran here, want at least a quarter", scripts, n)
	}
}
