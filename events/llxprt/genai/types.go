package genai

import (
	"errors"

	"github.com/go-json-experiment/json/jsontext"
)

// The types of this file are the format of rules L56, L57, L58. The method Into of a [wire.Object] decodes them, and
// [wire.Of] encodes them. Zero fields of a Request or a Response are not written: a Request that has only a Config is a
// patch of the config. Unknown members stay in Extra.

// Request is llm_request (L56).
type Request struct {
	Model      string         `json:"model,omitzero"`
	Messages   []Message      `json:"messages,omitzero"` // nil: not given; empty removes all
	Config     *Config        `json:"config,omitzero"`
	ToolConfig *ToolConfig    `json:"toolConfig,omitzero"`
	Extra      jsontext.Value `json:",embed"`
}

// Message is one message of a request. Role is user, model or system.
type Message struct {
	Role    string         `json:"role"`
	Content Text           `json:"content"`
	Extra   jsontext.Value `json:",embed"`
}

// Config holds the generation settings that hooks may see and set; a nil field is not given.
type Config struct {
	Temperature      *float64       `json:"temperature,omitzero"`
	MaxOutputTokens  *float64       `json:"maxOutputTokens,omitzero"`
	TopP             *float64       `json:"topP,omitzero"`
	TopK             *float64       `json:"topK,omitzero"`
	StopSequences    []string       `json:"stopSequences,omitzero"`
	CandidateCount   *float64       `json:"candidateCount,omitzero"`
	PresencePenalty  *float64       `json:"presencePenalty,omitzero"`
	FrequencyPenalty *float64       `json:"frequencyPenalty,omitzero"`
	Extra            jsontext.Value `json:",embed"`
}

// ToolConfig restricts the tools that the model may call (L58). Mode is AUTO, ANY or NONE. A nil
// AllowedFunctionNames is left out; an empty one is written.
type ToolConfig struct {
	Mode                 string         `json:"mode,omitzero"`
	AllowedFunctionNames []string       `json:"allowedFunctionNames,omitzero"`
	Extra                jsontext.Value `json:",embed"`
}

// Response is llm_response (L57). Text is the text of the first candidate, for reading: to change
// it, change the candidate.
type Response struct {
	Text       string         `json:"text,omitzero"`
	Candidates []Candidate    `json:"candidates,omitzero"`
	Usage      *Usage         `json:"usageMetadata,omitzero"`
	Extra      jsontext.Value `json:",embed"`
}

// Candidate is one answer of the model. FinishReason is STOP, MAX_TOKENS,
// SAFETY, RECITATION or OTHER.
type Candidate struct {
	Content       Content        `json:"content"`
	FinishReason  string         `json:"finishReason,omitzero"`
	Index         *float64       `json:"index,omitzero"`
	SafetyRatings []SafetyRating `json:"safetyRatings,omitzero"`
	Extra         jsontext.Value `json:",embed"`
}

// Content is the content of a candidate. Role is model.
type Content struct {
	Role  string         `json:"role,omitzero"`
	Parts []Text         `json:"parts,omitzero"` // nil: not given; empty removes all
	Extra jsontext.Value `json:",embed"`
}

// SafetyRating is the model's rating of its answer in one category.
type SafetyRating struct {
	Category    string         `json:"category"`
	Probability string         `json:"probability"`
	Extra       jsontext.Value `json:",embed"`
}

// Usage counts tokens; a nil field is not given.
type Usage struct {
	PromptTokenCount     *float64       `json:"promptTokenCount,omitzero"`
	CandidatesTokenCount *float64       `json:"candidatesTokenCount,omitzero"`
	TotalTokenCount      *float64       `json:"totalTokenCount,omitzero"`
	Extra                jsontext.Value `json:",embed"`
}

// Text is written as a string. It is read from a string, an object with a string as text (L57), or an array of these,
// whose texts are joined. A number or a boolean is read as its JSON.
type Text string

// UnmarshalJSONFrom reads the text; a value without one is an error.
func (t *Text) UnmarshalJSONFrom(d *jsontext.Decoder) error {
	value, err := d.ReadValue()
	if err != nil {
		return err
	}
	text, ok := hookText(value)
	if !ok {
		return errors.New(`this has no text; want a string or {"text": "…"}`)
	}
	*t = Text(text)
	return nil
}
