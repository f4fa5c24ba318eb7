package project

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"

	"github.com/samber/lo"

	"github.com/snaphook-go/snaphook/cmd/snaphook/internal/cli"
	"github.com/snaphook-go/snaphook/cmd/snaphook/internal/systems"
	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/pipeline"
)

// Terminal returns the terminal for hooks' questions; nil without --ask. It opens the terminal by its
// name, because standard input has the event.
func (f *SessionFlags) Terminal(event pipeline.Declared) (*asking, error) {
	if !f.Ask {
		return nil, nil
	}
	if !f.Interactive {
		return nil, errors.New("--ask: there is no user to ask; add --interactive")
	}
	if d, err := systems.Named(event.Info().Dialect); err != nil || !d.Asks {
		return nil, fmt.Errorf("--ask: hooks of %s cannot ask; leave the flag out", event.Info().Dialect)
	}
	tty, err := os.OpenFile("/dev/tty", os.O_RDWR, 0)
	if err != nil {
		return nil, fmt.Errorf("--ask: there is no terminal to ask on: %w; leave the flag out", err)
	}
	return &asking{in: bufio.NewReader(tty), out: tty}, nil
}

// Asker returns the function with which hooks ask the user; nil if they may not ask.
func (a *asking) Asker() func(context.Context, *hook.Hook, hook.Question) (string, bool) {
	if a == nil {
		return nil
	}
	return a.ask
}

// asking asks a person questions, one at a time.
type asking struct {
	in      *bufio.Reader
	out     io.Writer
	lines   chan typedLine
	reading bool // a read of a line is in progress
}

type typedLine struct {
	text string
	err  error
}

// ask shows a question until one of its keys or numbers is typed; an empty line gives no answer.
// Once ctx ends the question is dropped, and a late answer to it is not used for the next question.
func (a *asking) ask(ctx context.Context, h *hook.Hook, q hook.Question) (key string, ok bool) {
	return a.put(ctx, "The hook "+cli.OneLine(h.Label())+" asks: "+q.Message, q.Options)
}

// choose lets the user choose one of several texts.
func (a *asking) choose(ctx context.Context, title string, texts []string) (text string, ok bool) {
	return a.put(ctx, title, lo.Map(texts, func(text string, _ int) hook.Option { return hook.Option{Key: text} }))
}

// enter lets the user type a line.
func (a *asking) enter(ctx context.Context, title string) (text string, ok bool) {
	a.dropLate()
	fmt.Fprintf(a.out, "\n%s: ", cli.Visible(title))
	text, ok = a.read(ctx)
	return text, ok && text != ""
}

func (a *asking) put(ctx context.Context, question string, options []hook.Option) (key string, ok bool) {
	a.dropLate()
	fmt.Fprintf(a.out, "\n%s\n", cli.Visible(question))
	for i, option := range options {
		fmt.Fprintf(a.out, "  %d  %s\n", i+1, cli.OneLine(described(option)))
	}
	for {
		fmt.Fprint(a.out, "Number or key; empty for no answer: ")
		typed, read := a.read(ctx)
		if !read || typed == "" {
			fmt.Fprintln(a.out)
			return "", false
		}
		if key, ok = ChosenOption(options, typed); ok {
			return key, true
		}
		fmt.Fprintf(a.out, "%s is not one of them.\n", cli.Visible(typed))
	}
}

func described(o hook.Option) string {
	text := o.Key
	if o.Label != "" && o.Label != o.Key {
		text += ": " + o.Label
	}
	if o.Description != "" {
		text += ", " + o.Description
	}
	return text
}

// yesNo maps the letters that people type to the commonest keys.
var yesNo = map[string]string{"y": "yes", "n": "no"}

// ChosenOption returns the key of the option that was chosen by typing its key, its number, or y or n.
func ChosenOption(options []hook.Option, typed string) (key string, ok bool) {
	for _, option := range options {
		if option.Key == typed {
			return typed, true
		}
	}
	if word, ok := yesNo[strings.ToLower(typed)]; ok {
		for _, option := range options {
			if strings.EqualFold(option.Key, word) {
				return option.Key, true
			}
		}
	}
	if n, err := strconv.Atoi(typed); err == nil && n >= 1 && n <= len(options) {
		return options[n-1].Key, true
	}
	return "", false
}

// read returns the next line; ok is false once ctx has ended. The blocked read of the terminal then goes on, and its
// line is dropped, or returned by the next call of read.
func (a *asking) read(ctx context.Context) (text string, ok bool) {
	if a.lines == nil {
		a.lines = make(chan typedLine, 1) // buffered: the goroutine ends even if ctx has ended first
	}
	if !a.reading {
		a.reading = true
		go func() {
			text, err := a.in.ReadString('\n')
			a.lines <- typedLine{text, err}
		}()
	}
	select {
	case l := <-a.lines:
		a.reading = false
		return strings.TrimSpace(l.text), l.err == nil || l.text != ""
	case <-ctx.Done():
		return "", false
	}
}

// dropLate drops a line that was typed for an earlier question.
func (a *asking) dropLate() {
	select {
	case <-a.lines:
		a.reading = false
	default:
	}
}
