//go:build unix

package record_test

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/snaphook-go/snaphook/internal/testkit"
	"github.com/snaphook-go/snaphook/record"
)

// fast returns the median time of a fire that r records; the test fails if a fire has no answer.
func fast(t *testing.T, r *record.Recorder, fires int) time.Duration {
	t.Helper()
	s := session(t, r, command("denies", runs{Exit: 2}))
	all := make([]time.Duration, fires)
	for i := range all {
		start := time.Now()
		res, err := event.Fire(context.Background(), s, &call{Tool: "Bash"})
		if all[i] = time.Since(start); err != nil || !res.Blocked() {
			t.Fatalf("the answer is %+v, %v", res, err)
		}
	}
	slices.Sort(all)
	return all[fires/2]
}

// A pipe that no process reads accepts 64 KiB and then blocks: it delays no fire.
func TestAPipeThatHangsHoldsUpNoFire(t *testing.T) {
	path := filepath.Join(t.TempDir(), "pipe")
	if err := unix.Mkfifo(path, 0o600); err != nil {
		t.Fatal(err)
	}
	r, err := record.Open(path, record.Config{Log: quiet})
	if err != nil {
		t.Fatal(err)
	}
	if took := fast(t, r, 2000); took > 3*time.Millisecond {
		t.Errorf("a fire takes %v", took)
	}
	r.Close(time.Millisecond)
	if n, err := r.Lost(); n == 0 || err == nil {
		t.Errorf("%d lines count as lost (%v)", n, err)
	}
}

// A file whose first write blocks, as on a stuck disk, does not delay even the first fire: the
// goroutine of a fire never writes to the file.
func TestAFileThatHangsAtOnceHoldsUpNotEvenTheFirstFire(t *testing.T) {
	hangs := make(stuck)
	defer close(hangs)
	r := record.New(hangs, record.Config{Log: quiet})
	done := make(chan struct{})
	go func() {
		defer close(done)
		fast(t, r, 1)
	}()
	select {
	case <-done:
	case <-time.After(time.Minute):
		t.Error("the fire waits for the file")
	}
	r.Close(time.Millisecond)
}

// A record whose directory is deleted continues in a new file if there can be one; otherwise its
// lines are counted as lost.
func TestARecordThatIsDeleted(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "dir")
	path := filepath.Join(dir, "r.jsonl")
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	r, err := record.Open(path, record.Config{Log: quiet})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close(time.Minute)
	fast(t, r, 1)
	if err := os.RemoveAll(dir); err != nil {
		t.Fatal(err)
	}
	testkit.Eventually(t, "lines are lost, since the recorder looks at the file once a second", func() bool {
		fast(t, r, 1)
		n, err := r.Lost()
		return n > 0 && err != nil
	})
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	testkit.Eventually(t, "the file is there again", func() bool {
		fast(t, r, 1)
		_, err := os.Stat(path)
		return err == nil
	})
	before, _ := r.Lost()
	fast(t, r, 10)
	if n, err := r.Lost(); n != before {
		t.Errorf("%d lines are lost in the new file: %v", n-before, err)
	}
}

func TestAFullDiskLosesLinesAndNoAnswer(t *testing.T) {
	if _, err := os.Stat("/dev/full"); err != nil {
		t.Skip("there is no /dev/full")
	}
	r, err := record.Open("/dev/full", record.Config{Log: quiet})
	if err != nil {
		t.Fatal(err)
	}
	fast(t, r, 50)
	r.Close(time.Minute)
	if n, err := r.Lost(); n != 50 || err == nil {
		t.Errorf("%d lines count as lost (%v), want 50", n, err)
	}
}
