package fleet

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/snaphook-go/snaphook/internal/testkit"
)

// Agents, a worker and the server are killed in turns while 64 agents write: each record that a spool has taken is read
// back once.
func TestAcknowledgedRecordsSurviveKills(t *testing.T) {
	f := newFleet(t)
	f.recording = true
	f.addWorker()
	f.addWorker()
	o := newOutcomes()
	const processes = 8
	started := 0
	agents := func() *process {
		started++
		return f.agents(fmt.Sprint("r", started), f.url, 64/processes, 0, o.line)
	}
	var all []*process
	for range processes {
		all = append(all, agents())
	}
	for round := range 4 {
		before, _ := o.counts()
		o.until(t, "calls are answered", func(answered, _ int) bool { return answered >= before+200 })
		all[round].kill()
		all[round] = agents()
		f.popWorker().kill()
		f.addWorker()
		if round%2 == 0 {
			f.restartServer()
		} else {
			f.server.kill() // records wait in the spools
			_, before := o.counts()
			o.until(t, "calls are denied without a server", func(_, denied int) bool { return denied >= before+64 })
			f.startServer()
		}
	}
	before, _ := o.counts()
	o.until(t, "calls are answered", func(answered, _ int) bool { return answered >= before+200 })
	for _, p := range append(all, f.workers...) {
		p.kill()
	}
	nc := connect(t, f.url)
	spools := filepath.Join(f.dir, "spool")
	r, err := Records(nc, spools, RecordOptions{Log: quiet, Host: "h"})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	testkit.Eventually(t, "the spools of all ended processes are sent", func() bool {
		left, err := os.ReadDir(spools)
		return err == nil && len(left) == 1
	})
	acknowledged, read := readLedger(t, f.recorded), map[string]int{}
	for _, l := range recorded(t, nc) {
		read[l.ID]++
	}
	for id, n := range acknowledged {
		if n != 1 || read[id] != 1 {
			t.Errorf("the record %s is acknowledged %d times, and read %d times", id, n, read[id])
		}
	}
	js, err := jetstream.New(nc)
	if err != nil {
		t.Fatal(err)
	}
	stream, err := js.Stream(t.Context(), RecordStream)
	if err != nil {
		t.Fatal(err)
	}
	answered, denied := o.counts()
	t.Logf("%d calls, %d denied; %d records acknowledged, %d read, %d on the server", answered+denied, denied,
		len(acknowledged), len(read), stream.CachedInfo().State.Msgs)
	if len(acknowledged) < 1000 {
		t.Errorf("only %d records are acknowledged", len(acknowledged))
	}
}
