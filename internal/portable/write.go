package portable

import (
	"bytes"
	"encoding/json"
	"math"
	"strconv"
	"strings"
	"time"
)

// Hook is a command hook in the form of a system's file.
type Hook struct {
	Event   string // in the system's words
	Matcher string // in the system's words; "": no matcher
	Command string
	Timeout time.Duration // 0: the file has no timeout
	Closed  bool          // a failure of the hook blocks
}

// Settings writes hooks as a file of the system. Each hook is an entry of its own, under its event; hooks of one event
// keep their order.
func (s *System) Settings(hooks []Hook) []byte {
	if s.Form == TOML {
		return s.toml(hooks)
	}
	b := bytes.NewBufferString("{")
	if s.Around != "" {
		b.WriteString(s.Around + ",")
	}
	b.WriteString(`"hooks":{`)
	var events []string
	byEvent := map[string][]Hook{}
	for _, h := range hooks {
		if byEvent[h.Event] == nil {
			events = append(events, h.Event)
		}
		byEvent[h.Event] = append(byEvent[h.Event], h)
	}
	for i, event := range events {
		comma(b, i)
		b.WriteString(quoted(event) + ":[")
		for j, h := range byEvent[event] {
			comma(b, j)
			b.WriteString(s.entry(&h))
		}
		b.WriteString("]")
	}
	b.WriteString("}}")
	var out bytes.Buffer
	if err := json.Indent(&out, b.Bytes(), "", "  "); err != nil {
		panic("portable: the data of " + s.Name + " are not JSON: " + err.Error())
	}
	return append(out.Bytes(), '\n')
}

// entry writes one element of an event's array.
func (s *System) entry(h *Hook) string {
	matcher := ""
	if h.Matcher != "" {
		matcher = `"matcher":` + quoted(h.Matcher)
	}
	members := []string{`"type":"command"`, `"command":` + quoted(h.Command)}
	if h.Timeout != 0 {
		members = append(members, quoted(s.timing())+":"+s.Time(h.Timeout))
	}
	if h.Closed && s.Closing != "" {
		members = append(members, s.Closing)
	}
	if s.Form == Flat {
		return "{" + joined(append([]string{matcher}, members...)) + "}"
	}
	return "{" + joined([]string{matcher, `"hooks":[{` + joined(members) + `}]`}) + "}"
}

// toml writes hooks as tables of TOML, whose strings have JSON's escapes.
func (s *System) toml(hooks []Hook) []byte {
	var b bytes.Buffer
	for i, h := range hooks {
		if i > 0 {
			b.WriteString("\n")
		}
		b.WriteString("[[hooks]]\nevent = " + quoted(h.Event) + "\n")
		if h.Matcher != "" {
			b.WriteString("matcher = " + quoted(h.Matcher) + "\n")
		}
		b.WriteString("command = " + quoted(h.Command) + "\n")
		if h.Timeout != 0 {
			b.WriteString(s.timing() + " = " + s.Time(h.Timeout) + "\n")
		}
		if name, value, ok := strings.Cut(s.Closing, ":"); h.Closed && ok {
			b.WriteString(strings.Trim(name, `"`) + " = " + value + "\n")
		}
	}
	return b.Bytes()
}

func (s *System) timing() string {
	if s.Timing == "" {
		return "timeout"
	}
	return s.Timing
}

// Fit returns the timeout that the file of the system has for t: rounded up to a whole Unit, if Whole is set, and at
// most Longest.
func (s *System) Fit(t time.Duration) time.Duration {
	if s.Whole {
		t = time.Duration(math.Ceil(float64(t)/float64(s.Unit))) * s.Unit
	}
	if s.Longest > 0 {
		t = min(t, s.Longest)
	}
	return t
}

// Time writes a timeout as a number of Unit.
func (s *System) Time(t time.Duration) string {
	return strconv.FormatFloat(float64(t)/float64(s.Unit), 'f', -1, 64)
}

func joined(members []string) string {
	var all []string
	for _, m := range members {
		if m != "" {
			all = append(all, m)
		}
	}
	return strings.Join(all, ",")
}

func comma(b *bytes.Buffer, i int) {
	if i > 0 {
		b.WriteByte(',')
	}
}

// quoted returns a JSON string. It does not escape <, > and &, which are common in commands.
func quoted(text string) string {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	_ = e.Encode(text) // encoding a string cannot fail
	return strings.TrimSuffix(b.String(), "\n")
}
