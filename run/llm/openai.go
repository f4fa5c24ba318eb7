package llm

import (
	"context"
	"errors"
	"fmt"
	"net/http"

	"github.com/snaphook-go/snaphook/run/judge"
)

// OpenAI is a [judge.Model] that uses the Chat Completions API of OpenAI, or one of the many compatible servers. It
// asks for an answer in JSON; the request must ask for JSON in words as well, as a [judge.Judge] does.
//
// If the API refuses a request, the error is an [*Error]. An answer that was cut, that has no text, or that the model
// declined is an error too. When the context ends, the error is [context.Cause]. No error contains the key. Redirects
// are not followed, and a request is sent once.
//
// It may be used from many goroutines at once. A call costs a request, and the API's charge.
type OpenAI struct {
	BaseURL   string       // with or without /v1 at its end; "" is https://api.openai.com
	Key       string       // the API key; "" sends none
	Model     string       // default for requests that name no model; use a small, fast one
	MaxTokens int          // limit of the answer, including reasoning; 0 leaves it to the server
	HTTP      *http.Client // nil means http.DefaultClient; its CheckRedirect is ignored
}

var _ judge.Model = OpenAI{}

// Generate sends one message, and returns the text of the answer.
func (o OpenAI) Generate(ctx context.Context, r judge.ModelRequest) (string, error) {
	model, err := choose(r.Model, o.Model)
	if err != nil {
		return "", err
	}
	request := completion{Model: model, MaxTokens: o.MaxTokens, Format: format{"json_object"}}
	if r.System != "" {
		request.Messages = append(request.Messages, anthropicMessage{"system", r.System})
	}
	request.Messages = append(request.Messages, anthropicMessage{"user", r.Prompt})
	var answer completed
	if err := o.api().post(ctx, request, &answer); err != nil {
		return "", err
	}
	return answer.text()
}

func (o OpenAI) api() *api {
	header := http.Header{}
	if o.Key != "" {
		header.Set("Authorization", "Bearer "+o.Key)
	}
	return &api{
		client: o.HTTP,
		url:    endpoint(o.BaseURL, "https://api.openai.com", "chat/completions"),
		key:    o.Key,
		header: header,
	}
}

type completion struct {
	Model     string             `json:"model"`
	Messages  []anthropicMessage `json:"messages"`
	Format    format             `json:"response_format"`
	MaxTokens int                `json:"max_completion_tokens,omitzero"`
}

type format struct {
	Type string `json:"type"`
}

type completed struct {
	Choices []struct {
		Message struct {
			Content string `json:"content"`
			Refusal string `json:"refusal"`
		} `json:"message"`
		FinishReason string `json:"finish_reason"`
	} `json:"choices"`
}

// text returns the text of the first choice; a request asks for only one.
func (c *completed) text() (string, error) {
	if len(c.Choices) == 0 {
		return "", errors.New("the answer has no text")
	}
	first := c.Choices[0]
	switch {
	case first.Message.Refusal != "":
		return "", fmt.Errorf("the model declines: %.200q", first.Message.Refusal)
	case first.FinishReason == "length":
		return "", errors.New("the answer is cut; raise MaxTokens")
	case first.Message.Content == "" && first.FinishReason != "":
		return "", fmt.Errorf("the answer has no text; it ended with %.80q", first.FinishReason)
	case first.Message.Content == "":
		return "", errors.New("the answer has no text")
	}
	return first.Message.Content, nil
}
