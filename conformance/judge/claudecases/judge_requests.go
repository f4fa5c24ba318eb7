package claudecases

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// wantRequest is one expected request to the scripted server; empty fields are not checked.
type wantRequest struct {
	Path       string            `json:"path"`
	Method     string            `json:"method"`
	Header     map[string]string `json:"header"`      // the request may have further headers; names in lower case
	JSONSubset jsontext.Value    `json:"json_subset"` // a subset of the body
}

type wantRequests []wantRequest

func (w wantRequests) check() error {
	for i, r := range w {
		for _, name := range slices.Sorted(maps.Keys(r.Header)) {
			if name != strings.ToLower(name) {
				return fmt.Errorf("item %d: header %s: write its name in lower case", i+1, name)
			}
		}
	}
	return nil
}

// httpRequests checks all requests since the case began, in their order.
func (j *judge) httpRequests(key string, want wantRequests) {
	got := j.project.server.received()
	if len(got) != len(want) {
		j.say("%s: want %d, got %d: %s", key, len(want), len(got), show(got))
		return
	}
	for i, w := range want {
		j.httpRequest(fmt.Sprintf("%s[%d]", key, i), w, got[i])
	}
}

func (j *judge) httpRequest(key string, want wantRequest, got receivedRequest) {
	if want.Path != "" && want.Path != got.Path {
		j.departs(key+".path", want.Path, got.Path)
	}
	if want.Method != "" && want.Method != got.Method {
		j.departs(key+".method", want.Method, got.Method)
	}
	for _, name := range slices.Sorted(maps.Keys(want.Header)) {
		if value, there := got.Header[name]; !there {
			j.say("%s.header.%s: want %q, got no such header", key, name, want.Header[name])
		} else if value != want.Header[name] {
			j.departs(key+".header."+name, want.Header[name], value)
		}
	}
	if want.JSONSubset != nil {
		j.wrong = append(j.wrong, lacks(key+".json_subset", want.JSONSubset, jsontext.Value(got.Body))...)
	}
}

// wantLLM is one expected question to the model. An empty Model means the host's default; other
// empty fields are not checked.
type wantLLM struct {
	PromptContains    substrings `json:"prompt_contains"`
	PromptNotContains substrings `json:"prompt_not_contains"`
	Model             *string    `json:"model"`
	Kind              string     `json:"kind"`
}

type wantLLMs []wantLLM

func (w wantLLMs) check() error {
	for i, r := range w {
		if err := slices.Concat(r.PromptContains, r.PromptNotContains).check(); err != nil {
			return fmt.Errorf("item %d: %w", i+1, err)
		}
		if r.Kind != "" && r.Kind != "prompt" && r.Kind != "agent" {
			return fmt.Errorf("item %d: kind is %q: write prompt or agent", i+1, r.Kind)
		}
	}
	return nil
}

// llmRequests checks all questions since the case began, in their order.
func (j *judge) llmRequests(key string, want wantLLMs) {
	got := j.project.Model.requests()
	if len(got) != len(want) {
		j.say("%s: want %d, got %d: %s", key, len(want), len(got), show(got))
		return
	}
	for i, w := range want {
		j.llmRequest(fmt.Sprintf("%s[%d]", key, i), w, got[i])
	}
}

func (j *judge) llmRequest(key string, want wantLLM, got llmRequest) {
	if want.Kind != "" && want.Kind != got.Kind {
		j.departs(key+".kind", want.Kind, got.Kind)
	}
	model := ""
	if want.Model != nil {
		model = *want.Model
	}
	if model != got.Model {
		j.departs(key+".model", model, got.Model)
	}
	for _, part := range want.PromptContains {
		if !strings.Contains(got.Prompt, part) {
			j.say("%s.prompt_contains: want %q in it, got %q", key, part, got.Prompt)
		}
	}
	for _, part := range want.PromptNotContains {
		if strings.Contains(got.Prompt, part) {
			j.say("%s.prompt_not_contains: want no %q in it, got %q", key, part, got.Prompt)
		}
	}
}

// userPrompts checks all prompts since the case began, in their order.
func (j *judge) userPrompts(key string, want []userPrompt) {
	got := j.project.User.prompts()
	if !slices.EqualFunc(
		want,
		got,
		func(a, b userPrompt) bool { return a.Message == b.Message && slices.Equal(a.Keys, b.Keys) },
	) {
		j.departs(key, want, got)
	}
}
