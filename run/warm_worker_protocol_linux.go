package run

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/wire"
)

// workerReply is the result of one call.
type workerReply struct {
	reply hook.Reply
	err   error
}

// workerAnswer has the members of a line that a worker has written. A missing member is nil.
type workerAnswer struct {
	ready, id                    jsontext.Value
	exit, stdout, stderr, output jsontext.Value

	wrong error // the first mistake in the members of an answer
}

// readAnswer parses a line. ok is false if the line is not one JSON object. The members are slices of the line.
func readAnswer(line []byte) (a workerAnswer, ok bool) {
	line = wire.Trim(line)
	if jsontext.Value(line).Kind() != '{' {
		return a, false
	}
	ok = wire.Object(line).EachMember(func(name []byte, value jsontext.Value) bool {
		a.add(name, value)
		return true
	})
	return a, ok
}

// add stores one member. An unknown or repeated name is a mistake, because the worker may have meant it as a denial.
func (a *workerAnswer) add(name []byte, value jsontext.Value) {
	var member *jsontext.Value
	switch string(name) {
	case "ready":
		member = &a.ready
	case "id":
		member = &a.id
	case "exit":
		member = &a.exit
	case "stdout":
		member = &a.stdout
	case "stderr":
		member = &a.stderr
	case "output":
		member = &a.output
	case "v":
		if string(value) != "1" {
			a.mistake(`with the version %.20s, which is not known; write "v":1, or nothing`, value)
		}
		return
	default:
		a.mistake(`with the member %.60q, which answers do not have; `+answerForm, name)
		return
	}
	if *member != nil {
		a.mistake("with the member %q twice; write it once", name)
	}
	*member = value
}

const answerForm = `write "exit", "stdout" and "stderr", or "output"`

// mistake records the first mistake in an answer. It has [hook.ClassOutput].
func (a *workerAnswer) mistake(format string, args ...any) {
	if a.wrong == nil {
		a.wrong = &hook.ClassError{
			Class: hook.ClassOutput,
			Err:   fmt.Errorf("the worker answered "+format, args...),
		}
	}
}

// call returns the number of the call that the line answers, and the id as written by the worker.
func (a *workerAnswer) call() (id uint64, name string, ok bool) {
	name, _ = wire.Text(a.id)
	id, err := strconv.ParseUint(name, 10, 64)
	return id, name, err == nil
}

// appendCall appends the line for a call.
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
		if dst[i] == '\n' || dst[i] == '\r' { // a line end between values; inside a string it would be escaped
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

// reply returns the answer as the Reply of a process. An answer has either an exit status, or an output and no other
// result; an output is an object or null. Anything else is an error of [hook.ClassOutput]: if it counted as no answer,
// the call would pass.
func (a *workerAnswer) reply() (r hook.Reply, err error) {
	out, stderr := a.text("stdout", a.stdout), a.text("stderr", a.stderr)
	switch status := a.status(); {
	case a.output == nil && a.exit == nil:
		a.mistake(`with neither "exit" nor "output"; ` + answerForm)
	case a.output == nil:
		r.Exit = status
	case status != 0 || len(out) > 0:
		a.mistake(`with "output" beside "exit" or "stdout"; write one of them`)
	case a.output.Kind() == '{':
		out = bytes.Clone(a.output)
	case a.output.Kind() != 'n':
		a.mistake(`with %s as "output", want an object, or null for silence`, wire.KindName(a.output.Kind()))
	}
	if a.wrong != nil {
		return hook.Reply{}, a.wrong
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
	return r, nil
}

// status returns the exit status, 0 if the answer has none.
func (a *workerAnswer) status() int {
	if a.exit == nil {
		return 0
	}
	status, err := strconv.ParseUint(string(a.exit), 10, 8)
	if err != nil {
		a.mistake(`with %.40s as "exit", want a number from 0 to 255`, a.exit)
	}
	return int(status)
}

// text returns the text of a member, nil if the answer lacks it.
func (a *workerAnswer) text(name string, value jsontext.Value) []byte {
	text, ok := wire.Text(value)
	if !ok && value != nil {
		a.mistake("with %s as %q, want a string", wire.KindName(value.Kind()), name)
	}
	return []byte(text)
}
