package bench

import (
	"cmp"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strings"
	"time"
)

var wantTable = flag.Bool("table", false, "print what the tests have measured, as a table")

// place is the position of a number in the table.
type place struct {
	work string // a workload, such as "W2"; rows without a workload come last
	what string
}

// row is one number that a test has measured.
type row struct {
	place
	got, goal string
}

// rows collects the rows while the tests run, one after another.
var rows []row

func (p place) record(got, most float64) {
	rows = append(rows, row{p, number(got), "≤ " + number(most)})
}

// note records a number without a goal, such as an absolute time.
func (p place) note(got string) { rows = append(rows, row{p, got, ""}) }

func number(f float64) string {
	if f == float64(int(f)) {
		return fmt.Sprint(int(f))
	}
	return fmt.Sprintf("%.3f", f)
}

// printTable prints the machine, and a row for each number. For a test that ran more than once it
// prints the last number.
func printTable(w io.Writer) {
	last := map[place]row{}
	for _, r := range rows {
		last[r.place] = r
	}
	all := make([]row, 0, len(last))
	for _, r := range rows {
		if kept, ok := last[r.place]; ok {
			all = append(all, kept)
			delete(last, r.place)
		}
	}
	slices.SortStableFunc(all, func(a, b row) int { return cmp.Compare(cmp.Or(a.work, "~"), cmp.Or(b.work, "~")) })
	fmt.Fprintf(w, "\n%s\n\n| work | what | measured | goal |\n|---|---|---|---|\n", machine())
	for _, r := range all {
		fmt.Fprintf(w, "| %s | %s | %s | %s |\n", r.work, r.what, r.got, r.goal)
	}
}

// machine describes the machine, as far as the system reports it.
func machine() string {
	about := []string{time.Now().UTC().Format(time.DateOnly), fmt.Sprintf("%d processors", runtime.NumCPU())}
	if model := field("/proc/cpuinfo", "model name"); model != "" {
		about = append(about, model)
	}
	about = append(about, runtime.Version()+" "+runtime.GOOS+"/"+runtime.GOARCH)
	if kernel, err := exec.Command("uname", "-r").Output(); err == nil {
		about = append(about, "kernel "+strings.TrimSpace(string(kernel)))
	}
	if load, err := os.ReadFile("/proc/loadavg"); err == nil {
		about = append(about, "load "+strings.Join(strings.Fields(string(load))[:3], " "))
	}
	return strings.Join(about, ", ")
}

// field returns the value of the first "name : value" line of a file.
func field(file, name string) string {
	text, _ := os.ReadFile(file)
	for line := range strings.Lines(string(text)) {
		if key, value, ok := strings.Cut(line, ":"); ok && strings.TrimSpace(key) == name {
			return strings.TrimSpace(value)
		}
	}
	return ""
}
