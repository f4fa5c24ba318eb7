package record

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"iter"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// Line is one line of a record. A null in the line becomes the zero value.
type Line struct {
	V          int            `json:"v"`
	ID         string         `json:"id"`
	Time       time.Time      `json:"time"`
	Event      string         `json:"event"` // "claude.PreToolUse"
	Session    string         `json:"session"`
	Subject    string         `json:"subject"`
	Trace      string         `json:"trace"`
	Span       string         `json:"span"`
	Parent     string         `json:"parent"`
	Input      jsontext.Value `json:"input"`
	Refs       Refs           `json:"refs"`
	Decision   string         `json:"decision"` // "deny", "ask", "allow"
	Reason     string         `json:"reason"`
	Stop       bool           `json:"stop"`
	Rewritten  bool           `json:"rewritten"`
	Would      *Would         `json:"would"`
	MS         float64        `json:"ms"`
	FailedOpen int            `json:"failed_open"`
	Conflicts  []Conflict     `json:"conflicts"`
	Late       string         `json:"late"`     // the id of the fire whose background hook has ended; empty in the line of a fire
	Revision   uint64         `json:"revision"` // revision of the fleet's policy in force; 0: none
	Hooks      []Hook         `json:"hooks"`
}

// Refs are the ids that connect events.
type Refs struct {
	ToolUseID  string `json:"tool_use_id"`
	ToolCallID string `json:"toolCallId"`
	AgentID    string `json:"agent_id"`
	AgentType  string `json:"agent_type"`
}

// Would is the decision as it would be if hooks in shadow had effect.
type Would struct {
	Decision string `json:"decision"`
	Reason   string `json:"reason"`
}

// Conflict is a member of the input that several hooks set to different values.
type Conflict struct {
	Key   string   `json:"key"`
	Hooks []string `json:"hooks"` // ids, in plan order
}

// Hook is one hook that a fire considered.
type Hook struct {
	ID       string   `json:"id"`
	Type     string   `json:"type"`
	Source   string   `json:"source"`
	Name     string   `json:"name"`
	Command  string   `json:"command"`
	Matcher  string   `json:"matcher"`
	If       string   `json:"if"`     // its condition
	File     string   `json:"file"`   // file:line:column
	SHA256   string   `json:"sha256"` // of Command
	Ran      bool     `json:"ran"`
	Why      string   `json:"why"` // why it did not run
	Detail   string   `json:"detail"`
	Outcome  string   `json:"outcome"`
	Exit     *int     `json:"exit"`
	MS       *float64 `json:"ms"`
	QueuedMS *float64 `json:"queued_ms"`
	Granted  float64  `json:"granted_ms"` // the extension of its time limit, in ms
	Decision string   `json:"decision"`
	Reason   string   `json:"reason"`
	Mode     string   `json:"mode"`    // "enforce", "shadow"
	Differs  bool     `json:"differs"` // the hook ran in shadow; with effect it alone would have changed the outcome
	Class    string   `json:"class"`   // how it failed
	Open     *bool    `json:"failed_open"`
	Error    string   `json:"error"`
	Answer   string   `json:"answer"`
	Stderr   string   `json:"stderr"`
	Recheck  bool     `json:"recheck"` // the hook ran again, with the rewritten input
	Rewrote  bool     `json:"rewrote"` // its answer replaces a part of the input
	Notes    []string `json:"notes"`   // parts of its answer that were invalid or that the event does not honour

	// Policy maps members of the hook's policy to the level and position that set them.
	Policy map[string]string `json:"policy"`

	Background *Ending `json:"background"` // nil if the hook has not ended, or did not run, in the background
}

// Ending is the end of a background hook.
type Ending struct {
	Outcome  string  `json:"outcome"`
	Exit     *int    `json:"exit"`
	MS       float64 `json:"ms"`
	QueuedMS float64 `json:"queued_ms"`
	Class    string  `json:"class"`
	Error    string  `json:"error"`
	Answer   string  `json:"answer"`
	Stderr   string  `json:"stderr"`
}

// Failed reports whether the hook failed in the background.
func (e *Ending) Failed() bool {
	return e != nil && (e.Class != "" || e.Outcome == "non_blocking_error" || e.Outcome == "cancelled")
}

// Label returns the name to show to people: the configured name, else the command, else the id.
func (h *Hook) Label() string {
	for _, name := range []string{h.Name, h.Command} {
		if name != "" {
			return name
		}
	}
	return h.ID
}

// Failed reports whether the hook failed: it gave no valid answer.
func (h *Hook) Failed() bool {
	return h.Ran && (h.Class != "" || h.Outcome == "non_blocking_error" || h.Outcome == "cancelled")
}

// IsFailedOpen reports whether the hook failed open.
func (h *Hook) IsFailedOpen() bool {
	if h.Open != nil {
		return *h.Open
	}
	return h.Failed() && h.Decision != "deny"
}

// maxLine limits a line: 16 MiB.
const maxLine = 16 << 20

// Text is a line of the file as written, without its line end. It is valid until the next line is read.
type Text []byte

// Lines reads a record line by line, using memory for one line. It skips invalid lines and reports each to bad, if not
// nil, with its number from 1. Empty lines are skipped silently. A read error ends the iteration and is reported with
// number 0.
func Lines(r io.Reader, bad func(number int, why error)) iter.Seq2[Text, *Line] {
	return func(yield func(Text, *Line) bool) {
		if bad == nil {
			bad = func(int, error) {}
		}
		in := bufio.NewReaderSize(r, 256<<10)
		for number := 1; ; number++ {
			text, end := nextLine(in)
			if len(text) > 0 || errors.Is(end, errLong) {
				line, err := parse(text, end)
				if err != nil {
					bad(number, err)
				} else if !yield(text, line) {
					return
				}
			}
			switch {
			case errors.Is(end, io.EOF):
				return
			case end != nil && !errors.Is(end, errLong):
				bad(0, end)
				return
			}
		}
	}
}

var errLong = fmt.Errorf("the line is longer than %d MiB", maxLine>>20)

// nextLine reads a line without its end. It skips the rest of a line that is too long.
func nextLine(in *bufio.Reader) (text []byte, err error) {
	long := false
	for {
		part, err := in.ReadSlice('\n')
		if text == nil && err == nil {
			return bytes.TrimSpace(part), nil // most lines take this path
		}
		if long = long || len(text)+len(part) > maxLine; !long {
			text = append(text, part...)
		}
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
			continue
		case long:
			return nil, errLong
		}
		return bytes.TrimSpace(text), err
	}
}

// Errors of lines.
var (
	errNotARecord = errors.New("this is not a line of a record: it has no v and no event")
	errTorn       = errors.New("the line is incomplete: its writer was killed, or its disk was full")
)

func parse(text []byte, end error) (*Line, error) {
	if errors.Is(end, errLong) {
		return nil, end
	}
	l := new(Line)
	err := json.Unmarshal(text, l, jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
	switch syntax := new(jsontext.SyntacticError); {
	case l.V > version:
		return nil, fmt.Errorf(
			"the line is of version %d, and this program knows version %d: use a newer snaphook",
			l.V,
			version,
		)
	case errors.As(err, &syntax) && text[0] == '{' && errors.Is(err, io.ErrUnexpectedEOF):
		return nil, errTorn
	case err != nil:
		return nil, fmt.Errorf("this is not a line of a record: %w", err)
	case l.V < 1 || l.Event == "":
		return nil, errNotARecord
	}
	return l, nil
}
