package record

import (
	"crypto/sha256"
	"encoding/hex"
	"maps"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/snaphook-go/snaphook/hook"
)

// hookTexts caches the part of a line that is the same in every fire of a hook.
type hookTexts struct {
	texts sync.Map // *hook.Hook to []byte
	n     atomic.Int64
}

// mostKnown limits the number of cached hooks: each reload of settings adds new ones.
const mostKnown = 4096

func (k *hookTexts) of(h *hook.Hook) []byte {
	if b, ok := k.texts.Load(h); ok {
		return b.([]byte)
	}
	if k.n.Add(1) > mostKnown {
		k.n.Store(1)
		k.texts.Clear()
	}
	b := describe(h)
	k.texts.Store(h, b)
	return b
}

// describe returns the constant beginning of a hook's entry.
func describe(h *hook.Hook) []byte {
	b := text([]byte(`{"id":`), h.ID)
	b = text(append(b, `,"type":`...), h.Type)
	b = text(append(b, `,"source":`...), h.Source.String())
	b = text(append(b, `,"name":`...), h.Name)
	b = text(append(b, `,"command":`...), h.Command)
	b = text(append(b, `,"matcher":`...), h.Pattern)
	b = text(append(b, `,"file":`...), h.Position.String())
	digest := ""
	if h.Command != "" {
		sum := sha256.Sum256([]byte(h.Command))
		digest = hex.EncodeToString(sum[:])
	}
	b = text(append(b, `,"sha256":`...), digest)
	b = text(append(b, `,"if":`...), h.If)
	return appendPolicy(append(b, `,"policy":`...), h.Policy)
}

// appendPolicy appends, by member, the positions in overlays that set the hook's policy; null if no overlay did.
func appendPolicy(b []byte, p *hook.EffectivePolicy) []byte {
	if p == nil || len(p.From) == 0 {
		return append(b, "null"...)
	}
	b = append(b, '{')
	for i, member := range slices.Sorted(maps.Keys(p.From)) {
		if i > 0 {
			b = append(b, ',')
		}
		from := p.From[member]
		b = text(append(text(b, member), ':'), from.Level+" "+from.Position.String())
	}
	return append(b, '}')
}
