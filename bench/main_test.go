package bench

import (
	"bufio"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/snaphook-go/snaphook/pipeline"
)

// childRole is the environment variable with the role of a child and a number, such as "fire, holding MiB: 2048". A
// child is another process of this program: a measurement in it does not share a process with the tests.
const childRole = "SNAPHOOK_BENCH_CHILD"

// roles maps the name of a role to a function that returns the setup and the work of a child. The argument of the
// function is the number in childRole.
var roles = map[string]func(n int) (setup, func(*pipeline.Session) error){
	"fire, holding MiB":             holding,
	"fire 200 at once by":           concurrent(answer),
	"fire 200 that wait at once by": concurrent("sleep 0.2"),
}

// concurrent returns a role whose work fires 200 events at once, with n workers and the script as the hook.
func concurrent(script string) func(n int) (setup, func(*pipeline.Session) error) {
	return func(n int) (setup, func(*pipeline.Session) error) {
		return setup{settings: commands("", script), workers: n}, func(ses *pipeline.Session) error { return fireConcurrently(ses, 200) }
	}
}

// ballast enlarges the memory of a process.
var ballast []byte

// holding fires once, while the process holds n MiB of memory.
func holding(n int) (setup, func(*pipeline.Session) error) {
	ballast = make([]byte, n<<20)
	for i := 0; i < len(ballast); i += os.Getpagesize() {
		ballast[i] = 1
	}
	return setup{settings: commands("", answer)}, fireOnce
}

func TestMain(m *testing.M) {
	flag.Parse()
	if os.Getenv(guardServer) != "" {
		serveGuard()
		return
	}
	if name, number, ok := strings.Cut(os.Getenv(childRole), ": "); ok {
		n, _ := strconv.Atoi(number)
		serve(roles[name](n))
		return
	}
	goleak.VerifyTestMain(tabled{m}, goleak.IgnoreAnyFunction("github.com/dlclark/regexp2/v2.runClock")) // ends by itself
}

// tabled prints the table after the tests, with -table.
type tabled struct{ *testing.M }

func (t tabled) Run() int {
	status := t.M.Run()
	if *wantTable {
		printTable(os.Stdout)
	}
	return status
}

// serve does its work once for each line of standard input, and prints the nanoseconds it took,
// or the error in quotes.
func serve(s setup, work func(*pipeline.Session) error) {
	ses, end, err := s.open(os.TempDir())
	must(err)
	defer end()
	for lines := bufio.NewScanner(os.Stdin); lines.Scan(); {
		start := time.Now()
		if err := work(ses); err != nil {
			fmt.Printf("%q\n", err.Error())
			continue
		}
		fmt.Println(time.Since(start).Nanoseconds())
	}
}

// child is another process of this program in a role.
type child struct {
	tb  testing.TB
	cmd *exec.Cmd
	in  *os.File
	out *bufio.Scanner
}

func startChild(tb testing.TB, role string, n int) *child {
	tb.Helper()
	in, ours, err := os.Pipe()
	must(err)
	defer in.Close()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), fmt.Sprintf("%s=%s: %d", childRole, role, n))
	cmd.Stdin, cmd.Stderr = in, os.Stderr
	out, err := cmd.StdoutPipe()
	must(err)
	must(cmd.Start())
	tb.Cleanup(func() {
		ours.Close()
		if err := cmd.Wait(); err != nil {
			tb.Errorf("the child: %v", err)
		}
	})
	return &child{tb, cmd, ours, bufio.NewScanner(out)}
}

// work makes the child do its work once, and returns the time that it took.
func (c *child) work() time.Duration {
	fmt.Fprintln(c.in)
	if !c.out.Scan() {
		c.tb.Fatal("the child has gone")
	}
	n, err := strconv.ParseInt(c.out.Text(), 10, 64)
	if err != nil {
		c.tb.Fatalf("the child: %s", c.out.Text())
	}
	return time.Duration(n)
}

func must(err error) {
	if err != nil {
		panic(err)
	}
}
