package testkit

import (
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// Log collects lines of text, for which a test can wait. Many goroutines may use it at once.
type Log struct {
	mu    sync.Mutex
	lines []string
	added chan struct{} // is closed by Add for those who wait, and is nil if nobody waits
}

// Add adds a line.
func (l *Log) Add(line string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.lines = append(l.lines, line)
	if l.added != nil {
		close(l.added)
		l.added = nil
	}
}

// Lines returns all lines.
func (l *Log) Lines() []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.Clone(l.lines)
}

// Take returns all lines, and forgets them.
func (l *Log) Take() []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	lines := l.lines
	l.lines = nil
	return lines
}

// WaitFor waits until a line contains the text, and fails the test after a minute.
func (l *Log) WaitFor(t testing.TB, text string) {
	t.Helper()
	late := time.After(time.Minute)
	for {
		there, added := l.look(text)
		if there {
			return
		}
		select {
		case <-added:
		case <-late:
			t.Fatalf("no line has %q within a minute, only %q", text, l.Lines())
		}
	}
}

// look reports whether a line contains the text, and returns a channel that is closed when the next line is added.
func (l *Log) look(text string) (there bool, added <-chan struct{}) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.added == nil {
		l.added = make(chan struct{})
	}
	return slices.ContainsFunc(l.lines, func(line string) bool { return strings.Contains(line, text) }), l.added
}
