package tests

import (
	"bytes"
	"fmt"
	"strings"
	"sync"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/snaphook-go/snaphook/cmd/snaphook/command/fire"
	"github.com/snaphook-go/snaphook/cmd/snaphook/internal/fixture"
	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/pipeline"
	"github.com/snaphook-go/snaphook/wire"
)

// sighting is the observed outcome of one fire.
type sighting struct {
	fired *fire.Fired
	seen  fixture.Seen

	mu       sync.Mutex // guards the members below: hooks end on many goroutines
	outcome  *pipeline.FireOutcome
	looked   []looked
	notes    []string
	dialects string
}

// looked is a hook that a fire considered: whether its matcher matched, and whether it ran.
type looked struct {
	hook   *hook.Hook
	why    hook.SkipReason // empty if it ran
	detail string
}

func (s *sighting) add(format string, args ...any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.notes = append(s.notes, fmt.Sprintf(format, args...))
}

// recordedDecision returns the word for a decision in records and fixtures.
func recordedDecision(d hook.Decision) string {
	switch {
	case d.Blocks():
		return "deny"
	case d == hook.Approve, d == hook.Allow:
		return "allow"
	case d == hook.Ask:
		return "ask"
	}
	return "none"
}

// joined joins texts, each on lines of its own.
func joined(texts []string) string {
	var b strings.Builder
	for _, text := range texts {
		if text = strings.TrimRight(text, "\r\n"); text == "" {
			continue
		}
		if b.Len() > 0 {
			b.WriteByte('\n')
		}
		b.WriteString(text)
	}
	return b.String()
}

// contextOf returns the texts that hooks add for the model.
func contextOf(effects wire.Object) (texts []string) {
	v := effects.Get("additionalContext")
	if text, ok := wire.Text(v); ok {
		return []string{text}
	}
	if v.Kind() != '[' {
		return nil
	}
	d := jsontext.NewDecoder(bytes.NewReader(v), jsontext.AllowInvalidUTF8(true))
	for token, err := d.ReadToken(); err == nil; token, err = d.ReadToken() {
		if token.Kind() == '"' {
			texts = append(texts, token.String())
		}
	}
	return texts
}
