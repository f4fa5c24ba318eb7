package run

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/snaphook-go/snaphook/hook"
)

// workerReply is what a call is answered with.
type workerReply struct {
	reply hook.Reply
	err   error
}

// answer is a line of a worker.
type answer struct {
	Ready *struct {
		Concurrency int `json:"concurrency"`
	} `json:"ready"`
	ID     string         `json:"id"`
	Exit   int            `json:"exit"`
	Stdout string         `json:"stdout"`
	Stderr string         `json:"stderr"`
	Output jsontext.Value `json:"output"`

	Unknown map[string]jsontext.Value `json:",embed"`
}

// wrong says what of an answer no answer has: a denial in words that are not the protocol's
// must not be taken for silence.
func (a *answer) wrong() error {
	delete(a.Unknown, "v")
	if len(a.Unknown) == 0 {
		return nil
	}
	name := slices.Min(slices.Collect(maps.Keys(a.Unknown)))
	return &hook.ClassError{Class: hook.ClassOutput, Err: fmt.Errorf(
		`the worker answered with the member %.60q, which answers do not have; write "exit", "stdout" and "stderr", or "output"`,
		name)}
}

// appendCall appends the line of a call.
func appendCall(dst []byte, ctx context.Context, id uint64, j *job, changes []string) []byte {
	dst = append(dst, `{"v":1,"id":"`...)
	dst = strconv.AppendUint(dst, id, 10)
	dst = append(dst, `","event":`...)
	dst, _ = jsontext.AppendQuote(dst, j.event)
	dst = append(dst, `,"cwd":`...)
	dst, _ = jsontext.AppendQuote(dst, strings.ToValidUTF8(j.dir, "\uFFFD"))
	if deadline, ok := ctx.Deadline(); ok {
		dst = append(dst, `,"deadlineMs":`...)
		dst = strconv.AppendInt(dst, max(0, time.Until(deadline).Milliseconds()), 10)
	}
	dst = append(dst, `,"env":{`...)
	first := true
	for _, change := range changes {
		name, value, ok := strings.Cut(change[1:], "=")
		if !ok {
			continue
		}
		if !first {
			dst = append(dst, ',')
		}
		first = false
		dst, _ = jsontext.AppendQuote(dst, strings.ToValidUTF8(name, "\uFFFD"))
		dst = append(dst, ':')
		dst, _ = jsontext.AppendQuote(dst, strings.ToValidUTF8(value, "\uFFFD"))
	}
	dst = append(dst, `},"payload":`...)
	from := len(dst)
	dst = append(dst, bytes.TrimSpace(j.stdin)...)
	if len(dst) == from {
		dst = append(dst, "null"...)
	}
	for i := from; i < len(dst); i++ {
		if dst[i] == '\n' || dst[i] == '\r' { // between values: in a string it would be escaped
			dst[i] = ' '
		}
	}
	return append(dst, "}\n"...)
}

// readLine reads a line of at most workerLine bytes.
func readLine(r *bufio.Reader) (line []byte, err error) {
	for {
		part, err := r.ReadSlice('\n')
		if line == nil && err == nil {
			return part, nil
		}
		line = append(line, part...)
		if err == nil {
			return line, nil
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			return nil, err
		}
		if len(line) > workerLine {
			return nil, fmt.Errorf("it wrote a line of more than %d bytes", workerLine)
		}
	}
}

// reply returns what a process would have left.
func (a *answer) reply() (r hook.Reply) {
	r.Exit = a.Exit
	out, stderr := []byte(a.Stdout), []byte(a.Stderr)
	if len(a.Output) > 0 && a.Output.Kind() != 'n' {
		out = bytes.Clone(a.Output)
	}
	if len(out) > MaxStdout {
		out, r.Truncated = out[:MaxStdout], hook.Stdout
	}
	if len(stderr) > MaxStderr {
		stderr, r.Truncated = stderr[:MaxStderr], r.Truncated|hook.Stderr
	}
	if len(out) > 0 {
		r.Stdout = out
	}
	if len(stderr) > 0 {
		r.Stderr = stderr
	}
	return r
}
