package jsrun

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"strconv"
	"strings"

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

// readLine reads a line of at most processLine bytes.
func readLine(r *bufio.Reader) (line []byte, err error) {
	for {
		part, err := r.ReadSlice('\n')
		if line = append(line, part...); err == nil {
			return line, nil
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			return nil, err
		}
		if len(line) > processLine {
			return nil, fmt.Errorf("it wrote a line of more than %d MiB", processLine>>20)
		}
	}
}

// numbered returns an id as a number; 0 if it is not one.
func numbered(id string) int64 {
	n, _ := strconv.ParseInt(id, 10, 64)
	return n
}

// appendAnswer appends the members of an answer; see answerOf.
func appendAnswer(dst []byte, answer any) []byte {
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

// lineOf returns the line that sends the operation op to the process. The directory is part of calls.
func lineOf(dir, op string, args []any) (dst []byte) {
	call := func(payload string, values ...any) []byte {
		dst := fmt.Appendf(nil, `{"v":1,"id":"%d","event":%q,"cwd":%s,"env":{},"payload":`, args[0], op, literal(dir))
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
		if members := appendAnswer(nil, args[1]); members != nil {
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
