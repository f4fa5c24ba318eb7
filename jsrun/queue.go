package jsrun

import "sync"

// taskQueue holds the tasks of a module's goroutine. Adding never waits.
type taskQueue struct {
	wake chan struct{} // buffered: one signal is enough for any number of tasks

	mu     sync.Mutex
	tasks  []func()
	closed bool
}

func newQueue() *taskQueue { return &taskQueue{wake: make(chan struct{}, 1)} }

// add queues a task. It drops the task if the queue is closed.
func (q *taskQueue) add(task func()) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.closed {
		return
	}
	q.tasks = append(q.tasks, task)
	q.signal()
}

// close makes run return after its current task. Waiting tasks are dropped.
func (q *taskQueue) close() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.closed, q.tasks = true, nil
	q.signal()
}

func (q *taskQueue) signal() {
	select {
	case q.wake <- struct{}{}:
	default:
	}
}

// run runs the tasks in their order until the queue is closed.
func (q *taskQueue) run() {
	for range q.wake {
		for {
			task, closed := q.next()
			if closed {
				return
			}
			if task == nil {
				break
			}
			task()
		}
	}
}

func (q *taskQueue) next() (task func(), closed bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if len(q.tasks) > 0 {
		task, q.tasks[0], q.tasks = q.tasks[0], nil, q.tasks[1:]
	}
	return task, q.closed
}
