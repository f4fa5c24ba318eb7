package fleet

import (
	"errors"
	"fmt"
	"sync"
)

// errFull is the error of a request for which the queue has no space.
var errFull = errors.New("the worker is at its limit")

// queue runs a limited number of jobs at a time, and shares them fairly among hosts: waiting hosts take
// turns, and each host has a limit of waiting jobs.
type queue struct {
	limit, most, perHost int // limits of the running jobs, of the waiting jobs, and of the waiting jobs of one host

	mu      sync.Mutex
	running int
	waiting int
	hosts   map[string][]func() // waiting jobs by host; no list is empty
	turns   []string            // the waiting hosts, the next one first
	idle    []chan func()       // idle goroutines, the most recently busy one last
	all     sync.WaitGroup      // the goroutines with a job
}

// put runs a job now, or queues the job. It returns an error if the queue is full.
func (q *queue) put(host string, job func()) error {
	q.mu.Lock()
	defer q.mu.Unlock()
	switch waits := q.hosts[host]; {
	case q.running < q.limit:
		q.running++
		q.all.Add(1)
		if last := len(q.idle) - 1; last >= 0 {
			q.idle[last] <- job
			q.idle = q.idle[:last]
		} else {
			go q.run(job)
		}
	case q.waiting >= q.most:
		return fmt.Errorf("%w: %d requests run and %d wait", errFull, q.running, q.waiting)
	case len(waits) >= q.perHost:
		return fmt.Errorf("%w for one host: %d requests of this host wait", errFull, len(waits))
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

// run runs jobs. It keeps its goroutine, whose stack has grown: a new goroutine has to copy its growing stack several
// times during a fire.
func (q *queue) run(job func()) {
	jobs := make(chan func(), 1)
	for job != nil {
		job()
		if job = q.next(jobs); job == nil {
			job = <-jobs
		}
	}
}

// next returns a waiting job. If no job waits, next returns nil and adds jobs, the channel from which the calling
// goroutine receives, to the idle channels.
func (q *queue) next(jobs chan func()) func() {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.waiting == 0 {
		q.running--
		q.idle = append(q.idle, jobs)
		q.all.Done()
		return nil
	}
	host := q.turns[0]
	waits := q.hosts[host]
	q.turns = q.turns[1:]
	if len(waits) == 1 {
		delete(q.hosts, host)
	} else {
		q.hosts[host] = waits[1:]
		q.turns = append(q.turns, host)
	}
	q.waiting--
	return waits[0]
}

// wait returns when no job runs or waits, and ends the goroutines. put must not be called meanwhile.
func (q *queue) wait() {
	q.all.Wait()
	q.mu.Lock()
	defer q.mu.Unlock()
	for _, jobs := range q.idle {
		close(jobs)
	}
	q.idle = nil
}

// load returns the numbers of running and of waiting jobs.
func (q *queue) load() (running, waiting int) {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.running, q.waiting
}
