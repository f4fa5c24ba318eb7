package systems

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/snaphook-go/snaphook/run/judge"
	"github.com/snaphook-go/snaphook/run/llm"
	"github.com/snaphook-go/snaphook/run/request"
)

// modelKey is the variable that holds the key of the model; no hook gets it, see TakeKey.
const modelKey = "SNAPHOOK_MODEL_KEY"

// takenKey is the key that TakeKey removed from the environment.
var takenKey string

// TakeKey removes the key of the model from the environment of the process. The command line calls it before it does
// anything else: hooks, modules, MCP servers and the programs that they start inherit the environment of the process,
// and therefore get no key.
func TakeKey() {
	takenKey = os.Getenv(modelKey)
	_ = os.Unsetenv(modelKey) // cannot fail: the name is valid
}

// getenv returns a variable of the process, also the key that TakeKey removed.
func getenv(name string) string {
	if name == modelKey && takenKey != "" {
		return takenKey
	}
	return os.Getenv(name)
}

// ModelHelp explains how to configure the model that hooks ask.
const ModelHelp = `Hooks of type "prompt" ask the model that the environment names:
  SNAPHOOK_MODEL_PROVIDER  anthropic or openai; the kind of its API
  SNAPHOOK_MODEL_URL       else ANTHROPIC_BASE_URL or OPENAI_BASE_URL
  SNAPHOOK_MODEL_KEY       else ANTHROPIC_API_KEY or OPENAI_API_KEY
  SNAPHOOK_MODEL           the model for hooks that name no model`

// modelOf returns the model that the environment names. If it names none, each request to the returned model fails with
// an error that says which variables to set.
func modelOf(getenv func(string) string) judge.Model {
	provider := providerOf(getenv)
	prefix := map[string]string{"anthropic": "ANTHROPIC", "openai": "OPENAI"}[provider]
	if prefix == "" {
		return failingModel{fmt.Errorf("SNAPHOOK_MODEL_PROVIDER is %q; set it to anthropic or openai", provider)}
	}
	url := cmp.Or(getenv("SNAPHOOK_MODEL_URL"), getenv(prefix+"_BASE_URL"))
	key := cmp.Or(getenv(modelKey), getenv(prefix+"_API_KEY"))
	if url == "" && key == "" {
		return failingModel{
			errors.New("the command line knows no model; set SNAPHOOK_MODEL_PROVIDER to anthropic or openai, " +
				"SNAPHOOK_MODEL_KEY or " + prefix + "_API_KEY to the API key, and SNAPHOOK_MODEL to a small, fast model"),
		}
	}
	name := getenv("SNAPHOOK_MODEL")
	if provider == "openai" {
		return defaultModel{llm.OpenAI{BaseURL: url, Key: key, Model: name}, name}
	}
	return defaultModel{llm.Anthropic{BaseURL: url, Key: key, Model: name}, name}
}

// providerOf returns the requested provider, else the first whose variables are set: Anthropic,
// then OpenAI.
func providerOf(getenv func(string) string) string {
	set := func(prefix string) bool { return getenv(prefix+"_API_KEY")+getenv(prefix+"_BASE_URL") != "" }
	switch asked := getenv("SNAPHOOK_MODEL_PROVIDER"); {
	case asked != "":
		return asked
	case !set("ANTHROPIC") && set("OPENAI"):
		return "openai"
	}
	return "anthropic"
}

// failingModel is a model that fails each request with err.
type failingModel struct{ err error }

func (r failingModel) Generate(context.Context, judge.ModelRequest) (string, error) { return "", r.err }

// defaultModel is a model for hooks. Hooks that name no model use the default called name; if there is no default,
// their requests fail.
type defaultModel struct {
	judge.Model
	name string
}

func (n defaultModel) Generate(ctx context.Context, r judge.ModelRequest) (string, error) {
	if r.Model == "" && n.name == "" {
		return "", errors.New(`no model is named; set SNAPHOOK_MODEL to a small, fast model, or add "model" to the hook`)
	}
	return n.Model.Generate(ctx, r)
}

// noHost refuses the services that only a host has: agents, and connections to MCP servers.
type noHost struct{}

func (noHost) RunAgent(context.Context, judge.AgentRequest) (string, error) {
	return "", errors.New(
		`the command line cannot run agents, while a host of snaphook can; write "type": "prompt" to ask a model`,
	)
}

func (noHost) CallTool(context.Context, request.ToolRequest) (request.ToolAnswer, error) {
	return request.ToolAnswer{}, errors.New(
		"the command line is connected to no MCP server, while a host of snaphook can be",
	)
}
