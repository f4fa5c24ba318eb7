package match

import (
	"hash/maphash"
	"sync"
)

// lateness remembers the subjects on which a pattern ran out of time. The zero lateness is empty.
type lateness struct {
	mu       sync.RWMutex
	subjects map[uint64]bool // the keys are hashes: a collision makes one hook run unnecessarily
}

// mostLate limits the number of subjects remembered for one pattern.
const mostLate = 1024

var lateSeed = maphash.MakeSeed()

func (l *lateness) has(subject string) bool {
	l.mu.RLock()
	defer l.mu.RUnlock()
	return l.subjects != nil && l.subjects[maphash.String(lateSeed, subject)]
}

func (l *lateness) add(subject string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.subjects == nil || len(l.subjects) >= mostLate {
		l.subjects = map[uint64]bool{}
	}
	l.subjects[maphash.String(lateSeed, subject)] = true
}
