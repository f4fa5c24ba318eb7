package jsrun

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"sync"

	"github.com/go-json-experiment/json"
)

// errAborted is the cause of a context that JavaScript ended.
var errAborted = errors.New("aborted by the module")

// fromJS is the Go function that has the name host in prelude.js. JavaScript calls it on the module's goroutine.
func (m *Module) fromJS(args []any) (any, error) {
	op, _ := args[0].(string)
	id := number(args[1])
	switch op {
	case "answer":
		m.answered(id, value(args[2]))
	case "fail":
		m.complete(id, outcome{err: m.thrown(args[2])})
	case "sync":
		return m.sync(m.bindings[id], number(args[2]), text(args[3])), nil
	case "async":
		m.async(id, m.bindings[number(args[2])], number(args[3]), text(args[4]), args[5] == true)
	case "cancel":
		if cancel := m.cancels[id]; cancel != nil {
			cancel(errAborted)
		}
	case "watch":
		return m.watch(m.bindings[id]), nil
	case "release":
		delete(m.bindings, id)
	case "shape":
		return m.shapeSource(id), nil
	case "timer":
		m.setTimer(id, args[2], args[3] == true)
	case "clear":
		m.clock.remove(id)
	case "random":
		return random(id), nil
	case "directory":
		if dir := current(m.opt.Dir); dir != "" {
			return dir, nil
		}
	case "environ":
		if m.opt.Environ != nil {
			return variables(m.opt.Environ)
		}
	case "platform":
		return platform(), nil
	case "url":
		return "(" + webURL + ")", nil
	case "address":
		return address(args[1:]), nil
	case "console":
		m.console(text(args[1]), text(args[2]))
	}
	return undefined, nil
}

// answered completes a call. It discards the answer while interrupted functions settle, because the called function may
// have caught the interruption and returned a wrong value.
func (m *Module) answered(id int64, v Value) {
	if !m.cut {
		m.complete(id, outcome{value: v})
	} else if m.complete(id, outcome{err: &BudgetError{After: m.opt.CPU}}) {
		m.reported = true
	}
}

// random returns n random bytes, in hexadecimal.
func random(n int64) string {
	bytes := make([]byte, min(max(n, 0), 1<<16))
	_, _ = rand.Read(bytes) // never fails
	return hex.EncodeToString(bytes)
}

func (m *Module) shapeSource(id int64) string {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.known[id].source
}

func (m *Module) console(level, text string) {
	if m.opt.Console != nil {
		m.opt.Console(level, text)
	}
}

// sync calls a function while JavaScript waits.
func (m *Module) sync(b *binding, fn int64, text string) any {
	now := &visit{}
	defer now.over.Store(true)
	ctx := context.WithValue(b.context(), inside{m}, now)
	answer, sent := answerOf(ctx, b.funcs[fn], b.this, text)
	if sent != nil {
		sent()
	}
	return answer
}

// mostAsync limits the asynchronous functions that run for a module at the same time.
const mostAsync = 1000

// async calls a function on a new goroutine, and then settles the promise with the number id.
func (m *Module) async(id int64, b *binding, fn int64, text string, aborted bool) {
	if len(m.cancels) >= mostAsync {
		m.queue.add(func() {
			m.enter(nil, "settle", id, fmt.Sprintf("!more than %d functions of the host are running", mostAsync))
		})
		return
	}
	ctx, cancel := context.WithCancelCause(b.context())
	if aborted { // cancels the context before the function begins
		cancel(errAborted)
	}
	stop := context.AfterFunc(m.ctx, func() { cancel(context.Cause(m.ctx)) })
	m.cancels[id] = cancel
	m.work.Go(func() {
		var answer any = "!the function ended its goroutine"
		sent := func() {}
		defer func() {
			stop()
			cancel(nil)
			m.queue.add(func() {
				delete(m.cancels, id)
				m.enter(nil, "settle", id, answer)
				sent()
			})
		}()
		var done func()
		if answer, done = answerOf(ctx, b.funcs[fn], b.this, text); done != nil {
			sent = m.once(done)
		}
	})
}

// once returns a function that calls done. The end of the module, which drops the queue, calls done too. Only the first
// of these calls has an effect.
func (m *Module) once(done func()) func() {
	done = sync.OnceFunc(done)
	forget := context.AfterFunc(m.ctx, done)
	return func() {
		forget()
		done()
	}
}

// answerOf calls f and encodes the answer for prelude.js: undefined, "=" and JSON, or "!" and an error text. sent, if
// not nil, is called after the answer has been read.
func answerOf(ctx context.Context, f Func, this any, args string) (answer any, sent func()) {
	defer func() {
		if cause := recover(); cause != nil {
			answer = fmt.Sprintf("!panic: %v", cause)
		}
	}()
	var list Args
	if err := json.Unmarshal([]byte(args), &list, asJavaScript); err != nil {
		return "!" + err.Error(), nil
	}
	result, err := f(ctx, this, list)
	if err != nil {
		return "!" + err.Error(), nil
	}
	if held, is := result.(Sent); is {
		result, sent = held.Value, held.Done
	}
	v, err := valueOf(result)
	if err != nil {
		return "!" + err.Error(), sent
	}
	if v == nil {
		return undefined, sent
	}
	return "=" + string(v), sent
}

// thrown returns the error that JavaScript describes.
func (m *Module) thrown(description any) error {
	var e struct {
		Message, Name, Stack string
		NonError             bool `json:"nonError"`
	}
	err := json.Unmarshal([]byte(text(description)), &e, json.MatchCaseInsensitiveNames(true), asJavaScript)
	switch {
	case m.cut && (err != nil || isInterruption(e.Name, e.Message)):
		m.reported = true
		return &BudgetError{After: m.opt.CPU}
	case err != nil:
		return &Error{Message: "an error that cannot be read", Name: internalError}
	}
	thrown := &Error{Message: e.Message, Name: e.Name, Stack: m.source.stack(e.Stack), NonError: e.NonError}
	if m.proc != nil { // Node.js reports the mistake itself
		return thrown
	}
	return m.source.explained(thrown, e.Stack)
}

// number returns an argument from JavaScript as a number; 0 for anything else. text and value below convert
// arguments in the same way.

func number(v any) int64 {
	switch v := v.(type) {
	case int:
		return int64(v)
	case float64:
		return int64(v)
	}
	return 0
}

func text(v any) string {
	s, _ := v.(string)
	return s
}

func value(v any) Value {
	if s, is := v.(string); is {
		return Value(s)
	}
	return nil
}
