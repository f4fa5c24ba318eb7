package genai

import (
	"slices"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/snaphook-go/snaphook/wire"
)

// draft holds contents that are being rewritten.
type draft struct {
	base    []jsontext.Value
	now     []jsontext.Value // base with the edits
	removed []bool           // elements of base whose message the hook removed
	before  [][]hookMessage  // new messages, by the index of the element that they precede
	waiting []hookMessage    // new messages after the last kept message
	added   bool
}

// newDraft returns a draft in which the messages of all elements in shown are removed.
func newDraft(base []jsontext.Value, shown []int) *draft {
	d := &draft{
		base:    base,
		now:     slices.Clone(base),
		removed: make([]bool, len(base)),
		before:  make([][]hookMessage, len(base)),
	}
	for _, i := range shown {
		d.removed[i] = true
	}
	return d
}

// keep keeps element i, and replaces its text, was, by the text of m. The waiting new messages go before element i.
func (d *draft) keep(i int, m hookMessage, was string) {
	d.removed[i] = false
	d.before[i], d.waiting = d.waiting, nil
	if !m.garbled && m.text != was {
		d.now[i] = edit(d.base[i], m.text)
	}
}

func (d *draft) insert(m hookMessage) {
	if m.garbled || m.text == "" {
		return
	}
	d.waiting = append(d.waiting, m)
	d.added = true
}

func (d *draft) assemble() []jsontext.Value {
	all := []jsontext.Value{}
	var queue []hookMessage
	flush := func() {
		for _, m := range queue {
			all = append(all, m.content())
		}
		queue = nil
	}
	for i, element := range d.now {
		queue = append(queue, d.before[i]...)
		// The API rejects a conversation in which anything comes between a call and its response.
		if len(queue) > 0 && !responds(d.base[i]) {
			flush()
		}
		if d.removed[i] {
			element = edit(element, "")
		}
		if element != nil {
			all = append(all, d.wrap(element))
		}
	}
	queue = append(queue, d.waiting...)
	flush()
	return all
}

// wrap makes a content of a loose part if new contents were added: the SDK refuses a list that has both parts and
// contents.
func (d *draft) wrap(content jsontext.Value) jsontext.Value {
	if !d.added || !readElement(content).loose {
		return content
	}
	if text, ok := wire.Text(content); ok {
		content = textPart(text)
	}
	return newContent("user", content)
}

// responds reports whether an element of contents has a response to a function call.
func responds(content jsontext.Value) bool {
	return slices.ContainsFunc(readElement(content).list(content), func(part jsontext.Value) bool {
		return given(object(part).Get("functionResponse"))
	})
}
