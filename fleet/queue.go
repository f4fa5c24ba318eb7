package fleet

import (
	"errors"
	"fmt"
	"sync"
)

// errFull is the error of a request for which there is no space.
var errFull = errors.New("the worker is at its limit")

// queue runs jobs, a limited number at a time, and shares that number among hosts: those that wait take
// turns, and no host can take all the space of the others.
type queue struct {
	limit, most, perHost int // running; waiting; waiting of one host

	mu      sync.Mutex
	running int
	waiting int
	hosts   map[string][]func() // no list is empty
	turns   []string            // the hosts that wait, the next first
	all     sync.WaitGroup
}

// put runs a job, now or in its turn. The error says why it never will.
func (q *queue) put(host string, job func()) error {
	q.mu.Lock()
	defer q.mu.Unlock()
	switch waits := q.hosts[host]; {
	case q.running < q.limit:
		q.running++
		q.all.Go(func() { q.run(job) })
	case q.waiting >= q.most:
		return fmt.Errorf("%w: %d requests run and %d wait", errFull, q.running, q.waiting)
	case len(waits) >= q.perHost:
		return fmt.Errorf("%w for one host: %d requests of it wait", errFull, len(waits))
	default:
		if q.hosts == nil {
			q.hosts = map[string][]func(){}
		}
		if len(waits) == 0 {
			q.turns = append(q.turns, host)
		}
		q.hosts[host] = append(waits, job)
		q.waiting++
	}
	return nil
}

// run runs a job, and then those that wait.
func (q *queue) run(job func()) {
	for job != nil {
		job()
		job = q.next()
	}
}

func (q *queue) next() func() {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.waiting == 0 {
		q.running--
		return nil
	}
	host := q.turns[0]
	jobs := q.hosts[host]
	q.turns = q.turns[1:]
	if len(jobs) == 1 {
		delete(q.hosts, host)
	} else {
		q.hosts[host] = jobs[1:]
		q.turns = append(q.turns, host)
	}
	q.waiting--
	return jobs[0]
}

// wait returns when nothing runs and nothing waits. Nothing may be put in meanwhile.
func (q *queue) wait() { q.all.Wait() }

// load returns how many jobs run, and how many wait.
func (q *queue) load() (running, waiting int) {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.running, q.waiting
}
