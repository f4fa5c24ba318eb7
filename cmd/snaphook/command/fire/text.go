package fire

import (
	"fmt"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/samber/lo"
	"github.com/spf13/cobra"

	"github.com/snaphook-go/snaphook/cmd/snaphook/internal/cli"
	"github.com/snaphook-go/snaphook/cmd/snaphook/internal/project"
	"github.com/snaphook-go/snaphook/cmd/snaphook/internal/systems"
	"github.com/snaphook-go/snaphook/events/llxprt/genai"
	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/internal/errorline"
	"github.com/snaphook-go/snaphook/pipeline"
	"github.com/snaphook-go/snaphook/wire"
)

// warnFailures warns of hooks that failed, because the action that they guard may have gone ahead. It also warns of
// mistakes in answers, and of rewrites that contradict each other.
func warnFailures(cmd *cobra.Command, fired *Fired) {
	for _, h := range fired.Hooks {
		if h.Error != nil && h.Outcome != pipeline.Success {
			cli.Warn(cmd, "%s: %s%s%s", lo.FromPtrOr(h.File, h.Source), project.Labelled(*h.Error, h.HookID), because(h), afterFailure(fired, h))
		}
		for _, note := range h.Notes {
			cli.Warn(cmd, "%s: hook %q: %s", lo.FromPtrOr(h.File, h.Source), project.Label(h.HookID), note)
		}
	}
	for _, end := range fired.ended {
		warnEnded(cmd, end)
	}
	for _, c := range fired.Conflicts {
		cli.Warn(cmd, "%s rewrote %q differently; the last rewrite counts", strings.Join(c.Hooks, " and "), c.Key)
	}
}

// afterFailure says whether the action goes ahead after a hook's failure. It returns the empty text if the action is
// blocked, or if hooks of the event cannot block.
func afterFailure(fired *Fired, h pipeline.HookRun) string {
	effects, _ := wire.Of(fired.Effects)
	switch {
	case h.Mode != "":
		return "; it is in shadow mode, so its failure changes nothing"
	case fired.Blocked, !guards(fired.Event):
		return ""
	case effects.Text("permissionDecision") == string(hook.Ask):
		return "; the user is asked"
	}
	return "; the action that it guards goes ahead"
}

// guards reports whether hooks of an event can block.
func guards(event string) bool {
	return slices.ContainsFunc(pipeline.Events(nil), func(e pipeline.Declared) bool {
		return e.Info().FullName() == event && e.Info().Can&pipeline.CanBlock != 0
	})
}

// because returns a colon and the line of a failed hook's standard error that names the error. For exit status 126 it
// adds advice. It returns the empty text for a hook without an exit status.
func because(h pipeline.HookRun) (text string) {
	if h.ExitCode == nil {
		return ""
	}
	if said := errorline.Of(lo.FromPtr(h.Stderr)); said != "" {
		text = ": " + said
	}
	if advice := Advice(h.ExitCode); advice != "" {
		text += "; " + advice
	}
	return text
}

// Advice returns advice for a hook that ended with exit status 126, with which a shell reports a file that it may not
// run. It returns the empty text for other statuses.
func Advice(status *int) string {
	if status == nil || *status != 126 {
		return ""
	}
	return "a script has to be executable: use chmod +x, or write its interpreter before it"
}

// warnEnded names a hook in the background that failed.
func warnEnded(cmd *cobra.Command, end pipeline.Finished) {
	id := pipeline.Identify(end.Hook)
	at := lo.FromPtrOr(id.File, id.Source)
	if end.Err != nil {
		cli.Warn(cmd, "%s: in the background: %v", at, project.Labelled(end.Err.Error(), id))
	}
	for _, note := range end.Notes {
		cli.Warn(cmd, "%s: hook %q: %s", at, project.Label(id), note)
	}
}

// firedText returns the short answer for people: the decision, the effects that the caller applies,
// and the hooks that ran.
func firedText(fired *Fired) string {
	var b strings.Builder
	effects, _ := wire.Of(fired.Effects) // if the effects are not an object, no lines are printed for them
	b.WriteString(cli.Strong.Render(fired.Event) + ": " + decision(fired, effects) + "\n")
	for _, line := range effectLines(fired, effects) {
		fmt.Fprintf(&b, "  %-12s  %s\n", line[0], cli.Indented(line[1], 16))
	}
	for _, h := range fired.Hooks {
		fmt.Fprintf(
			&b,
			"  %s  %s  %.1fms  %s\n",
			OutcomeStyle(WordOf(h), failedOpen(fired, h)),
			project.Label(h.HookID)+lo.Ternary(h.Recheck, " (asked again)", ""),
			h.DurationMS,
			project.Place(h.HookID),
		)
	}
	for _, end := range fired.ended {
		id := pipeline.Identify(end.Hook)
		fmt.Fprintf(
			&b,
			"  %s  %s  %.1fms  %s\n",
			OutcomeStyle("later: "+end.Outcome, false),
			project.Label(id),
			end.Elapsed.Seconds()*1000,
			project.Place(id),
		)
	}
	return b.String()
}

// WordOf returns a hook's outcome for people. For a successful hook that stops the agent it returns "stops".
func WordOf(h pipeline.HookRun) pipeline.Outcome {
	if h.Outcome == pipeline.Success && h.Output != nil && string(h.Output.Get("continue")) == "false" {
		return "stops"
	}
	return h.Outcome
}

func decision(fired *Fired, effects wire.Object) string {
	switch {
	case fired.Blocked:
		return cli.Bad.Render("blocked")
	case fired.Stop:
		return cli.Bad.Render("the agent must stop")
	case len(fired.Hooks) == 0:
		return cli.Good.Render("go ahead") + "; no hook ran, `snaphook plan " + fired.Event + "` says why"
	case effects.Text("permissionDecision") == string(hook.Ask), string(effects.Get("askUser")) == "true":
		return cli.Odd.Render("ask the user")
	case effects.Text("permissionDecision") == string(hook.Defer):
		return cli.Odd.Render("put off")
	case effects.Text("decision") == string(hook.Ask): // in LLxprt hooks cannot make the tool wait for the answer
		return cli.Good.Render("go ahead") + "; a hook wants the user to be asked"
	}
	return cli.Good.Render("go ahead")
}

// shownKeys lists the effects that the answer shows in another place: in its first line, as the
// reason, or among the texts for the model and the user.
var shownKeys = []string{
	"isBlocking", "shouldStop", "effectiveReason", "blockingError",
	"reason", "decision", "askUser", "continue", "stopReason", "errors", "spilled", "systemMessages", "async",
}

// effectLines returns name and value of everything that the caller would show or apply.
func effectLines(fired *Fired, effects wire.Object) (lines [][2]string) {
	refused := fired.Blocked || fired.Stop
	if refused {
		lines = append(lines, [2]string{"reason", reasonOf(fired)})
		if by := readers(fired, effects); by != "" {
			lines = append(lines, [2]string{"seen by", by})
		}
	}
	routed := effects.Get("model_sees") != nil // the effects list the texts for each reader
	if message := fired.Processed.SystemMessage; message != nil && !routed {
		lines = append(lines, [2]string{"message", *message})
	}
	for name, value := range effects.Members() {
		if refused && (name == "model_sees" || name == "user_sees") {
			value = without(value, reasonOf(fired))
		}
		if refused && name == "permissionDecision" {
			continue // shown in the first line
		}
		if !slices.Contains(shownKeys, name) && !isNothing(value) && !(routed && name == "additionalContext") {
			lines = append(
				lines,
				[2]string{
					lo.CoalesceOrEmpty(titles[name], strings.ReplaceAll(name, "_", " ")),
					plainValue(name, value),
				},
			)
		}
	}
	for _, text := range fired.Next {
		lines = append(lines, [2]string{"next turn", text})
	}
	for _, text := range fired.rewakes() {
		lines = append(lines, [2]string{"wakes", text})
	}
	return lines
}

// readers names who sees the reason: the model, the user, or both.
func readers(fired *Fired, effects wire.Object) string {
	var all []string
	for _, reader := range []string{"model", "user"} {
		var texts []string
		if json.Unmarshal(effects.Get(reader+"_sees"), &texts) == nil && slices.Contains(texts, reasonOf(fired)) {
			all = append(all, "the "+reader)
		}
	}
	return strings.Join(all, ", ")
}

// without returns a list of texts without the given one.
func without(list jsontext.Value, text string) jsontext.Value {
	var texts []string
	if json.Unmarshal(list, &texts) != nil {
		return list
	}
	left, err := json.Marshal(lo.Without(texts, text))
	if err != nil {
		return list
	}
	return left
}

// selected names the effect with the tools that the model may call; titles replaces names of
// effects that are meant for programs.
const selected = "toolSelection"

var titles = map[string]string{selected: "tools"}

// selection describes in words which tools the model may call.
func selection(v jsontext.Value) string {
	var s struct {
		ToolConfig struct {
			Calling genai.ToolConfig `json:"functionCallingConfig"`
		} `json:"toolConfig"`
	}
	if wire.Object(v).Into(&s) != nil {
		return string(v)
	}
	calling := s.ToolConfig.Calling
	text := "mode " + lo.CoalesceOrEmpty(calling.Mode, "AUTO")
	if calling.AllowedFunctionNames != nil && calling.Mode != "NONE" {
		text += ": " + strings.Join(calling.AllowedFunctionNames, ", ")
	}
	return text
}

func isNothing(v jsontext.Value) bool {
	return slices.Contains([]string{"null", "false", `""`, "[]", "{}"}, string(v))
}

// plainValue returns the text of a string, the lines of a list of strings or of variables, the selection of tools in
// words, or other JSON as it is.
func plainValue(name string, v jsontext.Value) string {
	if s, ok := wire.Text(v); ok {
		return s
	}
	if name == selected {
		return selection(v)
	}
	if name == "env" || name == systems.EnvExports {
		var texts []string
		for variable, value := range wire.Object(v).Members() {
			text, _ := wire.Text(value)
			texts = append(texts, variable+"="+text)
		}
		return strings.Join(texts, "\n")
	}
	return project.PlainText(v)
}

// OutcomeStyle returns the word of an outcome in its colour: red for a refusal, and for a guard that failed
// open.
func OutcomeStyle(o pipeline.Outcome, failedOpen bool) string {
	word := fmt.Sprintf("%-18s", o)
	switch {
	case failedOpen || o == pipeline.Blocking:
		return cli.Bad.Render(word)
	case o == pipeline.Success:
		return cli.Good.Render(word)
	}
	return cli.Odd.Render(word)
}

// failedOpen reports whether a hook failed and the action that it guards goes ahead.
func failedOpen(fired *Fired, h pipeline.HookRun) bool {
	failed := h.Error != nil && h.Outcome != pipeline.Success && h.Outcome != pipeline.Blocking
	return failed && h.Mode == "" && !fired.Blocked && guards(fired.Event)
}
