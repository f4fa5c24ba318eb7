package jsrun

import (
	"bytes"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// protocolLine is a line of a process. Exactly one member is set; only a line with Output has two, Output and ID.
type protocolLine struct {
	Ready   *struct{}   `json:"ready"`
	ID      string      `json:"id"`
	Output  *callAnswer `json:"output"`
	Ask     *hostCall   `json:"ask"`
	Cancel  string      `json:"cancel"`
	Release int64       `json:"release"`
	Pong    int64       `json:"pong"`
	Log     *struct {
		Level string `json:"level"`
		Text  string `json:"text"`
	} `json:"log"`
}

// callAnswer is the answer to a call.
type callAnswer struct {
	Value jsontext.Value `json:"value"`
	Error jsontext.Value `json:"error"`
}

// hostCall is a call of a host function, or a request of the process.
type hostCall struct {
	ID        string         `json:"id"` // empty: the process blocks until it gets an answer
	Object    int64          `json:"object"`
	Function  int64          `json:"function"`
	Arguments jsontext.Value `json:"arguments"`
	Aborted   bool           `json:"aborted"`
	Signal    *int64         `json:"signal"`
	Shape     *int64         `json:"shape"`
}

// readMessage parses a line. The decoder limits its nesting.
func readMessage(line []byte) (*protocolLine, error) {
	m := &protocolLine{}
	if err := json.Unmarshal(line, m, asJavaScript); err != nil {
		return nil, fmt.Errorf("it wrote a line that is not part of the protocol: %.60q", bytes.TrimSpace(line))
	}
	return m, nil
}

// hears handles a line from the process.
func (m *Module) hears(said *protocolLine) {
	switch {
	case said.Ready != nil:
		m.proc.ready = true
	case said.Pong != 0:
		m.proc.due = time.Time{}
	case said.Ask != nil:
		m.asked(said.Ask)
	case said.Output != nil && said.Output.Error != nil:
		m.complete(numbered(said.ID), outcome{err: m.thrown(string(said.Output.Error))})
	case said.Output != nil:
		m.complete(numbered(said.ID), outcome{value: Value(said.Output.Value)})
	case said.Cancel != "":
		if cancel := m.cancels[numbered(said.Cancel)]; cancel != nil {
			cancel(errAborted)
		}
	case said.Release != 0:
		delete(m.bindings, said.Release)
	case said.Log != nil:
		m.console(said.Log.Level, said.Log.Text)
	default:
		m.end(&DeadError{errors.New("it wrote a line that is not part of the protocol")})
	}
}

func numbered(id string) int64 {
	n, _ := strconv.ParseInt(id, 10, 64)
	return n
}

// asked answers a request of the process. It checks every number of an object or function that the process sends.
func (m *Module) asked(q *hostCall) {
	b := m.bindings[q.Object]
	known := b != nil && q.Function >= 0 && q.Function < int64(len(b.funcs))
	id := numbered(q.ID)
	switch {
	case q.Signal != nil:
		if b = m.bindings[*q.Signal]; b != nil {
			m.answer(m.watch(b))
		} else {
			m.answer(undefined)
		}
	case q.Shape != nil:
		m.answer(m.shapeText(*q.Shape))
	case q.ID == "" && !known:
		m.answer("!there is no such function")
	case q.ID == "":
		m.answer(m.sync(b, q.Function, string(q.Arguments)))
	case !known:
		m.send("settle", id, "!there is no such function")
	default:
		m.async(id, b, q.Function, string(q.Arguments), q.Aborted)
	}
}

func (m *Module) shapeText(id int64) any {
	m.mu.Lock()
	defer m.mu.Unlock()
	if id < 0 || id >= int64(len(m.known)) {
		return undefined
	}
	return m.known[id].source
}

// answer sends the answer for which the process blocks. In a text, "=" begins a value in JSON and "!" an error; any
// other text is the value itself.
func (m *Module) answer(answer any) {
	m.put(m.proc.answers, append(answered([]byte(`{"answer":{`), answer), "}}\n"...))
}

// answered appends the members of an answer; see answerOf.
func answered(dst []byte, answer any) []byte {
	text, is := answer.(string)
	switch {
	case !is:
		return dst
	case strings.HasPrefix(text, "="):
		return append(append(dst, `"value":`...), text[1:]...)
	case strings.HasPrefix(text, "!"):
		return append(append(dst, `"error":`...), literal(text[1:])...)
	}
	return append(append(dst, `"value":`...), literal(text)...)
}

// lineOf returns the line that sends the operation op to the process.
func lineOf(m *Module, op string, args []any) (dst []byte) {
	call := func(payload string, values ...any) []byte {
		dst := fmt.Appendf(nil, `{"v":1,"id":"%d","event":%q,"cwd":%s,"env":{},"payload":`, args[0], op, literal(current(m.opt.Dir)))
		return append(fmt.Appendf(dst, payload, values...), "}\n"...)
	}
	switch op {
	case "load":
		return call(`{"module":%s}`, literal(args[1].(string)))
	case "start":
		return call(`{"arguments":%s}`, args[1])
	case "call":
		return call(`{"function":%d,"arguments":%s}`, args[1], args[2])
	case "settle":
		dst = fmt.Appendf(nil, `{"answer":{"id":"%d"`, args[0])
		if members := answered(nil, args[1]); members != nil {
			dst = append(append(dst, ','), members...)
		}
		return append(dst, "}}\n"...)
	case "abort":
		return fmt.Appendf(nil, `{"abort":{"object":%d,"reason":%s}}`+"\n", args[0], literal(args[1].(string)))
	case "cancel":
		return fmt.Appendf(nil, `{"cancel":"%d"}`+"\n", args[0])
	}
	return fmt.Appendf(nil, `{%q:%d}`+"\n", op, args[0]) // the operations ping and done
}
