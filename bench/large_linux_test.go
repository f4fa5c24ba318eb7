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

func TestLargeAnswersCostLittleMoreThanTheirProcess(t *testing.T) {
	testkit.Timed(t)
	layer := func(name, text string) []settings.Layer {
		return []settings.Layer{{Name: name, Source: hook.User, File: filepath.Join(t.TempDir(), "hooks.json"), Data: []byte(text)}}
	}
	environ := []string{"PATH=" + os.Getenv("PATH")}
	ctx := context.Background()
	for name, d := range map[string]struct {
		answer string // the answer up to its last text, which the test adds
		load   func(command string) pipeline.Load
		fire   func(ses *pipeline.Session) (length int, err error)
	}{
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
	} {
		for size, bytes := range map[string]int{"1 MB": 1 << 20, "7 MB": 7 << 20} {
			t.Run(name+", "+size, func(t *testing.T) {
				file := filepath.Join(t.TempDir(), "answer.json")
				text := d.answer + `"` + strings.Repeat("x", bytes) + `"}`
				if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
					t.Fatal(err)
				}
				sys := pipeline.NewSystem(pipeline.Config{
					Load: []pipeline.Load{d.load(fmt.Sprintf(`{"type": "command", "command": "cat %s; true"}`, file))},
					Log:  slog.New(slog.DiscardHandler),
				})
				t.Cleanup(func() { must(sys.Close()) })
				ses, err := sys.NewSession(t.Context(), pipeline.SessionConfig{ID: "bench", Dir: t.TempDir()})
				if err != nil || len(ses.Problems()) > 0 {
					t.Fatal(err, ses.Problems())
				}
				if n, err := d.fire(ses); err != nil || n != bytes && !(name == "claude" && n > 1000) { // Claude Code cuts it
					t.Fatalf("%d bytes of the message, %v; want %d", n, err, bytes)
				}
				base := floorOf(t, ses).chained
				if name == "claude" {
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

// keeping returns a function that does the exchange and writes a text to a new file.
func keeping(t *testing.T, exchange func(), text []byte) func() {
	dir, n := t.TempDir(), 0
	return func() {
		exchange()
		n++
		must(os.WriteFile(filepath.Join(dir, fmt.Sprint(n)), text, 0o600))
	}
}
