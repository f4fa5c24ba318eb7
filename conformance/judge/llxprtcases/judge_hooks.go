package llxprtcases

import (
	"fmt"
	"maps"
	"strings"
)

var hookFields = []string{"command", "exitCode", "success", "stdout", "stderr", "output", "error", "errorContains"}

// hooks returns the hooks that the engine tried to run, and reports a difference under key if the
// engine did not list them.
func (j *judge) hooks(key string, want any) (hooks []any, ok bool) {
	hooks, ok = j.seen["perHook"].([]any)
	if !ok {
		j.say("%s: want %s, but the engine reported no list of hooks", key, Show(want))
	}
	return hooks, ok
}

func (j *judge) hooksRun(want any) {
	if hooks, ok := j.hooks("hooksRun", want); ok && want != float64(len(hooks)) {
		j.say("hooksRun: want %s, got %d: %s", Show(want), len(hooks), Show(commands(hooks)))
	}
}

func (j *judge) order(want any) {
	if hooks, ok := j.hooks("order", want); ok {
		j.match("order", want, commands(hooks))
	}
}

func commands(hooks []any) []any {
	all := make([]any, len(hooks))
	for i, h := range hooks {
		all[i] = h.(map[string]any)["command"]
	}
	return all
}

func (j *judge) perHook(want any) {
	hooks, ok := j.hooks("perHook", want)
	if !ok {
		return
	}
	wanted, ok := want.([]any)
	if !ok || len(wanted) != len(hooks) {
		j.say("perHook: want %s, got %d hooks: %s", Show(want), len(hooks), Show(hooks))
		return
	}
	for i := range wanted {
		j.hook(fmt.Sprintf("perHook[%d]", i), wanted[i], hooks[i].(map[string]any))
	}
}

func (j *judge) hook(path string, want any, got map[string]any) {
	wanted, ok := want.(map[string]any)
	part, has := wanted["errorContains"]
	if ok && has {
		wanted = maps.Clone(wanted)
		delete(wanted, "errorContains")
		want = wanted
		text, isText := part.(string)
		failure, failed := got["error"].(string)
		if !isText || !failed || !strings.Contains(failure, text) {
			j.say("%s.errorContains: want an error with %s in it, got %s", path, Show(part), Show(got["error"]))
		}
	}
	j.fields(path, want, got, hookFields)
}
