//go:build !race

package bench

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/snaphook-go/snaphook/events/claude"
	"github.com/snaphook-go/snaphook/events/codex"
	"github.com/snaphook-go/snaphook/events/copilot"
	"github.com/snaphook-go/snaphook/events/cursor"
	"github.com/snaphook-go/snaphook/events/llxprt"
	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/internal/testkit"
	"github.com/snaphook-go/snaphook/pipeline"
	"github.com/snaphook-go/snaphook/settings"
)

// mostForLarge limits the time of a command hook whose answer has a long message, as a multiple of the floor, which
// does not parse the answer. For Claude Code, which keeps a long message in a file, the floor writes such a file too.
const mostForLarge = 1.3

// printing is a dialect with a gate whose hook prints a long text.
type printing struct {
	answer string // the answer up to its last text, which the test adds
	load   func(command string) pipeline.Load
	fire   func(ses *pipeline.Session) (length int, err error)
}

func printings(t *testing.T) map[string]printing {
	layer := func(name, text string) []settings.Layer {
		return []settings.Layer{{Name: name, Source: hook.User, File: filepath.Join(t.TempDir(), "hooks.json"), Data: []byte(text)}}
	}
	environ := []string{"PATH=" + os.Getenv("PATH")}
	ctx := context.Background()
	return map[string]printing{
		"llxprt": {`{"systemMessage": `, func(command string) pipeline.Load {
			return llxprt.Settings{Layers: layer("user", `{"tools": {"enableHooks": true}, "hooks": {"BeforeTool": [{"hooks": [`+command+`]}]}}`)}.Load
		}, func(ses *pipeline.Session) (int, error) {
			res, err := llxprt.BeforeTool.Fire(ctx, ses, &llxprt.BeforeToolInput{Name: "write_file", Input: arguments})
			return len(res.Message), err
		}},
		"claude": {`{"systemMessage": `, func(command string) pipeline.Load {
			return claude.Settings{Layers: layer("user", `{"hooks": {"PreToolUse": [{"hooks": [`+command+`]}]}}`), Environ: environ}.Load
		}, func(ses *pipeline.Session) (int, error) {
			res, err := claude.PreToolUse.Fire(ctx, ses, &claude.PreToolUseInput{Name: "Write", Input: arguments})
			return len(res.Message), err
		}},
		"qwen": {`{"systemMessage": `, func(command string) pipeline.Load {
			return claude.Settings{Profile: claude.Qwen, Layers: layer("user", `{"hooks": {"PreToolUse": [{"hooks": [`+command+`]}]}}`), Environ: environ}.Load
		}, func(ses *pipeline.Session) (int, error) {
			res, err := claude.PreToolUse.Fire(ctx, ses, &claude.PreToolUseInput{Name: "Write", Input: arguments})
			return len(res.Message), err
		}},
		"codex": {`{"systemMessage": `, func(command string) pipeline.Load {
			return codex.Settings{Layers: layer("user", `{"hooks": {"PreToolUse": [{"hooks": [`+command+`]}]}}`), Environ: environ}.Load
		}, func(ses *pipeline.Session) (int, error) {
			res, err := codex.PreToolUse.Fire(ctx, ses, &codex.PreToolUseInput{Call: codex.Call{Tool: "Write", Input: arguments}})
			return len(res.Message), err
		}},
		"copilot": {`{"permissionDecision": "deny", "permissionDecisionReason": `, func(command string) pipeline.Load {
			return copilot.Settings{Layers: layer("user", `{"version": 1, "hooks": {"preToolUse": [`+command+`]}}`), Environ: environ}.Load
		}, func(ses *pipeline.Session) (int, error) {
			res, err := copilot.PreToolUse.Fire(ctx, ses, &copilot.PreToolUseInput{Name: "Write", Args: jsontext.Value(arguments)})
			return len(res.Reason), err
		}},
		"cursor": {`{"permission": "deny", "user_message": `, func(command string) pipeline.Load {
			return cursor.Settings{Layers: layer("user", `{"version": 1, "hooks": {"preToolUse": [`+command+`]}}`), Environ: environ}.Load
		}, func(ses *pipeline.Session) (int, error) {
			res, err := cursor.PreToolUse.Fire(ctx, ses, &cursor.PreToolUseInput{Call: cursor.Call{Tool: "Write", Input: arguments}})
			return len(res.Message), err
		}},
	}
}

func TestLargeAnswersCostLittleMoreThanTheirProcess(t *testing.T) {
	testkit.Timed(t)
	for name, d := range printings(t) {
		if name == "qwen" {
			continue // its answer is first written anew in Claude Code's words: about twice the floor
		}
		for size, bytes := range map[string]int{"1 MB": 1 << 20, "7 MB": 7 << 20} {
			t.Run(name+", "+size, func(t *testing.T) {
				text := d.answer + `"` + strings.Repeat("x", bytes) + `"}`
				ses := d.open(t, text)
				keeps := name == "claude" // the message is cut, and goes to a file
				if n, err := d.fire(ses); err != nil || n != bytes && !(keeps && n > 1000) {
					t.Fatalf("%d bytes of the message, %v; want %d", n, err, bytes)
				}
				base := floorOf(t, ses).chained
				if keeps {
					base = keeping(t, base, []byte(text))
				}
				fire := func() {
					if _, err := d.fire(ses); err != nil {
						t.Error(err)
					}
				}
				at := place{what: "an answer of " + size + " through " + name + ", ratio to the floor"}
				g := compared(at, mostForLarge, 15, 1, timed(fire), timed(base))
				g.margin = anotherMachine
				g.test(t)
			})
		}
	}
}

// open returns a session with a hook that prints text.
func (d printing) open(t *testing.T, text string) *pipeline.Session {
	file := filepath.Join(t.TempDir(), "answer.json")
	testkit.WriteFile(t, file, text, 0o600)
	sys := pipeline.NewSystem(pipeline.Config{
		Load: []pipeline.Load{d.load(fmt.Sprintf(`{"type": "command", "command": "cat %s; true"}`, file))},
		Log:  slog.New(slog.DiscardHandler),
	})
	t.Cleanup(func() { must(sys.Close()) })
	ses, err := sys.NewSession(t.Context(), pipeline.SessionConfig{ID: "bench", Dir: t.TempDir()})
	if err != nil || len(ses.Problems()) > 0 {
		t.Fatal(err, ses.Problems())
	}
	return ses
}

// mostForOdd limits the time of a command hook that prints an odd text of 3 MB, as a multiple of the time for an
// answer of this length.
const mostForOdd = 120

// No output of a hook keeps the host busy for long.
func TestOddOutputTakesATimeThatGrowsWithItsLength(t *testing.T) {
	testkit.Timed(t)
	const size = 3 << 20
	repeat := func(part string) string { return strings.Repeat(part, size/len(part)) }
	const levels = 9_000
	half := func(answer, members string) string { // a long member and many short ones
		return answer + `"` + repeat("x")[:size/2] + `", ` + repeat(members)[:size/2/len(members)*len(members)] + `"y": 1}`
	}
	for name, d := range printings(t) {
		plain := elapsed(d, d.open(t, d.answer+`"`+repeat("x")+`"}`))
		for what, text := range map[string]string{
			"prose":            repeat("The file was read, and \"all\" went well: 3 lines.\n"),
			"one line":         repeat("word "),
			"braces":           repeat("{ "),
			"colons":           repeat(`":`),
			"backslashes":      repeat(`\`),
			"unknown member":   `{"unknown": "` + repeat("x: ") + `"}`,
			"unknown members":  `{` + repeat(`"decison1": "x", `) + `"y": 1}`,
			"the same member":  `{` + repeat(`"reason": "x", `) + `"reason": "y"}`,
			"escapes":          d.answer + `"` + repeat(`\u00e9\"`) + `"}`,
			"deep objects":     strings.Repeat(`{"a":`, levels) + `"` + repeat("x") + `"` + strings.Repeat("}", levels),
			"deep decisions":   `{"hookSpecificOutput": {"hookEventName": "PreToolUse", ` + strings.Repeat(`"continue": 1, "decision": {`, levels) + `"a": "` + repeat("x") + `"` + strings.Repeat("}", levels) + "}}",
			"too deep":         repeat(`{"a":`),
			"arrays":           repeat("["),
			"lines of objects": repeat(`{"type": "progress"}` + "\n"),
			"a broken answer":  d.answer + `"` + repeat("x"),
			"control bytes":    repeat("\x1b]0;"),
			"a terminal":       `{"terminalSequence": "` + repeat(`\u001b]0;`) + `"}`,
			"own members":      `{"hookSpecificOutput": {"hookEventName": "PreToolUse", ` + repeat(`"x": {"y": "z"}, `) + `"u": 1}}`,
			"invalid UTF-8":    repeat("\xff"),
			"equal members":    half(d.answer, `"reason": "x", "stopReason": "y", `),
			"own equal members": half(`{"hookSpecificOutput": {"hookEventName": "PreToolUse", "permissionDecisionReason": `,
				`"additionalContext": "x", `) + "}",
		} {
			if ratio := float64(elapsed(d, d.open(t, text))) / float64(plain); ratio > mostForOdd {
				t.Errorf("%s: %s takes %.0f times as long as an answer; want at most %d", name, what, ratio, mostForOdd)
			}
		}
	}
}

func elapsed(d printing, ses *pipeline.Session) time.Duration {
	start := time.Now()
	_, _ = d.fire(ses) // the answer may be none
	return time.Since(start)
}

// keeping returns a function that does the exchange and writes a text to a new file.
func keeping(t *testing.T, exchange func(), text []byte) func() {
	dir, n := t.TempDir(), 0
	return func() {
		exchange()
		n++
		must(os.WriteFile(filepath.Join(dir, fmt.Sprint(n)), text, 0o600))
	}
}
