package run

import (
	"bytes"
	"context"
	"errors"
	"io"
	"slices"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/snaphook-go/snaphook/hook"
)

// mostQuestions limits the questions of one process that wait for the user. Further questions count as ordinary output.
const mostQuestions = 64

// errEnded is the cancellation cause for a question whose answer is no longer needed.
var errEnded = errors.New("the hook that asked has ended")

// questionQueue removes the questions from a process's output, and writes the answers to its standard input.
type questionQueue struct {
	ask      func(context.Context, hook.Question) (key string, ok bool)
	waiting  chan hook.Question
	line     int // start of the unfinished line of the output
	searched int // offset up to which there is no line end
}

func newQuestionQueue(ask func(context.Context, hook.Question) (string, bool)) *questionQueue {
	return &questionQueue{ask: ask, waiting: make(chan hook.Question, mostQuestions)}
}

// take moves the questions out of the output captured since the last call. After an overflow of c it does nothing,
// because lines may be incomplete.
func (d *questionQueue) take(c *capture) {
	for !c.over {
		size := bytes.IndexByte(c.kept[d.searched:], '\n')
		if size < 0 {
			d.searched = len(c.kept)
			return
		}
		end := d.searched + size + 1
		if d.accepts(c.kept[d.line:end]) {
			c.kept = slices.Delete(c.kept, d.line, end)
			end = d.line
		}
		d.line, d.searched = end, end
	}
}

// accepts adds a line to the queue if it is a question and the queue is not full, and reports whether it has added the
// line.
func (d *questionQueue) accepts(line []byte) bool {
	q, ok := question(line)
	if !ok {
		return false
	}
	select {
	case d.waiting <- q:
		return true
	default:
		return false
	}
}

// question reads {"prompt": id, "message": text, "options": [{"key", "label",
// "description"?}, …]}.
func question(line []byte) (q hook.Question, ok bool) {
	if len(line) > maxMarker || !bytes.Contains(line, []byte(`"prompt"`)) {
		return q, false
	}
	var said struct {
		Prompt  *string `json:"prompt"`
		Message *string `json:"message"`
		Options *[]struct {
			Key         *string `json:"key"`
			Label       *string `json:"label"`
			Description string  `json:"description"`
		} `json:"options"`
	}
	if json.Unmarshal(line, &said, asJavaScript) != nil || said.Prompt == nil || said.Message == nil ||
		said.Options == nil {
		return q, false
	}
	q = hook.Question{ID: *said.Prompt, Message: *said.Message}
	for _, option := range *said.Options {
		if option.Key == nil || option.Label == nil {
			return q, false
		}
		q.Options = append(
			q.Options,
			hook.Option{Key: *option.Key, Label: *option.Label, Description: option.Description},
		)
	}
	return q, true
}

// serve writes the payload and then answers questions one by one until ctx ends. After a question without an answer, or
// when the process has closed its standard input, it asks no further question.
func (d *questionQueue) serve(ctx context.Context, payload []byte, stdin io.WriteCloser) {
	_, err := stdin.Write(payload)
	open := err == nil
	for ctx.Err() == nil {
		select {
		case <-ctx.Done():
		case q := <-d.waiting:
			if open && !d.answer(ctx, q, stdin) {
				open = false
				_ = stdin.Close()
			}
		}
	}
}

// answer asks the user and writes the answer to the process. It returns false if either fails.
func (d *questionQueue) answer(ctx context.Context, q hook.Question, stdin io.Writer) bool {
	key, ok := d.ask(ctx, q)
	if !ok || ctx.Err() != nil {
		return false
	}
	line, err := json.Marshal(struct {
		Prompt   string `json:"prompt_response"`
		Selected string `json:"selected"`
	}{q.ID, key}, asJavaScript)
	if err != nil {
		return false
	}
	_, err = stdin.Write(append(line, '\n'))
	return err == nil
}

// outputFilter finds lines on a process's standard output that are meant for the engine. The zero outputFilter finds
// none.
type outputFilter struct {
	questions *questionQueue // nil if the hook may not ask
	marker    asyncMarker
	declared  chan time.Duration // receives the asyncTimeout of a declaration; nil if declarations have no effect
}

func newOutputFilter(j *job) (e outputFilter) {
	if j.ask != nil {
		e.questions = newQuestionQueue(j.ask)
	}
	if j.detach != nil {
		e.declared = make(chan time.Duration, 1)
	}
	return e
}

// listen searches new output for questions and declarations. It is called after each read.
func (e *outputFilter) listen(c *capture) {
	heard := c.kept
	if e.questions != nil {
		e.questions.take(c)
		heard = c.kept[:e.questions.line] // questions are not part of the output
	}
	if e.declared == nil {
		return
	}
	if wish, ok := e.marker.scan(heard); ok {
		e.declared <- wish
	}
}
