//go:build unix

package permission

import (
	"context"
	"math/rand/v2"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/snaphook-go/snaphook/internal/testkit"
)

// judged is a rule, with the programs that report whether bash did the action that the rule is
// about.
type judged struct {
	rule     string
	programs map[string]string // by name, scripts that make the file $CALLED
}

var (
	removes = judged{"Bash(rm *)", map[string]string{"rm": `[ "${0##*/}" != rm ] || : >"$CALLED"`}}
	pushes  = judged{"Bash(git push *)", map[string]string{"git": `[ "$1" != push ] || : >"$CALLED"`}}
	reads   = judged{"Bash(cat secret)", map[string]string{"cat": `[ "$*" != secret ] || : >"$CALLED"`}}
	pipes   = judged{"Bash(curl * | sh)", map[string]string{"curl": `echo page`, "sh": `[ $# = 0 ] || exit; read page; [ "$page" != page ] || : >"$CALLED"`}}
)

// did reports whether bash, running command, does the action that the rule is about. PATH has two
// directories: the rule's scripts and the programs of needJudge. The command has little time and
// can write little.
func (j judged) did(t testing.TB, command string) bool {
	t.Helper()
	ctx, stop := context.WithTimeout(t.Context(), 5*time.Second)
	defer stop()
	dir := t.TempDir()
	called := filepath.Join(dir, "called")
	work := filepath.Join(dir, "work")
	if err := os.Mkdir(work, 0o700); err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(ctx, "/bin/sh", "-c", `ulimit -f 64 -t 2; exec "$BASH" -c "$1"`, "sh", command)
	cmd.Dir = work
	cmd.Env = []string{"PATH=" + j.scripts(t) + ":" + stubs, "HOME=" + work, "CALLED=" + called, "FUNCNEST=20", "BASH=" + judge}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	cmd.WaitDelay = time.Second
	_ = cmd.Run() // most of the commands fail
	if cmd.Process != nil {
		_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
	}
	_, err := os.Stat(called)
	return err == nil
}

// scripts returns the directory of the rule's programs. The programs are files and not functions of bash: not every sh
// exports functions, and command, timeout and xargs do not run them.
func (j judged) scripts(t testing.TB) string {
	t.Helper()
	dir := filepath.Join(stubs, "of", url.PathEscape(j.rule))
	if _, err := os.Stat(dir); err == nil {
		return dir
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	for name, body := range j.programs {
		if err := os.WriteFile(filepath.Join(dir, name), []byte("#!/bin/sh\n"+body+"\n"), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

var judge, stubs string

// needJudge finds bash, and makes the directory of programs.
func needJudge(t testing.TB) {
	t.Helper()
	var err error
	if judge, err = exec.LookPath("bash"); err != nil {
		t.Skip("the judge is bash: ", err)
	}
	stubs = t.TempDir()
	for _, name := range []string{"cat", "ls", "nice", "nohup", "timeout", "touch", "true", "xargs"} {
		program, err := exec.LookPath(name)
		if err == nil {
			err = os.Symlink(program, filepath.Join(stubs, name))
		}
		if err != nil {
			t.Skip("the judge needs ", name, ": ", err)
		}
	}
}

func TestNoTrickOfBashGetsPastARule(t *testing.T) {
	needJudge(t)
	tried, ran, missed := 0, 0, 0
	for _, group := range tricks {
		r := mustParse(t, group.rule)
		for _, command := range group.commands {
			tried++
			matched := r.Match(bashCall(command))
			if matched && !testkit.Whole() && tried%4 != 0 {
				continue // bash is asked only to count the tricks that work
			}
			did := group.did(t, command)
			if did {
				ran++
			}
			if did && !matched {
				missed++
				t.Errorf("bash does for %q what %s is about, and the rule does not match", command, r)
			}
		}
	}
	t.Logf("%d tricks tried, of which %d work in bash, and %d get past", tried, ran, missed)
}

// TestNoMutantOfATrickGetsPastARule asks bash about the mutants that the trick's rule does not match. SNAPHOOK_MUTANTS
// is the number of mutants, and selects them.
func TestNoMutantOfATrickGetsPastARule(t *testing.T) {
	needJudge(t)
	number := 3000
	if n, err := strconv.Atoi(os.Getenv("SNAPHOOK_MUTANTS")); err == nil {
		number = n
	}
	random := rand.New(rand.NewPCG(1, uint64(number)))
	asked := 0
	for range number {
		group := tricks[random.IntN(len(tricks))]
		command := mutant(random, group.commands)
		if tooFar(command) || mustParse(t, group.rule).Match(bashCall(command)) {
			continue
		}
		asked++
		if group.did(t, command) {
			t.Errorf("bash does for %q what %s is about, and the rule does not match", command, group.rule)
		}
	}
	t.Logf("%d mutants, of which %d were put to bash", number, asked)
}

// mutant changes a trick once to three times: with a piece of shell syntax, by leaving out a part, or with a part of
// another trick.
func mutant(random *rand.Rand, from []string) string {
	text := from[random.IntN(len(from))]
	for range 1 + random.IntN(3) {
		at := random.IntN(len(text) + 1)
		end := at + random.IntN(min(4, len(text)-at+1))
		switch random.IntN(4) {
		case 0:
			text = text[:at] + soup[random.IntN(len(soup))] + text[at:]
		case 1:
			text = text[:at] + text[end:]
		case 2:
			text = text[:at] + soup[random.IntN(len(soup))] + text[end:]
		case 3:
			other := from[random.IntN(len(from))]
			text = text[:at] + other[random.IntN(len(other)+1):]
		}
	}
	return text
}

// optioned matches xargs with options. As in Claude Code, rules do not look into such a call.
var optioned = regexp.MustCompile(`(?s)xargs.*-`)

// tooFar reports whether a random command is too long, could write outside its directory, or uses features that rules
// do not cover.
func tooFar(command string) bool {
	return len(command) > 300 || optioned.MatchString(command) || strings.Contains(command, "/") && strings.ContainsAny(command, ">&~$`") || strings.Contains(command, "..")
}

// soup is the vocabulary of random commands: nothing in it starts a program that removes files, or leaves the directory
// of the test.
var soup = []string{
	"rm x", "\nrm x\n", "; rm x;", " && rm x\n", "rm", "x", " ", "\n", "\\", "\\\n", "'", "\"", "`", "$(", ")", "(", "((", "))", "$((", "{ ", "}", "; ", ";;", "&&", "||", "|", "&",
	"<<E\n", "<<'E'\n", "<<-E\n", "\nE\n", "<<<", "<(", ">(", "${x:-", "${x#", "${x/", "${", "$[", "\"${x:-'}\"", "\"${x#", "}\"", "\"$(", ")\"", "$x", "$'", "$\"", "#", " #", "# ", "!", "[[ ", " ]]", "case a in ", "a)", " esac", "if ",
	"then ", "fi", "for i in a;do ", "done", "f()", "function g ", "x=", "x=(", "a[", "]", "=", "+=", "<", ">", "2>", "~", "*", "?", "{a,", "@(", "time ", "coproc ", "let ", "export ", "-", "\t", "echo ", ":;",
	"eval ", "trap ", "'a[$(rm x)]'", "x='a[$(rm x)]';", "$\\\n", "printf -v ", "read ", "[ ", " -v ", " -eq ", "declare -", "set -", "test ", "${!", "@P}", "\"\"", "''", "exec ", "builtin ", "command ", "|&", "alias ", "unset ", "<<\"\"E\n", "mapfile -C ", "PS4=", "x; }", "{rm,x}", "$@", "set -- ", "shift;",
	"timeout ", "nice -n ", "nohup ", "5 ", "-k", "-$x", "${x}", "$(:)", "\"$x\"", "comm", "and ", "ti", "meout ", "ev", "al ", "e$x", "x='val '; ", "x='5 rm'; ", "x=-k; ", "HOME='/;rm x'; ", " ~",
}

func FuzzNoSoupOfShellSyntaxGetsPastARule(f *testing.F) {
	needJudge(f)
	f.Add([]byte{79, 15, 0, 14})
	f.Fuzz(func(t *testing.T, picks []byte) {
		if len(picks) > 30 {
			return
		}
		var command strings.Builder
		for _, pick := range picks {
			command.WriteString(soup[int(pick)%len(soup)])
		}
		r := mustParse(t, removes.rule)
		if !r.Match(bashCall(command.String())) && removes.did(t, command.String()) {
			t.Errorf("bash runs rm for %q, and %s does not match", command.String(), r)
		}
	})
}

// FuzzNoMutantOfATrickGetsPastARule does the same as TestNoMutantOfATrickGetsPastARule for the fuzzer's mutants of the
// tricks.
func FuzzNoMutantOfATrickGetsPastARule(f *testing.F) {
	needJudge(f)
	f.Add(uint64(1), uint64(2))
	f.Fuzz(func(t *testing.T, a, b uint64) {
		random := rand.New(rand.NewPCG(a, b))
		group := tricks[random.IntN(len(tricks))]
		command := mutant(random, group.commands)
		r := mustParse(t, group.rule)
		if !tooFar(command) && !r.Match(bashCall(command)) && group.did(t, command) {
			t.Errorf("bash does for %q what %s is about, and the rule does not match", command, r)
		}
	})
}
