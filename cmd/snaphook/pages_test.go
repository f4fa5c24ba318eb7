package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
	"go.uber.org/goleak"

	"github.com/snaphook-go/snaphook/cmd/snaphook/command"
)

func TestMain(m *testing.M) {
	testscript.Main(leakless{m}, map[string]func(){"snaphook": func() { os.Exit(command.Main()) }})
}

// leakless fails the tests if they leave goroutines behind.
type leakless struct{ *testing.M }

func (m leakless) Run() int {
	status := m.M.Run()
	if err := goleak.Find(goleak.IgnoreAnyFunction("github.com/dlclark/regexp2/v2.runClock")); err != nil && status == 0 {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return status
}

// TestPagesDoWhatTheySay runs each page of docs that opts in with a first line
// "<!-- run -->" as a script, in an empty directory with an empty home. A page that
// begins with "<!-- run in the clone -->" writes no files; its commands run in the checkout.
// Commands get the engine and its requirements without a network, and a release archive
// in the empty directory (see pageWorld).
//
// The script of a page is its fenced blocks, from top to bottom:
//
//   - A block below "<!-- file PATH -->" is written to PATH; a text that begins
//     with #! is executable.
//   - An sh block runs in bash. Below "<!-- exit N -->" it has to end with N and
//     not with 0; below "<!-- not run: REASON -->" it is skipped.
//   - A block without a language that follows an sh block is its output, both
//     streams together. Durations and the widths of columns are not compared, and a line "..." stands for
//     any number of lines.
func TestPagesDoWhatTheySay(t *testing.T) {
	pages, err := filepath.Glob("../../docs/*.md")
	if err != nil {
		t.Fatal(err)
	}
	release := packRelease(t)
	ran := 0
	for _, page := range pages {
		text, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		world := newPageWorld
		switch {
		case bytes.HasPrefix(text, []byte("<!-- run -->\n")):
		case bytes.HasPrefix(text, []byte("<!-- run in the clone -->\n")):
			world = cloneWorld
		default:
			continue
		}
		ran++
		t.Run(filepath.Base(page), func(t *testing.T) {
			t.Parallel()
			runPage(t, world(t, string(text), release), page, string(text))
		})
	}
	if ran == 0 {
		t.Error("no page begins with <!-- run -->")
	}
}

// A pageBlock is one fenced block of a page, with the directive above it.
type pageBlock struct {
	line            int // line of the opening fence
	language        string
	directive, text string
}

func runPage(t *testing.T, w pageWorld, page, text string) {
	blocks := pageBlocks(text)
	for i, b := range blocks {
		at := fmt.Sprintf("%s:%d", page, b.line)
		switch verb, arg, _ := strings.Cut(b.directive, " "); {
		case verb == "file":
			if w.checkout {
				t.Fatalf("%s: a page that runs in the clone writes no files", at)
			}
			writePageFile(t, filepath.Join(w.dir, arg), b.text)
		case b.language != "sh" || strings.HasPrefix(b.directive, "not run: "):
		default:
			want := "0"
			if verb == "exit" {
				want = arg
			}
			out, status := w.run(t, b.text)
			if status != want {
				t.Fatalf("%s: exit status %s, want %s; output:\n%s", at, status, want, out)
			}
			if i+1 < len(blocks) && blocks[i+1].language == "" && blocks[i+1].directive == "" {
				if shown := blocks[i+1].text; !samePageOutput(shown, out) {
					t.Errorf("%s: the page shows\n%s\nthe commands print\n%s", at, shown, out)
				}
			}
		}
	}
}

func writePageFile(t *testing.T, path, text string) {
	t.Helper()
	mode := os.FileMode(0o644)
	if strings.HasPrefix(text, "#!") {
		mode = 0o755
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), mode); err != nil {
		t.Fatal(err)
	}
}

// run runs commands as a reader would and returns both streams as one text.
func (w pageWorld) run(t *testing.T, commands string) (out, status string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Minute) // some pages compile the command
	defer cancel()
	cmd := exec.CommandContext(ctx, "bash", "-e", "-o", "pipefail", "-c", commands)
	cmd.Dir = w.dir
	cmd.Env = append(w.env, "PATH="+os.Getenv("PATH"), "TMPDIR="+t.TempDir(), "LANG=C.UTF-8", "NO_COLOR=1")
	cmd.WaitDelay = 5 * time.Second
	text, err := cmd.CombinedOutput()
	if cmd.ProcessState == nil {
		t.Fatal(err)
	}
	return string(text), fmt.Sprint(cmd.ProcessState.ExitCode())
}

var pageDirective = regexp.MustCompile(`^<!-- (file|exit|not run:) (.+) -->$`)

// pageBlocks returns the fenced blocks of a page in their order.
func pageBlocks(text string) (blocks []pageBlock) {
	var open *pageBlock
	directive := ""
	for i, line := range strings.Split(text, "\n") {
		switch m := pageDirective.FindStringSubmatch(line); {
		case open != nil && line == "```":
			blocks, open = append(blocks, *open), nil
		case open != nil:
			open.text += line + "\n"
		case strings.HasPrefix(line, "```"):
			open = &pageBlock{line: i + 1, language: line[3:], directive: directive}
			directive = ""
		case m != nil:
			directive = m[1] + " " + m[2]
		case line != "":
			directive = ""
		}
	}
	return blocks
}

// pageColumns matches the blanks between two columns.
var pageColumns = regexp.MustCompile(`(\S)  +`)

var pageTimes = regexp.MustCompile(` +[0-9.]+(ns|µs|ms|s)\b`)

// samePageOutput compares the output that a page shows with the actual output.
func samePageOutput(shown, out string) bool {
	normal := func(s string) string {
		return pageColumns.ReplaceAllString(pageTimes.ReplaceAllString(strings.TrimSpace(s), " TIME"), "$1  ")
	}
	pattern := regexp.QuoteMeta(normal(shown))
	pattern = strings.ReplaceAll(pattern, `\.\.\.`, `(?s:.*)`)
	return regexp.MustCompile(`^` + pattern + `$`).MatchString(normal(out))
}
