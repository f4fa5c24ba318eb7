package llm

import (
	"context"
	"errors"
	"fmt"
	"net/http"

	"github.com/snaphook-go/snaphook/run/judge"
)

// Anthropic is a [judge.Model] that uses the Messages API of Anthropic, version 2023-06-01.
//
// If the API refuses a request, the error is an [*Error]. An answer that is cut at MaxTokens, or has no text, is an
// error too. When the context ends, the error is [context.Cause]. No error contains the key. Redirects are not
// followed, and a request is sent once.
//
// It may be used from many goroutines at once. A call costs a request, and the API's charge.
type Anthropic struct {
	BaseURL   string       // with or without /v1 at its end; "" is https://api.anthropic.com
	Key       string       // the API key; "" sends none, for a proxy that adds it
	Model     string       // default for requests that name no model; use a small, fast one
	MaxTokens int          // limit of the answer; 0 means 1024, more than enough for a verdict
	HTTP      *http.Client // nil means http.DefaultClient; its CheckRedirect is ignored
}

var _ judge.Model = Anthropic{}

// Generate sends one message, and returns the text of the answer.
func (a Anthropic) Generate(ctx context.Context, r judge.ModelRequest) (string, error) {
	model, err := choose(r.Model, a.Model)
	if err != nil {
		return "", err
	}
	var answer struct {
		Content []struct {
			Type string `json:"type"`
			Text string `json:"text"`
		} `json:"content"`
		StopReason string `json:"stop_reason"`
	}
	request := messages{Model: model, MaxTokens: a.MaxTokens, System: r.System, Messages: []anthropicMessage{{"user", r.Prompt}}}
	if request.MaxTokens == 0 {
		request.MaxTokens = 1024
	}
	if err := a.api().post(ctx, request, &answer); err != nil {
		return "", err
	}
	text := ""
	for _, part := range answer.Content {
		if part.Type == "text" {
			text += part.Text
		}
	}
	switch {
	case answer.StopReason == "max_tokens":
		return "", fmt.Errorf("the answer is cut after %d tokens; raise MaxTokens", request.MaxTokens)
	case text == "" && answer.StopReason != "":
		return "", fmt.Errorf("the answer has no text; it ended with %.80q", answer.StopReason)
	case text == "":
		return "", errors.New("the answer has no text")
	}
	return text, nil
}

func (a Anthropic) api() *api {
	header := http.Header{"Anthropic-Version": {"2023-06-01"}}
	if a.Key != "" {
		header.Set("X-Api-Key", a.Key)
	}
	return &api{
		client: a.HTTP,
		url:    endpoint(a.BaseURL, "https://api.anthropic.com", "messages"),
		key:    a.Key,
		header: header,
	}
}

type messages struct {
	Model     string             `json:"model"`
	MaxTokens int                `json:"max_tokens"`
	System    string             `json:"system,omitzero"`
	Messages  []anthropicMessage `json:"messages"`
}

type anthropicMessage struct {
	Role    string `json:"role"`
	Content string `json:"content"`
}
