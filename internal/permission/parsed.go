package permission

import (
	"sync"
	"sync/atomic"
	"weak"

	"mvdan.cc/sh/v3/syntax"

	"github.com/snaphook-go/snaphook/wire"
)

// parsed is the command of a call of Bash. It is parsed once for all rules. It never changes, and may be used from many
// goroutines at once.
type parsed struct {
	input   string // the input of the call, as JSON
	command string
	file    *syntax.File // nil: there is no command that can be read, and every rule matches

	named, argued func() *forms // named: for rules with only the name of a command; argued: for all other rules
}

// forms returns the command's forms for rules with the given argues; see bash.
func (p *parsed) forms(argues bool) *forms {
	if argues {
		return p.argued()
	}
	return p.named()
}

func newParsed(input string) *parsed {
	p := &parsed{input: input}
	command, ok := wire.Text(wire.Object(input).Get("command"))
	if !ok || confusing.MatchString(command) {
		return p
	}
	p.command, p.file = command, parseShell(command)
	p.named = sync.OnceValue(func() *forms { return formsOf(p, false) })
	p.argued = sync.OnceValue(func() *forms { return formsOf(p, true) })
	return p
}

const (
	mostRecent = 16
	mostInput  = 2 << 10 // bytes of an input that recent keeps; a longer one is kept until the next garbage collection
)

// recent holds the last calls, since a call is compared with many rules, at several events, in several dialects.
var recent struct {
	last atomic.Pointer[parsed]

	mu   sync.Mutex
	ring [mostRecent]*parsed
	next int
	long weak.Pointer[parsed]
}

// parsedCall returns the parsed command of a call's input.
func parsedCall(input wire.Object) *parsed {
	if p := recent.last.Load(); p != nil && p.input == string(input) {
		return p
	}
	if p := recalled(input); p != nil {
		return p
	}
	p := newParsed(string(input))
	recent.mu.Lock()
	defer recent.mu.Unlock()
	if len(input) > mostInput {
		recent.long = weak.Make(p)
		return p
	}
	recent.ring[recent.next] = p
	recent.next = (recent.next + 1) % mostRecent
	recent.last.Store(p)
	return p
}

// recalled returns a recent call with the same input, or nil.
func recalled(input wire.Object) *parsed {
	recent.mu.Lock()
	defer recent.mu.Unlock()
	if len(input) > mostInput {
		if p := recent.long.Value(); p != nil && p.input == string(input) {
			return p
		}
		return nil
	}
	for _, p := range recent.ring {
		if p != nil && p.input == string(input) {
			recent.last.Store(p)
			return p
		}
	}
	return nil
}
