package schemas_test

import (
	"bytes"
	"context"
	"log/slog"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/snaphook-go/snaphook/events/claude"
	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/internal/testkit"
	"github.com/snaphook-go/snaphook/pipeline"
	rec "github.com/snaphook-go/snaphook/record"
)

// Every kind of line that the engine writes conforms to the schema.
func TestLinesAreOfTheSchema(t *testing.T) {
	schema, err := jsonschema.NewCompiler().Compile(filepath.Join("..", "..", "..", "..", "docs", "record.schema.json"))
	if err != nil {
		t.Fatal(err)
	}
	var hooks []*hook.Hook
	for name, runner := range map[string]hook.Runner{
		"silent": testkit.Fixed{}, "blocks": testkit.Fixed{Reply: hook.Reply{Exit: 2, Stderr: []byte("no")}}, "fails": testkit.Fixed{Reply: hook.Reply{Exit: 1}}, "missing": testkit.Fixed{Reply: hook.Reply{Exit: 127}},
		"late": testkit.Fixed{Err: &hook.TimeoutError{After: time.Second}}, "asks": testkit.Fixed{Reply: hook.Reply{Stdout: []byte(`{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"ask"}}`)}},
		"rewrites": testkit.Fixed{Reply: hook.Reply{Stdout: []byte(`{"hookSpecificOutput":{"hookEventName":"PreToolUse","updatedInput":{"command":"a"}}}`)}},
		"again":    testkit.Fixed{Reply: hook.Reply{Stdout: []byte(`{"hookSpecificOutput":{"hookEventName":"PreToolUse","updatedInput":{"command":"b"}}}`)}},
		"text":     testkit.Fixed{Reply: hook.Reply{Stdout: []byte("\xff\x1b[31m")}}, "off": nil,
		"in the background": testkit.Fixed{Reply: hook.Reply{Exit: 1}}, "asynchronous": testkit.Fixed{}, "late in the background": testkit.Fixed{Err: &hook.TimeoutError{After: time.Second}},
	} {
		h := &hook.Hook{Identity: hook.Identity{ID: "project/PreToolUse/" + name, Dialect: "claude", Event: "PreToolUse", Type: "command", Command: name, Source: hook.Project}, Runner: runner}
		if strings.Contains(name, "background") || name == "asynchronous" {
			h.Background = hook.Async
		}
		if name == "off" {
			h.Skip, h.SkipDetail = hook.Disabled, "switched off"
		}
		hooks = append(hooks, h)
	}
	for i, input := range []rec.Input{rec.Keys, rec.None, rec.Full} {
		for n := 0; n <= len(hooks); n++ {
			var text bytes.Buffer
			r := rec.New(&text, rec.Config{Input: input, Hold: i > 0, Log: slog.New(slog.DiscardHandler)})
			load := func(context.Context, pipeline.Workspace) (pipeline.Loaded, error) {
				return pipeline.Loaded{Hooks: hooks[:n]}, nil
			}
			sys := pipeline.NewSystem(pipeline.Config{Load: []pipeline.Load{load}, Observe: []pipeline.Observer{r}, ObserveIdle: true, Log: slog.New(slog.DiscardHandler)})
			ses, err := sys.NewSession(t.Context(), pipeline.SessionConfig{ID: "s-1", Dir: t.TempDir()})
			if err != nil {
				t.Fatal(err)
			}
			if _, err := claude.PreToolUse.FireJSON(t.Context(), ses, []byte(`{"tool_name":"Bash","tool_use_id":"t","tool_input":{"command":"ls"}}`)); err != nil {
				t.Fatal(err)
			}
			if err := ses.Wait(t.Context()); err != nil {
				t.Fatal(err)
			}
			sys.Close()
			for one := range strings.Lines(text.String()) {
				line, err := jsonschema.UnmarshalJSON(strings.NewReader(one))
				if err == nil {
					err = schema.Validate(line)
				}
				if err != nil {
					t.Errorf("%v\n%s", err, one)
				}
			}
		}
	}
}
