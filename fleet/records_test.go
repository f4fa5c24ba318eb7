package fleet

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/snaphook-go/snaphook/fleet/embedded"
	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/internal/testkit"
	"github.com/snaphook-go/snaphook/pipeline"
	"github.com/snaphook-go/snaphook/record"
)

// recorded returns the records that the server has.
func recorded(t testing.TB, nc *nats.Conn) (lines []record.Line) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	r, err := OpenRecords(ctx, nc, false)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	for _, line := range record.Lines(r, func(n int, why error) { t.Errorf("line %d: %v", n, why) }) {
		lines = append(lines, *line)
	}
	return lines
}

func recordingAgent(t testing.TB, r *Recorder) *pipeline.Session {
	return session(t, system(t, pipeline.Config{
		Load: []pipeline.Load{hooked("claude", "PreToolUse", says(""))}, Observe: []pipeline.Observer{r.Shared()},
	}))
}

func TestRecordsOutliveAnOutageOfTheServer(t *testing.T) {
	dir, spoolDir := t.TempDir(), t.TempDir()
	s, err := embedded.Start(embedded.Options{URL: "nats://127.0.0.1:0", Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	url := s.ClientURL()
	nc := connect(t, url)
	if err := Prepare(t.Context(), nc, 1, Retention{}); err != nil {
		t.Fatal(err)
	}
	r, err := Records(nc, spoolDir, RecordOptions{Host: "h.1", Log: quiet, Revision: func() uint64 { return 7 }})
	if err != nil {
		t.Fatal(err)
	}
	ses := recordingAgent(t, r)
	fires := func(n int) {
		for range n {
			fire(t, preToolUse(t), ses, bash)
		}
	}
	fires(20)
	testkit.Eventually(t, "the server has the first lines", func() bool { return r.Waiting() == 0 })
	s.Close()
	fires(30)
	if r.Waiting() == 0 {
		t.Error("lines are gone while there is no server")
	}
	s, err = embedded.Start(embedded.Options{URL: url, Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	testkit.Eventually(t, "the client is connected again", nc.IsConnected)
	if err := Prepare(t.Context(), nc, 1, Retention{}); err != nil {
		t.Errorf("what is there is not prepared again: %v", err)
	}
	testkit.Eventually(t, "the server has all lines", func() bool { return r.Waiting() == 0 })
	r.Close()
	if n, err := r.Lost(); n != 0 {
		t.Errorf("%d lines are lost: %v", n, err)
	}
	lines, seen := recorded(t, nc), map[string]bool{}
	for _, l := range lines {
		if seen[l.ID] || l.Revision != 7 {
			t.Errorf("%s is there twice, or has revision %d and not 7", l.ID, l.Revision)
		}
		seen[l.ID] = true
	}
	if len(lines) != 50 {
		t.Errorf("%d lines; want 50", len(lines))
	}
	if left, _ := os.ReadDir(spoolDir); len(left) != 0 {
		t.Errorf("the spool has %v; want nothing", left)
	}
}

// The next process sends the spool of a killed process, even if the killed process had already sent a part of the
// spool.
func TestTheSpoolOfAnEndedProcessIsSent(t *testing.T) {
	nc := connect(t, startServer(t))
	shared := t.TempDir()
	dead := filepath.Join(shared, "process-dead")
	if err := os.Mkdir(dead, 0o700); err != nil {
		t.Fatal(err)
	}
	text := ""
	for i := range 300 {
		text += fmt.Sprintf(`{"v":1,"id":"id-%03d","time":"2026-01-31T12:00:00Z","event":"claude.PreToolUse","hooks":[]}`+"\n", i)
	}
	testkit.WriteFile(t, filepath.Join(dead, "0000000000000001.jsonl"), text+`{"v":1,"id":"half`, 0o600)
	for range 2 { // the second time as if the sender had been killed before it learned that all lines had arrived
		r, err := Records(nc, shared, RecordOptions{Log: quiet})
		if err != nil {
			t.Fatal(err)
		}
		testkit.Eventually(t, "it is sent", func() bool { _, err := os.Stat(dead); return os.IsNotExist(err) })
		r.Close()
		if err := os.Mkdir(dead, 0o700); err != nil {
			t.Fatal(err)
		}
		testkit.WriteFile(t, filepath.Join(dead, "0000000000000001.jsonl"), text, 0o600)
	}
	if lines := recorded(t, nc); len(lines) != 300 {
		t.Errorf("%d lines; want 300, each once", len(lines))
	}
}

func TestAFullSpoolIsSaidAndDelaysNothing(t *testing.T) {
	nc, err := Connect("nats://127.0.0.1:1", ConnectOptions{Wait: -1, Log: quiet})
	if err != nil {
		t.Fatal(err)
	}
	defer nc.Close()
	r, err := Records(nc, t.TempDir(), RecordOptions{Log: quiet, MaxSpool: 2000, Close: time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	ses := recordingAgent(t, r)
	for range 20 {
		if res := fire(t, preToolUse(t), ses, bash); res.Blocked {
			t.Error("a record has blocked a call")
		}
	}
	r.Close()
	if n, err := r.Lost(); n == 0 || err == nil || r.Waiting() > 2000 {
		t.Errorf("%d lines are lost, %v; %d bytes wait", n, err, r.Waiting())
	}
}

func TestADiskThatIsFullIsSaid(t *testing.T) {
	if _, err := Records(&nats.Conn{}, "/dev/null/spool", RecordOptions{}); err == nil {
		t.Error("a spool below a device was opened")
	}
	s, err := openSpool(t.TempDir(), 1<<20, quiet)
	if err != nil {
		t.Fatal(err)
	}
	full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	if err != nil {
		t.Skip("this system has no full device")
	}
	s.file = full
	if _, err := s.Write([]byte("{}\n")); err == nil || s.size() != 0 {
		t.Errorf("a write to a full disk: %v, %d bytes wait", err, s.size())
	}
	s.cancel = func() {}
	close(s.done)
	s.close(time.Millisecond)
}

func TestStateOfASessionIsTheSameOnEveryHost(t *testing.T) {
	url := startServer(t)
	states := []hook.State{}
	for range 2 {
		s, err := OpenState(t.Context(), connect(t, url), url)
		if err != nil {
			t.Fatal(err)
		}
		states = append(states, s.Of("s-1", hook.Project))
	}
	var all sync.WaitGroup
	for i := range 20 {
		all.Go(func() {
			if _, err := states[i%2].Incr(t.Context(), "n", 1); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	if got, ok, err := states[0].Get(t.Context(), "n"); got != "20" || !ok || err != nil {
		t.Errorf("20 increments from two hosts are %q, %v; want none lost", got, err)
	}
	if ok, err := states[1].CompareAndSwap(t.Context(), "n", "19", "x"); ok || err != nil {
		t.Errorf("a compare with an old value: %v, %v", ok, err)
	}
	if ok, err := states[1].CompareAndSwap(t.Context(), "n", "20", "x"); !ok || err != nil {
		t.Errorf("a compare with the value: %v, %v", ok, err)
	}
	if _, err := states[0].Incr(t.Context(), "n", 1); err == nil {
		t.Error("a text was incremented")
	}
	if err := states[0].Set(t.Context(), "big", string(make([]byte, mostState))); err == nil {
		t.Error("a value over the limit was kept")
	}
	name := states[0].(interface{ Name() string }).Name()
	byName, done, err := StateNamed(t.Context(), name, "")
	if err != nil || !IsStateName(name) {
		t.Fatal(name, err)
	}
	defer done()
	if got, _, err := byName.Get(t.Context(), "n"); got != "x" || err != nil {
		t.Errorf("by its name the value is %q, %v", got, err)
	}
	if err := states[0].Delete(t.Context(), "n"); err != nil {
		t.Error(err)
	}
	if _, ok, err := states[1].Get(t.Context(), "n"); ok || err != nil {
		t.Errorf("a deleted value is there: %v, %v", ok, err)
	}
}

// If two processes begin at the same time, neither takes over the other's spool.
func TestSpoolsThatBeginTogetherAreTheirOwners(t *testing.T) {
	shared := t.TempDir()
	var all sync.WaitGroup
	for range 32 {
		all.Go(func() {
			for range 8 {
				s, err := openSpool(shared, 1<<20, quiet)
				if err != nil {
					t.Error(err)
					return
				}
				s.send = func(context.Context, [][]byte) error { return nil }
				s.adopt(t.Context())
				if _, err := s.Write([]byte("{}\n")); err != nil {
					t.Error(err)
				}
				if _, err := os.Stat(filepath.Join(s.dir, lockName)); err != nil {
					t.Errorf("the spool of a living process is gone: %v", err)
				}
				_ = s.file.Close()
				_ = s.lock.Unlock() // the process ends
			}
		})
	}
	all.Wait()
}

func TestRecordsAreFollowedFromTheFirst(t *testing.T) {
	s, err := embedded.Start(embedded.Options{URL: "nats://127.0.0.1:0", Dir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	nc := connect(t, s.ClientURL())
	if err := Prepare(t.Context(), nc, 1, Retention{}); err != nil {
		t.Fatal(err)
	}
	r, err := Records(nc, t.TempDir(), RecordOptions{Host: "h", Log: quiet})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	ses := recordingAgent(t, r)
	fire(t, preToolUse(t), ses, bash)
	testkit.Eventually(t, "the server has the first line", func() bool { return r.Waiting() == 0 })
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	lines, err := FollowRecords(ctx, nc)
	if err != nil {
		t.Fatal(err)
	}
	defer lines.Close()
	read := 0
	for range record.Lines(lines, func(n int, why error) { t.Errorf("line %d: %v", n, why) }) {
		if read++; read == 1 {
			fire(t, preToolUse(t), ses, bash) // fired after the reader was opened
			continue
		}
		break
	}
	if read != 2 {
		t.Errorf("%d lines, want the one before and the one after", read)
	}
}
