package claude

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/snaphook-go/snaphook/hook"
)

func errorAs[E error](err error) (e E, ok bool) {
	ok = errors.As(err, &e)
	return e, ok
}

// oneOf returns an error for a word that is not in the list.
func oneOf(name, word string, words ...string) error {
	if slices.Contains(words, word) {
		return nil
	}
	return &AnswerError{Member: name, Got: fmt.Sprintf("%q", word), Want: strings.Join(words, ", ")}
}

// permissions maps the words of a permission decision to their meaning, including the legacy words approve (allow) and
// block (deny) (C52).
var permissions = map[hook.Decision]hook.Decision{
	hook.Approve: hook.Allow, hook.Block: hook.Deny,
	hook.Allow: hook.Allow, hook.Deny: hook.Deny, hook.Ask: hook.Ask, hook.Defer: hook.Defer,
}

// checkOutput returns an error if a Go function decides with a word that its event does not know, as for other hooks.
// Legacy words are known.
func checkOutput[Out any](o *hook.Output[Out]) error { return checkPart(&o.Specific) }

func checkPart(part any) error {
	c, ok := part.(checkedPart)
	if !ok {
		return nil
	}
	err := c.check()
	if d, ok := part.(decider); ok && err != nil {
		var word hook.Decision
		d.decide(&word, new(string))
		if word == hook.Approve || word == hook.Block {
			return nil
		}
	}
	return err
}

func decidePermission(word hook.Decision, why string, d *hook.Decision, reason *string) {
	if word != "" {
		*d, *reason = word, why
	}
}
