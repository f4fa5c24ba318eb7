package xcsh

import "github.com/snaphook-go/snaphook/pipeline"

// Runtimes returns the declarations of the event in the two runtimes.
func (e *Event[E, R]) Runtimes() []*pipeline.Event[E, R] {
	return []*pipeline.Event[E, R]{e.hooks, e.extensions}
}

// Event returns the event that fires the notice.
func (n *Notice[E]) Event() *Event[E, Nothing] { return n.event }
