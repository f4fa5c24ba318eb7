package claude

import (
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/snaphook-go/snaphook/wire"
)

// payloadTraits describes how the payload of a system differs from Claude Code's.
type payloadTraits struct {
	names   map[string]string // members with another name in the system; "" leaves one out
	rest    bool              // members that are not in names stay as they are
	subject string            // the name of a member that gets the text that matchers test; "": no such member
	stamp   string            // a member that holds the time of the call
	cut     map[string]int    // members that are texts in the system, with the number of characters kept
	newline bool              // a line feed ends the payload
}

// of translates a payload to the words of the system. event is the event's name in the system, and subject the name of
// the member that matchers test, or "".
func (p *payloadTraits) of(event, subject string, payload wire.Object) []byte {
	dst := append(make([]byte, 0, len(payload)+100), '{')
	add := func(name string, value jsontext.Value) {
		if len(dst) > 1 {
			dst = append(dst, ',')
		}
		dst = append(append(append(dst, wire.Quote(name)...), ':'), value...)
	}
	for name, value := range payload.Members() {
		there, renamed := p.names[name]
		switch {
		case name == "hook_event_name":
			value = wire.Quote(event)
		case p.cut[there] > 0:
			value = shortened(value, p.cut[there])
		}
		switch {
		case renamed && there != "":
			add(there, value)
		case !renamed && p.rest:
			add(name, value)
		}
	}
	if p.subject != "" {
		value := payload.Get(subject)
		if value == nil {
			value = jsontext.Value("null")
		}
		add(p.subject, value)
	}
	if p.stamp != "" {
		add(p.stamp, wire.Quote(time.Now().UTC().Format("2006-01-02T15:04:05.000Z")))
	}
	dst = append(dst, '}')
	if p.newline {
		dst = append(dst, '\n')
	}
	return dst
}

// shortened returns a value as a text of at most this many characters.
func shortened(value jsontext.Value, most int) jsontext.Value {
	text, isText := wire.Text(value)
	if !isText {
		text = string(value)
	}
	return wire.Quote(beginning(text, most))
}
