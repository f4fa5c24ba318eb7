package fleet

import (
	"fmt"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/snaphook-go/snaphook/internal/testkit"
)

// outcomes counts how the calls of agents have ended.
type outcomes struct {
	mu       sync.Mutex
	ended    map[string]string // by id
	answered int
	denied   int
	why      map[string]int // number of denials, by error
	wrong    []string
	changed  chan struct{} // gets a token with each call that ends
}

func newOutcomes() *outcomes {
	return &outcomes{ended: map[string]string{}, why: map[string]int{}, changed: make(chan struct{}, 1)}
}

// line counts the call that a line of agentsRole reports.
func (o *outcomes) line(text string) {
	id, how, _ := strings.Cut(text, " ")
	o.mu.Lock()
	defer o.mu.Unlock()
	switch {
	case o.ended[id] != "":
		o.wrong = append(o.wrong, text+", and before "+o.ended[id])
	case how == "answered":
		o.answered++
	case strings.HasPrefix(how, "denied remote "):
		o.denied++
		o.why[how]++
	default:
		o.wrong = append(o.wrong, text)
	}
	o.ended[id] = how
	signal(o.changed, struct{}{})
}

func (o *outcomes) counts() (answered, denied int) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.answered, o.denied
}

// until waits for a condition on the calls that have ended.
func (o *outcomes) until(t testing.TB, what string, holds func(answered, denied int) bool) {
	t.Helper()
	due := time.After(4 * patience)
	for {
		answered, denied := o.counts()
		if holds(answered, denied) {
			return
		}
		select {
		case <-o.changed:
		case <-due:
			t.Fatalf("it did not come about that %s: %d calls are answered, %d denied", what, answered, denied)
		}
	}
}

// The fleet has real processes: 64 agents use three workers, while each part of the fleet fails. See disturbed.
func TestNoCallIsLostWhileTheFleetFails(t *testing.T) { disturbed(t, 4000, 0) }

// TestNoCallOf20000IsLostWhileTheFleetFails is TestNoCallIsLostWhileTheFleetFails with 20 000 calls, and a network that
// is cut for 5 s.
func TestNoCallOf20000IsLostWhileTheFleetFails(t *testing.T) {
	testkit.Timed(t)
	disturbed(t, 20_000, 5*time.Second)
}

// disturbed makes 64 agents call, together at least the given number of times, while workers are killed and added, a
// policy is pushed, the server is restarted, and the network stalls and is cut for at least the time cut. Each call
// ends once: with its answer, from the one worker that ran its hook, or with a denial of class remote.
func disturbed(t *testing.T, calls int, cut time.Duration) {
	f := newFleet(t)
	network := newProxy(t, f.url)
	addWorkers := func() { // one of three workers uses the network that fails
		f.addWorker()
		f.addWorker()
		f.workerURL = network.url()
		f.addWorker()
		f.workerURL = f.url
	}
	addWorkers()
	o := newOutcomes()
	const agents, processes = 64, 8
	var all []*process
	for i := range processes { // half of the processes also use the network that fails
		url := f.url
		if i%2 == 0 {
			url = network.url()
		}
		all = append(all, f.agents(fmt.Sprint("a", i), url, agents/processes, 0, o.line))
	}
	steps := []struct {
		what string
		do   func()
	}{
		{"a worker is killed, and one is added", func() { f.popWorker().kill(); f.addWorker() }},
		{"a worker drains, and one is added", func() { f.popWorker().term(); f.addWorker() }},
		{"a policy is pushed", func() { f.push("y") }},
		{"the server is killed, and starts again", f.restartServer},
		{"all workers are killed, and three are added", func() {
			for range 3 {
				f.popWorker().kill()
			}
			_, before := o.counts()
			o.until(t, "calls are denied without a worker", func(_, denied int) bool { return denied > before })
			addWorkers()
		}},
		{"the network stalls", func() {
			network.stall()
			_, before := o.counts()
			o.until(t, "calls are denied behind it", func(_, denied int) bool { return denied >= before+agents/4 })
			network.resume()
		}},
		{"the network is cut", func() {
			over := time.After(cut)
			network.setCut(true)
			_, before := o.counts()
			o.until(t, "calls are denied without it", func(_, denied int) bool { return denied >= before+agents/4 })
			<-over
			network.setCut(false)
		}},
	}
	began := time.Now()
	for i, step := range steps {
		before, _ := o.counts()
		o.until(t, "calls are answered before "+step.what, func(answered, denied int) bool {
			return answered >= before+agents && answered+denied >= i*calls/len(steps)
		})
		start := time.Now()
		step.do()
		t.Logf("%s in %v", step.what, time.Since(start).Round(time.Millisecond))
	}
	before, _ := o.counts()
	o.until(t, "the calls are made", func(answered, denied int) bool {
		return answered >= before+agents && answered+denied >= calls
	})
	for _, p := range all {
		p.term()
	}
	took := time.Since(began)
	for len(f.workers) > 0 {
		f.popWorker().term()
	}
	f.server.term()
	for _, wrong := range o.wrong[:min(len(o.wrong), 10)] {
		t.Error(wrong)
	}
	ran, last := readLedger(t, f.ran), map[string]int{}
	for id, how := range o.ended {
		if n := ran[id]; n > 1 || how == "answered" && n != 1 {
			t.Errorf("%s: %s, and its hook has run %d times", id, how, n)
		}
		at := strings.LastIndexByte(id, '.')
		n, _ := strconv.Atoi(id[at+1:])
		last[id[:at]] = max(last[id[:at]], n)
	}
	made := len(last)
	for _, n := range last { // an agent numbers its calls from 0
		made += n
	}
	if len(last) != agents || made != len(o.ended) {
		t.Errorf("%d agents have made %d calls, and %d have ended", len(last), made, len(o.ended))
	}
	t.Logf("%d calls in %v: %d answered, %d denied with the class remote: %v", made, took.Round(time.Millisecond), o.answered, o.denied, o.why)
}
