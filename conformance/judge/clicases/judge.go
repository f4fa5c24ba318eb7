package clicases

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"os/exec"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/samber/lo"
)

// Timed makes the judge check expectations of time. It is for machines without other work.
var Timed = os.Getenv("SNAPHOOK_TIMES") != ""

// Judge runs the steps of a case with a program, and returns the differences, a line each.
func (p *Prepared) Judge(program string) (differences []string) {
	for i, s := range p.steps() {
		for _, d := range p.step(program, s) {
			if p.Steps != nil {
				d = fmt.Sprintf("step %d: %s", i+1, d)
			}
			differences = append(differences, d)
		}
	}
	return differences
}

// judged is one step and its observed result.
type judged struct {
	*Prepared
	program string
	Step
	args []string

	exit   int
	stdout []byte
	stderr string
	took   time.Duration

	answer, effects map[string]any
	hooks           []map[string]any
	ran             []string
	differences     []string
}

func (p *Prepared) step(program string, s Step) []string {
	j := &judged{Prepared: p, program: program, Step: s}
	for _, file := range []string{p.log(), p.log() + ".in", p.log() + ".env"} {
		_ = os.Remove(file) // of the step before
	}
	if err := writeAll(p.Dir, s.Write); err != nil {
		return []string{err.Error()}
	}
	if j.args = s.Args; j.args == nil {
		j.args = p.Args
	}
	if j.args == nil {
		j.args = []string{"--trusted"}
	}
	fire := append([]string{"fire", s.Event, "--json", "--session", "s-1", "--dir", p.Dir}, j.args...)
	began := time.Now()
	j.stdout, j.stderr, j.exit = j.run(fire...)
	j.took = time.Since(began)
	if err := json.Unmarshal(j.stdout, &j.answer); err != nil {
		return []string{fmt.Sprintf("there is no JSON answer; exit status %d, standard error %.300q", j.exit, j.stderr)}
	}
	j.effects, _ = j.answer["effects"].(map[string]any)
	list, _ := j.answer["hooks"].([]any)
	for _, h := range list {
		if h, ok := h.(map[string]any); ok {
			j.hooks = append(j.hooks, h)
		}
	}
	text, _ := os.ReadFile(p.log())
	j.ran = strings.Fields(string(text))
	for _, name := range expectations {
		if want, expected := s.Expect[name]; expected {
			checks[name](j, decoded(want))
		}
	}
	return j.differences
}

// run runs the program with the step's input.
func (j *judged) run(args ...string) (stdout []byte, stderr string, exit int) {
	cmd := exec.Command(j.program, args...)
	cmd.Dir, cmd.Env, cmd.Stdin = j.Dir, j.Environ(), strings.NewReader(string(j.Input))
	var said strings.Builder
	cmd.Stderr = &said
	stdout, _ = cmd.Output() // the exit status is judged later
	if cmd.ProcessState == nil {
		return stdout, said.String(), -1
	}
	return stdout, said.String(), cmd.ProcessState.ExitCode()
}

func (j *judged) want(ok bool, format string, args ...any) {
	if !ok {
		j.differences = append(j.differences, fmt.Sprintf(format, args...))
	}
}

func decoded(text jsontext.Value) (v any) {
	_ = json.Unmarshal(text, &v) // the text has been parsed before
	return v
}

// checks maps each expectation to the function that compares it with the result.
var checks = map[string]func(j *judged, want any){
	"exit": func(j *judged, want any) {
		j.want(same(want, float64(j.exit)), "exit status %d, want %v", j.exit, want)
	},
	"blocked": func(j *judged, want any) {
		j.want(want == (j.answer["blocked"] == true), "blocked %v, want %v", j.answer["blocked"], want)
	},
	"stop": func(j *judged, want any) {
		j.want(want == (j.answer["stop"] == true), "stop %v, want %v", j.answer["stop"], want)
	},
	"reason": func(j *judged, want any) {
		j.want(trimmed(j.answer["reason"]) == trimmed(want), "reason %q, want %q", trimmed(j.answer["reason"]), trimmed(want))
	},
	"ran": func(j *judged, want any) {
		got, wanted := slices.Sorted(slices.Values(j.ran)), slices.Sorted(slices.Values(texts(want)))
		j.want(slices.Equal(got, wanted), "ran %q, want %q", j.ran, texts(want))
	},
	"ran_in_order": func(j *judged, want any) {
		j.want(slices.Equal(j.ran, texts(want)), "ran %q, want %q in this order", j.ran, texts(want))
	},
	"outcomes": func(j *judged, want any) {
		got := map[string]any{}
		for _, h := range j.hooks {
			got[label(h)] = h["outcome"]
		}
		j.want(same(want, got), "outcomes %v, want %v", got, want)
	},
	"effects":        (*judged).wantEffects,
	"model_sees":     func(j *judged, want any) { j.wantSeen("model", texts(want)) },
	"user_sees":      func(j *judged, want any) { j.wantSeen("user", texts(want)) },
	"model_not_sees": func(j *judged, want any) { j.wantUnseen("model", texts(want)) },
	"user_not_sees":  func(j *judged, want any) { j.wantUnseen("user", texts(want)) },
	"stdin":          (*judged).wantStdin,
	"hook_env": func(j *judged, want any) {
		got := map[string]string{}
		text, _ := os.ReadFile(j.log() + ".env")
		for line := range strings.Lines(string(text)) {
			if name, value, ok := strings.Cut(strings.TrimSuffix(line, "\n"), "="); ok {
				got[name] = value
			}
		}
		for name, value := range object(want) {
			is, set := got[name]
			j.want(value == nil && !set || set && value == is, "the variable %s is %q, want %v", name, is, value)
		}
	},
	"notes": func(j *judged, want any) {
		said := j.stderr
		for _, h := range j.hooks {
			for _, note := range append(texts(h["notes"]), trimmed(h["error"])) {
				said += "\n" + note
			}
		}
		j.contains("no note", said, want)
	},
	"skipped": func(j *judged, want any) {
		stdout, _, _ := j.run(append([]string{"plan", j.Event, "--json", "--dir", j.Dir}, j.args...)...)
		var plan struct{ Skipped []map[string]any }
		err := json.Unmarshal(stdout, &plan)
		got := map[string]any{}
		for _, h := range plan.Skipped {
			got[label(h)] = h["why"]
		}
		j.want(err == nil && same(want, got), "skipped %v, want %v (%v)", got, want, err)
	},
	"check": func(j *judged, want any) {
		stdout, stderr, _ := j.run("check", "--dir", j.Dir)
		j.contains("check does not print", string(stdout)+stderr, want)
	},
	"check_exit": func(j *judged, want any) {
		_, _, exit := j.run("check", "--dir", j.Dir)
		j.want(same(want, float64(exit)), "check exits with %d, want %v", exit, want)
	},
	"faster_than_ms": func(j *judged, want any) {
		ms, _ := want.(float64)
		j.want(!Timed || j.took < time.Duration(ms)*time.Millisecond, "it took %v, want less than %v ms", j.took, want)
	},
}

func (j *judged) contains(what, said string, want any) {
	for _, text := range texts(want) {
		j.want(strings.Contains(strings.ToLower(said), strings.ToLower(text)), "%s %q in %.400q", what, text, said)
	}
}

func (j *judged) wantEffects(want any) {
	for name, value := range object(want) {
		got := j.effects[name]
		if isNothing(value) && isFalse(got) {
			continue
		}
		j.want(same(value, got), "effects.%s is %s, want %s", name, encoded(got), encoded(value))
	}
}

// isNothing reports whether an effect is expected to be absent.
func isNothing(want any) bool {
	list, isList := want.([]any)
	return want == nil || isList && len(list) == 0
}

// isFalse reports whether a value is null, false, 0, or empty.
func isFalse(v any) bool {
	value := reflect.ValueOf(v)
	hasLen := slices.Contains([]reflect.Kind{reflect.Slice, reflect.Map}, value.Kind())
	return v == nil || value.IsZero() || hasLen && value.Len() == 0
}

func (j *judged) seen(who string) (all []string) {
	list, _ := j.effects[who+"_sees"].([]any)
	for _, v := range list {
		if text, ok := v.(string); ok {
			all = append(all, text)
		} else {
			all = append(all, encoded(v))
		}
	}
	return all
}

func (j *judged) wantSeen(who string, want []string) {
	seen := j.seen(who)
	if len(want) == 0 {
		j.want(len(seen) == 0, "the %s sees %q, want nothing", who, seen)
	}
	for _, text := range want {
		j.want(strings.Contains(strings.Join(seen, "\x00"), text), "the %s sees %q, want %q", who, seen, text)
	}
}

func (j *judged) wantUnseen(who string, unwanted []string) {
	for _, text := range unwanted {
		j.want(!strings.Contains(strings.Join(j.seen(who), "\x00"), text), "the %s sees %q", who, text)
	}
}

func (j *judged) wantStdin(want any) {
	raw, _ := os.ReadFile(j.log() + ".in")
	var got map[string]any
	if err := json.Unmarshal([]byte(strings.TrimPrefix(string(raw), "\ufeff")), &got); err != nil {
		j.want(false, "the hook's standard input is not a JSON object: %.120q", raw)
		return
	}
	c := object(want)
	j.want(same(object(c["has"]), got), "standard input %s, want %s", encoded(got), encoded(c["has"]))
	for _, name := range texts(c["lacks"]) {
		_, has := got[name]
		j.want(!has, "standard input has %s", name)
	}
	if keys, ok := c["keys"]; ok {
		names, wanted := lo.Keys(got), texts(keys)
		slices.Sort(names)
		slices.Sort(wanted)
		j.want(slices.Equal(names, wanted), "the members of standard input are %q, want %q", names, wanted)
	}
	if newline, ok := c["newline"]; ok {
		ends := strings.HasSuffix(string(raw), "\n")
		j.want(newline == ends, "standard input ends with a newline: %v, want %v", ends, newline)
	}
}

// script matches the base name of a script in a command.
var script = regexp.MustCompile(`([\w.-]+?)\.(?:sh|py|js|ts|ps1)\b`)

// label returns the name by which a case knows a hook: the name of its script, else its own name, command or id.
func label(h map[string]any) string {
	if m := script.FindStringSubmatch(trimmed(h["command"])); m != nil {
		return m[1]
	}
	for _, name := range []string{"name", "command", "id"} {
		if text, _ := h[name].(string); text != "" {
			return text
		}
	}
	return "?"
}

// same reports whether got matches want: the members of an expected object are among those of got,
// lists have the same elements in any order, and null is absent.
func same(want, got any) bool {
	switch want := want.(type) {
	case nil:
		return got == nil
	case map[string]any:
		g, ok := got.(map[string]any)
		for name, value := range want {
			ok = ok && same(value, g[name])
		}
		return ok
	case []any:
		g, ok := got.([]any)
		if !ok || len(g) != len(want) {
			return false
		}
		rest := slices.Clone(g)
		for _, w := range want {
			i := slices.IndexFunc(rest, func(v any) bool { return same(w, v) })
			if i < 0 {
				return false
			}
			rest = slices.Delete(rest, i, i+1)
		}
		return true
	case float64:
		g, ok := got.(float64)
		return ok && (g == want || math.IsNaN(g) && math.IsNaN(want))
	}
	return want == got
}

func object(v any) map[string]any {
	o, _ := v.(map[string]any)
	return o
}

func texts(v any) (all []string) {
	list, _ := v.([]any)
	for _, one := range list {
		text, _ := one.(string)
		all = append(all, text)
	}
	return all
}

func trimmed(v any) string {
	text, _ := v.(string)
	return strings.TrimSpace(text)
}

func encoded(v any) string {
	text, _ := json.Marshal(v) // cannot fail: the value was decoded from JSON
	return string(text)
}
