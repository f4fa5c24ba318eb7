package tests

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"iter"
	"strconv"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/snaphook-go/snaphook/cmd/snaphook/internal/cli"
	env "github.com/snaphook-go/snaphook/internal/environ"
	"github.com/snaphook-go/snaphook/pipeline"
	rec "github.com/snaphook-go/snaphook/record"
	"github.com/snaphook-go/snaphook/wire"
)

// past is a fire of a record, or one written by hand. A nil member is absent from the line; null
// is present.
type past struct {
	rec.Line
	Decision  jsontext.Value `json:"decision"`
	Reason    jsontext.Value `json:"reason"`
	Stop      jsontext.Value `json:"stop"`
	Rewritten jsontext.Value `json:"rewritten"`

	number int // line number, from 1
}

// maxPast limits the size of a line to 16 MiB.
const maxPast = 16 << 20

var (
	errTornLine = errors.New("the line is incomplete: its writer was killed, or its disk was full")
	errLongLine = fmt.Errorf("the line is longer than %d MiB", maxPast>>20)
)

// pastLines reads fires line by line, and keeps one in memory. It skips lines about the end of a background hook. It
// yields an invalid line with an error; an error of the reader comes without a line, and ends the sequence.
func pastLines(r io.Reader) iter.Seq2[*past, error] {
	return func(yield func(*past, error) bool) {
		in := bufio.NewReaderSize(r, 64<<10)
		for number := 1; ; number++ {
			text, err := boundedLine(in)
			if len(text) > 0 || errors.Is(err, errLongLine) {
				p, wrong := parsePast(text, number)
				if errors.Is(err, errLongLine) {
					wrong = err
				}
				if p.Late == "" && !yield(p, wrong) { // a line with Late is not a fire
					return
				}
			}
			switch {
			case errors.Is(err, io.EOF):
				return
			case err != nil && !errors.Is(err, errLongLine):
				yield(nil, err)
				return
			}
		}
	}
}

// boundedLine reads a line without its end. It skips the rest of a line that is too long.
func boundedLine(in *bufio.Reader) (text []byte, err error) {
	for long := false; ; {
		part, err := in.ReadSlice('\n')
		if long = long || len(text)+len(part) > maxPast; !long {
			text = append(text, part...)
		}
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
			continue
		case long && (err == nil || errors.Is(err, io.EOF)):
			return nil, errLongLine
		}
		return bytes.TrimSpace(text), err
	}
}

func parsePast(text []byte, number int) (*past, error) {
	p := &past{number: number}
	err := json.Unmarshal(text, p, jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
	switch {
	case err != nil && bytes.HasPrefix(text, []byte("{")) && errors.Is(err, io.ErrUnexpectedEOF):
		return p, errTornLine
	case err != nil:
		return p, fmt.Errorf(`this is not a fire: %w; write {"event": "claude.PreToolUse", "input": {…}}`, err)
	case p.V > 1:
		return p, fmt.Errorf("the line is of version %d, and this program knows version 1: use a newer snaphook", p.V)
	case p.Event == "":
		return p, errors.New(`the line has no event; write {"event": "claude.PreToolUse", "input": {…}}`)
	case p.Input != nil && p.Input.Kind() != '{' && p.Input.Kind() != 'n':
		return p, fmt.Errorf(`the input is %.20s, want an object with the event's fields`, p.Input)
	case p.Decision != nil && p.Decision.Kind() != 'n' && p.Decision.Kind() != '"':
		return p, fmt.Errorf(`the decision is %.20s, want "deny", "ask", "allow" or null`, p.Decision)
	}
	p.Line.Decision, _ = wire.Text(p.Decision)
	return p, nil
}

// changes lists the differences between an outcome and the recorded one; none if no decision was recorded.
func (p *past) changes(out *pipeline.FireOutcome) (all []string) {
	if out == nil {
		out = &pipeline.FireOutcome{}
	}
	if p.Decision == nil {
		return nil
	}
	compare := func(member string, was jsontext.Value, is string) {
		if was == nil {
			return
		}
		if before := plainOr(was, member); before != is {
			all = append(all, fmt.Sprintf("%s %s → %s", member, shownWas(member, before), shownWas(member, is)))
		}
	}
	compare("decision", p.Decision, recordedDecision(out.Decision))
	compare("reason", p.Reason, recordedText(out.Reason))
	compare("stop", p.Stop, strconv.FormatBool(out.Stop))
	compare("rewritten", p.Rewritten, strconv.FormatBool(out.Rewritten))
	return all
}

// plainOr returns the text of a recorded value, or the member's default for null.
func plainOr(v jsontext.Value, member string) string {
	if text, ok := wire.Text(v); ok && text != "" {
		if same, other := sameWords[text]; other && member == "decision" {
			return same
		}
		return text
	}
	if v.Kind() == 'n' || v.Kind() == '"' {
		return map[string]string{"decision": "none", "stop": "false", "rewritten": "false"}[member]
	}
	return string(v)
}

// sameWords maps decisions of hooks to their words in records.
var sameWords = map[string]string{"block": "deny", "approve": "allow"}

func shownWas(member, text string) string {
	switch {
	case text == "":
		return "none"
	case member == "reason":
		return strconv.Quote(text)
	}
	return cli.OneLine(text)
}

// keptText is the number of bytes of a text that a record keeps.
const keptText = 4 << 10

// recordedText returns a text in the form that a record keeps: without secrets, and cut.
func recordedText(s string) string {
	if s = env.Scrub(s); len(s) > keptText {
		s = env.Cut(s, keptText) + "…"
	}
	return wire.Valid([]byte(s))
}
