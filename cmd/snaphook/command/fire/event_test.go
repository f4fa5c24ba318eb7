package fire

import (
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/snaphook-go/snaphook/cmd/snaphook/internal/systems"
	"github.com/snaphook-go/snaphook/events/llxprt"
	"github.com/snaphook-go/snaphook/events/xcsh"
	"github.com/snaphook-go/snaphook/pipeline"
)

// declareOther adds an event of another dialect. Processes that the tests start do not have it.
var declareOther = sync.OnceValue(func() pipeline.Declared {
	other := &pipeline.Dialect{Name: "other"}
	return pipeline.Declare(other, pipeline.Spec[struct{}, struct{}]{Name: "BeforeTool"})
})

func TestEventIsFoundByAnUnambiguousName(t *testing.T) {
	events := append(pipeline.Events(llxprt.Dialect), declareOther())
	for name, want := range map[string]string{
		"llxprt.BeforeTool": "llxprt.BeforeTool",
		"other.BeforeTool":  "other.BeforeTool",
		"AfterTool":         "llxprt.AfterTool",
	} {
		event, err := systems.EventNamed(name, events)
		if err != nil || event.Info().FullName() != want {
			t.Errorf("%q: got %v, %v, want %s", name, event, err, want)
		}
	}
}

func TestEventThatIsNotFoundIsExplained(t *testing.T) {
	events := append(pipeline.Events(llxprt.Dialect), declareOther())
	for name, want := range map[string]string{
		"BeforeTool":       `several dialects have an event "BeforeTool"; write llxprt.BeforeTool or other.BeforeTool`,
		"other.BeforeTol":  "(did you mean other.BeforeTool",
		"PreCompres":       "(did you mean PreCompress?)",
		"somethingElse":    "there is no event \"somethingElse\"; `snaphook events` lists them",
		"claude.AfterTool": "write claude.PostToolUse, or another",
	} {
		if _, err := systems.EventNamed(name, events); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: got %v, want %q in it", name, err, want)
		}
	}
}

func TestTheExtensionRuntimeIsMeantByFullNamesAlone(t *testing.T) {
	for name, want := range map[string]string{"tool_call": "xcsh.tool_call", "xcsh-extension.tool_call": "xcsh-extension.tool_call"} {
		event, err := systems.EventNamed(name, pipeline.Events(nil))
		if err != nil || event.Info().FullName() != want {
			t.Errorf("%q: got %v, %v, want %s", name, event, err, want)
		}
	}
}

// The catalogue lists the results of handlers for every event at which they can change something.
func TestResultsOfModulesAreListed(t *testing.T) {
	for _, e := range slices.Concat(pipeline.Events(xcsh.Dialect), pipeline.Events(xcsh.Extensions)) {
		c := catalogue(e.Info())
		if has, want := len(c.Result) > 0, len(c.Can) > 0; has != want {
			t.Errorf("%s: results %q, powers %q", c.Event, c.Result, c.Can)
		}
	}
}
