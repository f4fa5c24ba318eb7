package command

import (
	"bytes"
	"encoding/json"
	"errors"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/samber/lo"

	"github.com/snaphook-go/snaphook/cmd/snaphook/internal/systems"
	"github.com/snaphook-go/snaphook/internal/portable"
)

// fields holds the input of each event, with the members that the systems need.
var fields = map[string]string{
	"PreToolUse":       `{"tool_name": "TOOL", "toolName": "TOOL", "tool_input": {"command": "ls"}, "toolArgs": {"command": "ls"}, "tool_use_id": "1"}`,
	"PostToolUse":      `{"tool_name": "TOOL", "toolName": "TOOL", "tool_input": {"command": "ls"}, "toolArgs": {"command": "ls"}, "tool_response": {"llmContent": "out"}, "toolResult": {"resultType": "success", "textResultForLlm": "out"}, "tool_output": "\"out\"", "tool_use_id": "1"}`,
	"UserPromptSubmit": `{"prompt": "hi"}`,
	"SessionStart":     `{"source": "startup"}`,
	"Stop":             `{"stop_hook_active": false, "prompt": "p", "prompt_response": "r", "status": "completed", "loop_count": 0}`,
}

// effectThere returns the effect of an answer in a system. The hook is in the system's own settings file or, if
// imported, in .claude/settings.json.
func effectThere(t *testing.T, program string, s *portable.System, a portable.Answer, imported, closed bool) portable.Effect {
	t.Helper()
	event, there := s.Events[a.Event]
	if !there {
		return portable.Nothing
	}
	root := t.TempDir()
	dir, home := filepath.Join(root, "p"), filepath.Join(root, "home")
	of, base := s, dir
	if s.OfUser {
		base = home
	}
	if imported {
		claude, err := systems.PortableNamed("claude")
		if err != nil {
			t.Fatal(err)
		}
		of = claude
	}
	put := func(file string, text []byte, mode os.FileMode) {
		t.Helper()
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, text, mode); err != nil {
			t.Fatal(err)
		}
	}
	put(filepath.Join(dir, "out"), []byte(a.Stdout), 0o644)
	put(filepath.Join(dir, "err"), []byte(a.Stderr), 0o644)
	put(filepath.Join(dir, "answer.sh"), []byte("cat > /dev/null\ncat '"+dir+"/out'; cat '"+dir+"/err' >&2; exit "+string(rune('0'+a.Exit))+"\n"), 0o755)
	put(filepath.Join(base, filepath.FromSlash(of.File)), of.Settings([]portable.Hook{{Event: of.Events[a.Event], Command: "sh " + dir + "/answer.sh", Closed: closed}}), 0o644)
	if imported {
		put(filepath.Join(base, filepath.FromSlash(s.File)), s.Settings(nil), 0o644)
	}
	event = lo.CoalesceOrEmpty(s.Fired[a.Event], event)
	args := []string{"fire", s.Dialect + "." + event, "--json", "--trusted", "--interactive"}
	if s.Profile != "" {
		args = append(args, "--profile", s.Profile)
	}
	run := exec.CommandContext(t.Context(), program, args...)
	tool := lo.CoalesceOrEmpty(s.Tools["Bash"], "Bash")
	if s.Name == "copilot" {
		tool = "bash"
	}
	run.Dir, run.Stdin = dir, strings.NewReader(strings.ReplaceAll(fields[a.Event], "TOOL", tool))
	run.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + home, "SNAPHOOK_ETC=" + root, "TMPDIR=" + root}
	var stderr bytes.Buffer
	run.Stderr = &stderr
	text, err := run.Output()
	var got struct {
		Blocked, Stop bool
		Effects       map[string]any
		Processed     map[string]any
		Hooks         []any
	}
	if wrong := json.Unmarshal(text, &got); wrong != nil || len(got.Hooks) != 1 {
		t.Fatalf("%s %s: %v, %v: %s%s", s.Name, a.ID, err, wrong, text, stderr.Bytes())
	}
	if got.Effects["systemMessage"] == nil {
		got.Effects["systemMessage"] = got.Processed["systemMessage"]
	}
	return effectOf(got.Blocked, got.Stop, got.Effects)
}

// effectOf reads the effects of a fire.
func effectOf(blocked, stop bool, effects map[string]any) portable.Effect {
	says := func(word string) bool {
		return slices.ContainsFunc([]string{"decision", "permissionDecision", "permissionBehavior"}, func(name string) bool { return effects[name] == word })
	}
	full := func(names ...string) bool {
		return slices.ContainsFunc(names, func(name string) bool {
			list, isList := effects[name].([]any)
			return isList && len(list) > 0 || !isList && effects[name] != nil && effects[name] != ""
		})
	}
	switch {
	case stop:
		return portable.Stops
	case blocked:
		return portable.Refuses
	case says("ask"), effects["askUser"] == true:
		return portable.Asks
	case full("updatedInput", "modifiedToolInput"):
		return portable.Rewrites
	case effects["askUser"] == nil && (says("allow") || says("approve")): // LLxprt's allow approves nothing
		return portable.Approves
	case full("additionalContext"), full("model_sees"):
		return portable.Adds
	case full("systemMessages"), full("user_sees"), full("systemMessage"):
		return portable.Tells
	}
	return portable.Nothing
}

// Every answer has the effect that its dialect declares when a hook prints it.
func TestEveryAnswerHasTheEffectThatIsDeclared(t *testing.T) {
	program := build(t)
	for _, s := range systems.Portable() {
		for _, imported := range []bool{false, true} {
			if imported && s.Imported == nil {
				continue
			}
			t.Run(s.Name+lo.Ternary(imported, " imported", ""), func(t *testing.T) {
				t.Parallel()
				seen := map[portable.Effect][]string{}
				wrong := false
				for _, a := range portable.Answers {
					got := effectThere(t, program, &s, a, imported, false)
					seen[got] = append(seen[got], a.ID)
					if declared := s.Effect(a.ID, imported); declared != got {
						wrong = true
						t.Errorf("%s: %s; declared is that it %s", a.ID, got, declared)
					}
				}
				if delete(seen, portable.Nothing); wrong {
					for _, effect := range slices.Sorted(maps.Keys(seen)) {
						t.Logf("portable.%q: %q,", effect, strings.Join(seen[effect], " "))
					}
				}
			})
		}
	}
}

// Some answers refuse only in a hook whose entry says that a failure blocks. The test checks that each of them is
// declared so.
func TestEveryAnswerThatRefusesInAClosedHookIsDeclared(t *testing.T) {
	program := build(t)
	for _, s := range systems.Portable() {
		if s.Closing == "" {
			continue
		}
		t.Run(s.Name, func(t *testing.T) {
			t.Parallel()
			var refuse []string
			for _, a := range portable.Answers {
				if effectThere(t, program, &s, a, false, true) == portable.Refuses && s.Effect(a.ID, false) != portable.Refuses {
					refuse = append(refuse, a.ID)
				}
			}
			if got := strings.Join(refuse, " "); got != s.WhenClosed {
				t.Errorf("%q refuse; declared is %q", got, s.WhenClosed)
			}
		})
	}
}

// A guard that is ported decides in every system as it does in Claude Code.
func TestAPortedGuardDecidesTheSame(t *testing.T) {
	program := build(t)
	const guard = `{"hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": [{"type": "command", "command": "if grep -q 'rm -rf'; then echo no >&2; exit 2; fi; GOES"}]}]}}`
	for _, to := range systems.Portable() {
		if to.Name == "claude" {
			continue
		}
		t.Run(to.Name, func(t *testing.T) {
			root := t.TempDir()
			dir, home := filepath.Join(root, "p"), filepath.Join(root, "home")
			text := strings.ReplaceAll(guard, `GOES`, lo.Ternary(to.Name == "cursor", "echo '{}'", "true"))
			run := func(stdin string, args ...string) ([]byte, error) {
				cmd := exec.CommandContext(t.Context(), program, args...)
				cmd.Dir, cmd.Stdin = dir, strings.NewReader(stdin)
				cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + home, "SNAPHOOK_ETC=" + root, "TMPDIR=" + root}
				return cmd.Output()
			}
			put := func(file string, text []byte) {
				if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(file, text, 0o644); err != nil {
					t.Fatal(err)
				}
			}
			put(filepath.Join(dir, ".claude", "settings.json"), []byte(text))
			file, err := run("", "port", "claude", to.Name)
			if err != nil {
				t.Fatal(err)
			}
			put(filepath.Join(lo.Ternary(to.OfUser, home, dir), filepath.FromSlash(to.File)), file)
			tool := lo.CoalesceOrEmpty(to.Tools["Bash"], "Bash")
			if to.Name == "copilot" {
				tool = "bash"
			}
			for command, want := range map[string]int{"rm -rf /": 2, "ls": 0} {
				in := strings.ReplaceAll(strings.ReplaceAll(fields["PreToolUse"], "TOOL", tool), `"ls"`, `"`+command+`"`)
				args := []string{"fire", to.Dialect + "." + lo.CoalesceOrEmpty(to.Fired["PreToolUse"], to.Events["PreToolUse"]), "--trusted"}
				if to.Profile != "" {
					args = append(args, "--profile", to.Profile)
				}
				_, err := run(in, args...)
				exit := 0
				if ended := new(exec.ExitError); errors.As(err, &ended) {
					exit = ended.ExitCode()
				}
				if exit != want {
					t.Errorf("%s ends with %d; want %d", command, exit, want)
				}
			}
		})
	}
}
