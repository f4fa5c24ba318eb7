package record_test

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/internal/testkit"
	"github.com/snaphook-go/snaphook/pipeline"
	"github.com/snaphook-go/snaphook/record"
)

// child is another process with a record: it fires RECORD_FIRES times, and prints a line after each fire if RECORD_TELL
// is set.
func child(path string) {
	r, err := record.Open(path, record.Config{Log: quiet, MaxSize: 1 << 20, Keep: 1000})
	if err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	sys := pipeline.NewSystem(pipeline.Config{Log: quiet, Observe: []pipeline.Observer{r}})
	s, err := sys.NewSession(context.Background(), pipeline.SessionConfig{ID: strconv.Itoa(os.Getpid()), Dir: "/"})
	if err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	event.On(s, "own", func(context.Context, call) (hook.Output[nothing], error) { return hook.Output[nothing]{}, nil })
	fires, _ := strconv.Atoi(os.Getenv("RECORD_FIRES"))
	for i := range fires {
		if _, err := event.Fire(context.Background(), s, &call{Tool: "Bash", ID: strconv.Itoa(i)}); err != nil {
			fmt.Println(err)
			os.Exit(1)
		}
		if os.Getenv("RECORD_TELL") != "" {
			fmt.Println(i)
		}
	}
	sys.Close()
	if n, err := r.Lost(); n > 0 {
		fmt.Println(n, "lost:", err)
		os.Exit(1)
	}
}

func process(t *testing.T, path string, fires int, env ...string) *exec.Cmd {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(append(os.Environ(), "RECORD_CHILD="+path, "RECORD_FIRES="+strconv.Itoa(fires)), env...)
	return cmd
}

// all reads every file of a record, and calls bad for each line that cannot be read.
func all(t *testing.T, path string, bad func(int, error)) (found []*record.Line) {
	t.Helper()
	files, err := filepath.Glob(path + "*")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range files {
		if strings.HasSuffix(name, ".lock") {
			continue
		}
		f, err := os.Open(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, l := range record.Lines(f, bad) {
			found = append(found, l)
		}
		if err := f.Close(); err != nil {
			t.Fatal(err)
		}
	}
	return found
}

func TestManyProcessesLoseNoLineOfARecordThatRotates(t *testing.T) {
	const processes, fires = 8, 5000
	path := filepath.Join(t.TempDir(), "r.jsonl")
	var children []*exec.Cmd
	for range processes {
		cmd := process(t, path, fires)
		cmd.Stdout = os.Stderr
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		children = append(children, cmd)
	}
	for _, cmd := range children {
		if err := cmd.Wait(); err != nil {
			t.Errorf("a process: %v", err)
		}
	}
	ids, calls := map[string]bool{}, map[string]bool{}
	for _, l := range all(t, path, func(n int, err error) { t.Errorf("line %d: %v", n, err) }) {
		ids[l.ID] = true
		calls[l.Session+" "+l.Refs.ToolUseID] = true
	}
	if len(ids) != processes*fires || len(calls) != processes*fires {
		t.Errorf("%d ids and %d calls, want %d", len(ids), len(calls), processes*fires)
	}
	files, _ := filepath.Glob(path + ".[0-9]*")
	if len(files) < 5 {
		t.Errorf("only %d files have been rotated: %v", len(files), files)
	}
	large := 0
	for _, name := range files {
		info, err := os.Stat(name)
		// A process that did not get the lock, because another one renames the file, writes up to 1 MiB more.
		if err != nil || info.Size() > processes<<20 {
			t.Fatalf("%s: %v, %v; want about 1 MiB", name, info, err)
		}
		if info.Size() > 2<<20 {
			large++
		}
	}
	if large > len(files)/2 {
		t.Errorf("%d of %d files are larger than 2 MiB, want few", large, len(files))
	}
}

func TestAKilledProcessLosesItsLastLineAtMost(t *testing.T) {
	path := filepath.Join(t.TempDir(), "r.jsonl")
	cmd := process(t, path, 1<<30, "RECORD_TELL=1")
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	told := 0
	for s := bufio.NewScanner(out); s.Scan(); {
		if told, err = strconv.Atoi(s.Text()); err != nil {
			t.Fatal(s.Text())
		}
		if told == 3000 {
			if err := cmd.Process.Kill(); err != nil {
				t.Fatal(err)
			}
		}
	}
	_ = cmd.Wait() // the error says that the process was killed
	torn := 0
	got := len(all(t, path, func(int, error) { torn++ }))
	if told < 3000 || got < told || got > told+2 || torn > 1 {
		t.Errorf("%d fires were told of, %d lines are there, %d torn", told+1, got, torn)
	}
}

func TestALineAfterATornOneIsWhole(t *testing.T) {
	path := filepath.Join(t.TempDir(), "r.jsonl")
	if err := os.WriteFile(path, []byte(`{"v":1,"id":"torn","ev`), 0o600); err != nil {
		t.Fatal(err)
	}
	r, err := record.Open(path, record.Config{Log: quiet})
	if err != nil {
		t.Fatal(err)
	}
	s := session(t, r, command("hook", runs{}))
	if _, err := event.Fire(t.Context(), s, &call{Tool: "Bash"}); err != nil {
		t.Fatal(err)
	}
	r.Close(time.Minute)
	var bad []string
	got := all(t, path, func(n int, err error) { bad = append(bad, fmt.Sprint(n, " ", err)) })
	if len(got) != 1 || len(bad) != 1 || !strings.HasPrefix(bad[0], "1 the line is incomplete") {
		t.Errorf("%d lines, %q", len(got), bad)
	}
}

func TestAFileThatIsRenamedIsLeft(t *testing.T) {
	path := filepath.Join(t.TempDir(), "r.jsonl")
	r, err := record.Open(path, record.Config{Log: quiet})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close(time.Minute)
	s := session(t, r, command("hook", runs{}))
	fire := func() {
		if _, err := event.Fire(t.Context(), s, &call{Tool: "Bash"}); err != nil {
			t.Fatal(err)
		}
	}
	fire()
	if err := os.Rename(path, path+".old"); err != nil {
		t.Fatal(err)
	}
	testkit.Eventually(t, "the file is there again, since the recorder looks at it once a second", func() bool {
		fire()
		_, err := os.Stat(path)
		return err == nil
	})
}
