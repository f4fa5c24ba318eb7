package claudecases

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// Expect holds the expectations of a fire: the observables of FORMAT.md that are checked, each decoded to the type of
// its check.
type Expect map[string]any

// observable describes one key of an expectation: the type of its value, and the comparison.
type observable struct {
	read  func(jsontext.Value) (any, error)
	check func(j *judge, key string, want any)
}

var observables = map[string]observable{
	"blocked":  of((*judge).flag),
	"continue": of((*judge).flag),
	"spilled":  of((*judge).flag),
	"errors":   of((*judge).number),

	"permissionDecision":     of((*judge).exact),
	"permissionBehavior":     of((*judge).exact),
	"decision":               of((*judge).exact),
	"reason":                 of((*judge).exact),
	"stopReason":             of((*judge).exact),
	"updatedInput":           of((*judge).exact),
	"updatedPermissions":     of((*judge).exact),
	"interrupt":              of((*judge).exact),
	"promptErased":           of((*judge).exact),
	"suppressOriginalPrompt": of((*judge).exact),
	"sessionTitle":           of((*judge).exact),
	"initialUserMessage":     of((*judge).exact),
	"watchPaths":             of((*judge).exact),
	"reloadSkills":           of((*judge).exact),
	"updatedToolOutput":      of((*judge).exact),
	"displayContent":         of((*judge).exact),
	"worktreePath":           of((*judge).exact),
	"retry":                  of((*judge).exact),
	"elicitation":            of((*judge).exact),
	"terminalSequence":       of((*judge).exact),

	"additionalContext":         of((*judge).multiset),
	"systemMessages":            of((*judge).multiset),
	"model_sees":                of(sees("model_sees")),
	"user_sees":                 of(sees("user_sees")),
	"model_not_sees":            of(seesNot("model_sees")),
	"user_not_sees":             of(seesNot("user_sees")),
	"additionalContext_max_len": of((*judge).longestContext),

	"ran":            of((*judge).ran),
	"outcomes":       of((*judge).outcomes),
	"duration_lt_ms": of((*judge).duration),
	"env_exports":    of((*judge).exports),
	"file_text":      of((*judge).fileText),
	"json_file":      of((*judge).jsonFile),
	"files_exist":    of((*judge).filesExist),
	"http_requests":  of((*judge).httpRequests),
	"llm_requests":   of((*judge).llmRequests),
	"user_prompts":   of((*judge).userPrompts),

	"async": {
		read:  func(text jsontext.Value) (any, error) { return readExpect(text, backgroundObservables) },
		check: func(*judge, string, any) {}, // JudgeBackground checks it later
	},
}

// backgroundObservables lists the observables in the key async.
var backgroundObservables = map[string]observable{
	"ran":               of((*judge).ranAtAll),
	"next_turn_context": of((*judge).multiset),
	"rewake":            of((*judge).sequence),
	"file_text":         of((*judge).fileText),
	"user_not_sees":     of(seesNot("user_sees")),
}

// of returns an observable whose expectation is a T.
func of[T any](check func(j *judge, key string, want T)) observable {
	return observable{
		read: func(text jsontext.Value) (any, error) { return read[T](text) },
		check: func(j *judge, key string, want any) {
			if typed, ok := want.(T); ok {
				check(j, key, typed)
			} else {
				j.say("%s: the expectation is a %T: get it from Load", key, want)
			}
		},
	}
}

// noNullTexts rejects null, which would be read as an empty string and match every text.
var noNullTexts = json.WithUnmarshalers(json.UnmarshalFromFunc(func(in *jsontext.Decoder, _ *string) error {
	if in.PeekKind() != '"' {
		return errors.New("write a string")
	}
	return errors.ErrUnsupported // with this error, package json reads the string as usual
}))

func read[T any](text jsontext.Value) (want T, err error) {
	if raw, ok := any(&want).(*jsontext.Value); ok {
		*raw = text
		return want, nil
	}
	if text.Kind() == 'n' {
		return want, errors.New("null is nothing that could be checked here: leave the key out")
	}
	err = json.Unmarshal(text, &want, json.RejectUnknownMembers(true), noNullTexts)
	if checked, ok := any(want).(interface{ check() error }); ok && err == nil {
		err = checked.check()
	}
	return want, err
}

// UnmarshalJSON reads an expectation. An unknown key, or a value that its check cannot use, is an
// error.
func (e *Expect) UnmarshalJSON(text []byte) (err error) {
	*e, err = readExpect(text, observables)
	return err
}

var errNothing = errors.New("nothing is expected, so that it could not fail: give it something to check")

func readExpect(text jsontext.Value, known map[string]observable) (Expect, error) {
	var members map[string]jsontext.Value
	if err := json.Unmarshal(text, &members); err != nil {
		return nil, err
	}
	if len(members) == 0 {
		return nil, errNothing
	}
	e := Expect{}
	for _, key := range slices.Sorted(maps.Keys(members)) {
		o, ok := known[key]
		if !ok {
			return nil, fmt.Errorf("the expectation %q is unknown: write one of %s", key, names(known))
		}
		want, err := o.read(members[key])
		if err != nil {
			return nil, fmt.Errorf("the expectation %q: %w", key, err)
		}
		e[key] = want
	}
	return e, nil
}

func names(known map[string]observable) string {
	return strings.Join(slices.Sorted(maps.Keys(known)), ", ")
}
