package fantasyhooks

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"

	"charm.land/fantasy"
	"charm.land/fantasy/schema"

	"github.com/snaphook-go/snaphook"
	"github.com/snaphook-go/snaphook/events/llxprt/genai"
	"github.com/snaphook-go/snaphook/internal/adapter"
)

// Model runs the hooks of a session around every request to a language model: for a text or for an object, whole or
// as a stream. It adds to each request the texts that background hooks have produced since the previous request.
// Hooks run again for each attempt that an agent retries.
func Model(s *snaphook.Session, opt Options, m fantasy.LanguageModel) fantasy.LanguageModel {
	return &hooked{opt.hooks(s), m}
}

// hooked is a model with hooks. It does not embed the model: a kind of request that fantasy adds later must not pass
// without hooks.
type hooked struct {
	hooks *adapter.Hooks
	m     fantasy.LanguageModel
}

// Provider implements [fantasy.LanguageModel].
func (h *hooked) Provider() string { return h.m.Provider() }

// Model implements [fantasy.LanguageModel].
func (h *hooked) Model() string { return h.m.Model() }

// reviews reports whether hooks look at responses, which are then delivered as a whole.
func (h *hooked) reviews() bool { return h.hooks.Session.Active(snaphook.AfterModel) }

// Generate implements [fantasy.LanguageModel].
func (h *hooked) Generate(ctx context.Context, call fantasy.Call) (*fantasy.Response, error) {
	res := &fantasy.Response{FinishReason: fantasy.FinishReasonStop}
	text, calls, err := h.ask(ctx, call, func(now fantasy.Call) (string, bool, error) {
		var err error
		if res, err = h.m.Generate(ctx, now); err != nil || res == nil {
			return "", false, err
		}
		return contentText(res.Content), true, nil
	})
	if err != nil || res == nil {
		return nil, err
	}
	if calls && contentText(res.Content) == text {
		return res, nil
	}
	now := *res
	now.Content = replaced(res.Content, text, calls)
	if !calls {
		now.FinishReason = withoutCalls(res.FinishReason)
	}
	return &now, nil
}

// Stream implements [fantasy.LanguageModel].
func (h *hooked) Stream(ctx context.Context, call fantasy.Call) (fantasy.StreamResponse, error) {
	var stream fantasy.StreamResponse
	var parts []fantasy.StreamPart
	whole := h.reviews()
	text, calls, err := h.ask(ctx, call, func(now fantasy.Call) (_ string, _ bool, err error) {
		if stream, err = h.m.Stream(ctx, now); err != nil || !whole {
			return "", false, err
		}
		parts, err = collect(ctx, stream, func(p fantasy.StreamPart) (bool, error) {
			return p.Type == fantasy.StreamPartTypeError, p.Error
		})
		return streamText(parts), err == nil, err
	})
	switch {
	case err != nil:
		return nil, err
	case stream != nil && !whole:
		return stream, nil
	case calls && streamText(parts) == text:
		return slices.Values(parts), nil
	}
	return slices.Values(replacedStream(parts, text, calls)), nil
}

// ask runs the hooks that select the tools of a request for a text, then the hooks around the request. See
// [adapter.Messages.Model].
func (h *hooked) ask(
	ctx context.Context, call fantasy.Call, send func(fantasy.Call) (text string, whole bool, err error),
) (text string, calls bool, err error) {
	var contexts []string
	all := pieces(call.Prompt)
	if len(call.Tools) > 0 {
		choice, v, err := messages.ToolChoice(ctx, h.hooks, all)
		if err != nil || v.Stop {
			return v.StopReason, false, err
		}
		offer(&call, choice)
		contexts = v.Context
	}
	return messages.Model(ctx, h.hooks, all, func(now []promptPiece) (string, bool, error) {
		for _, text := range contexts {
			now = append(now, messages.New("system", text))
		}
		call.Prompt = joined(now)
		return send(call)
	})
}

// offer restricts a call to the tools that hooks have selected. If hooks have selected no tool, the call forbids the
// use of tools but keeps their descriptions, because providers refuse a conversation with calls of tools that are not
// described.
func offer(call *fantasy.Call, choice *genai.ToolConfig) {
	if choice == nil {
		return
	}
	tools := call.Tools
	if names := choice.AllowedFunctionNames; names != nil {
		tools = slices.DeleteFunc(slices.Clone(tools), func(t fantasy.Tool) bool {
			return !slices.Contains(names, t.GetName())
		})
	}
	host := fantasy.ToolChoiceAuto
	if call.ToolChoice != nil {
		host = *call.ToolChoice
	}
	offered := slices.ContainsFunc(tools, func(t fantasy.Tool) bool { return t.GetName() == string(host) })
	switch {
	case host == fantasy.ToolChoiceNone, choice.Mode == "NONE", len(tools) == 0:
		tools, host = call.Tools, fantasy.ToolChoiceNone
	case offered, host == fantasy.ToolChoiceRequired: // keep the host's choice, which is stricter than the hooks'
	case choice.Mode == "ANY":
		host = fantasy.ToolChoiceRequired
	default: // the host chose auto, or a tool that is not offered
		host = fantasy.ToolChoiceAuto
	}
	call.Tools, call.ToolChoice = tools, &host
}

// contentText returns the joined texts of a response.
func contentText(content fantasy.ResponseContent) string {
	var all strings.Builder
	for _, c := range content {
		if text, ok := fantasy.AsContentType[fantasy.TextContent](c); ok {
			all.WriteString(text.Text)
		}
	}
	return all.String()
}

// replaced returns the content of a response with another text, at the position of its first text or first call. If
// calls is false, it drops all other content.
func replaced(content fantasy.ResponseContent, text string, calls bool) (now fantasy.ResponseContent) {
	placed := text == ""
	place := func() {
		if !placed {
			now, placed = append(now, fantasy.TextContent{Text: text}), true
		}
	}
	for _, c := range content {
		_, isText := fantasy.AsContentType[fantasy.TextContent](c)
		_, isCall := fantasy.AsContentType[fantasy.ToolCallContent](c)
		if isText || isCall {
			place()
		}
		if calls && !isText {
			now = append(now, c)
		}
	}
	place()
	return now
}

// withoutCalls returns the finish reason of a response whose calls were removed.
func withoutCalls(reason fantasy.FinishReason) fantasy.FinishReason {
	if reason == fantasy.FinishReasonToolCalls {
		return fantasy.FinishReasonStop
	}
	return reason
}

// collect reads a stream to its end. failed reports whether a part means that the stream has
// failed, and returns the error.
func collect[P any](
	ctx context.Context, stream iter.Seq[P], failed func(P) (bool, error),
) (parts []P, err error) {
	for part := range stream {
		if bad, err := failed(part); bad {
			if err == nil {
				err = errors.New("the stream of the model has failed without a reason")
			}
			return nil, err
		}
		parts = append(parts, part)
	}
	return parts, ctx.Err()
}

// streamText returns the text of a stream.
func streamText(parts []fantasy.StreamPart) string {
	var all strings.Builder
	for _, p := range parts {
		if p.Type == fantasy.StreamPartTypeTextDelta {
			all.WriteString(p.Delta)
		}
	}
	return all.String()
}

// replacedStream does the same as [replaced] for a stream. For a stream without parts, whose text
// comes from hooks alone, it adds the finish.
func replacedStream(parts []fantasy.StreamPart, text string, calls bool) (now []fantasy.StreamPart) {
	const id = "snaphook"
	placed := text == ""
	place := func() {
		if !placed {
			now = append(now,
				fantasy.StreamPart{Type: fantasy.StreamPartTypeTextStart, ID: id},
				fantasy.StreamPart{Type: fantasy.StreamPartTypeTextDelta, ID: id, Delta: text},
				fantasy.StreamPart{Type: fantasy.StreamPartTypeTextEnd, ID: id},
			)
			placed = true
		}
	}
	if len(parts) == 0 {
		parts = []fantasy.StreamPart{{Type: fantasy.StreamPartTypeFinish, FinishReason: fantasy.FinishReasonStop}}
	}
	for _, p := range parts {
		switch p.Type {
		case fantasy.StreamPartTypeTextStart, fantasy.StreamPartTypeTextDelta, fantasy.StreamPartTypeTextEnd:
			place()
		case fantasy.StreamPartTypeFinish:
			place()
			if !calls {
				p.FinishReason = withoutCalls(p.FinishReason)
			}
			now = append(now, p)
		case fantasy.StreamPartTypeWarnings:
			now = append(now, p)
		case fantasy.StreamPartTypeToolInputStart, fantasy.StreamPartTypeToolCall:
			place()
			fallthrough
		default:
			if calls {
				now = append(now, p)
			}
		}
	}
	place() // the stream ended without a finish part
	return now
}

// GenerateObject implements [fantasy.LanguageModel].
func (h *hooked) GenerateObject(ctx context.Context, call fantasy.ObjectCall) (*fantasy.ObjectResponse, error) {
	res := &fantasy.ObjectResponse{FinishReason: fantasy.FinishReasonStop}
	raw, asked := "", false
	text, err := h.askObject(ctx, call, func(now fantasy.ObjectCall) (_ string, _ bool, err error) {
		if res, err = h.m.GenerateObject(ctx, now); err != nil || res == nil {
			return "", false, err
		}
		raw, asked = objectText(res.Object), true
		return raw, true, nil
	})
	switch {
	case err != nil || res == nil:
		return nil, err
	case asked && text == raw:
		return res, nil
	}
	now := *res
	now.RawText = text
	if now.Object, err = parse(text, &call, res.Usage, res.FinishReason); err != nil {
		return nil, err
	}
	return &now, nil
}

// StreamObject implements [fantasy.LanguageModel].
func (h *hooked) StreamObject(ctx context.Context, call fantasy.ObjectCall) (fantasy.ObjectStreamResponse, error) {
	var stream fantasy.ObjectStreamResponse
	object := fantasy.ObjectStreamPart{Type: fantasy.ObjectStreamPartTypeObject}
	finish := fantasy.ObjectStreamPart{Type: fantasy.ObjectStreamPartTypeFinish, FinishReason: fantasy.FinishReasonStop}
	raw, asked, whole := "", false, h.reviews()
	text, err := h.askObject(ctx, call, func(now fantasy.ObjectCall) (_ string, _ bool, err error) {
		if stream, err = h.m.StreamObject(ctx, now); err != nil || !whole {
			return "", false, err
		}
		parts, err := collect(ctx, stream, func(p fantasy.ObjectStreamPart) (bool, error) {
			return p.Type == fantasy.ObjectStreamPartTypeError, p.Error
		})
		for _, p := range parts {
			switch {
			case p.Type == fantasy.ObjectStreamPartTypeObject && p.Object != nil:
				object = p
			case p.Type == fantasy.ObjectStreamPartTypeFinish:
				finish = p
			}
		}
		raw, asked = objectText(object.Object), err == nil
		return raw, asked, err
	})
	switch {
	case err != nil:
		return nil, err
	case stream != nil && !whole:
		return stream, nil
	case !asked || text != raw:
		if object.Object, err = parse(text, &call, finish.Usage, finish.FinishReason); err != nil {
			return nil, err
		}
	case object.Object == nil: // the model sent no object, and hooks put none in its place
		return slices.Values([]fantasy.ObjectStreamPart{finish}), nil
	}
	return slices.Values([]fantasy.ObjectStreamPart{object, finish}), nil
}

// askObject runs the hooks around a request for an object. See [adapter.Messages.Model].
func (h *hooked) askObject(
	ctx context.Context, call fantasy.ObjectCall, send func(fantasy.ObjectCall) (text string, whole bool, err error),
) (text string, err error) {
	text, _, err = messages.Model(ctx, h.hooks, pieces(call.Prompt), func(now []promptPiece) (string, bool, error) {
		call.Prompt = joined(now)
		return send(call)
	})
	return text, err
}

// objectText returns an object in the form that hooks see; the empty text if it is nil.
func objectText(object any) string {
	if object == nil {
		return ""
	}
	data, err := json.Marshal(object)
	if err != nil {
		return fmt.Sprint(object)
	}
	return string(data)
}

// parse returns the object of a text that hooks have written.
func parse(
	text string, call *fantasy.ObjectCall, usage fantasy.Usage, reason fantasy.FinishReason,
) (object any, err error) {
	wrong := &fantasy.NoObjectGeneratedError{RawText: text, Usage: usage, FinishReason: reason}
	if err := json.Unmarshal([]byte(text), &object); err != nil {
		wrong.ParseError = fmt.Errorf("the answer of the hooks, %q, is not JSON: %w", text, err)
		return nil, wrong
	}
	if err := schema.ValidateAgainstSchema(object, call.Schema); err != nil {
		wrong.ValidationError = fmt.Errorf("the answer of the hooks, %q, does not fit the schema: %w", text, err)
		return nil, wrong
	}
	return object, nil
}
