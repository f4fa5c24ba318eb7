package fantasyhooks

import (
	"cmp"
	"errors"
	"slices"

	"charm.land/fantasy"

	"github.com/snaphook-go/snaphook/internal/adapter"
)

// promptPiece is a message of a prompt, or a part of a message, with at most one text. Hooks see messages with one
// text, and fantasy's can have many, such as the results of several tools.
type promptPiece struct {
	of    *fantasy.Message // nil: hooks added the piece
	role  fantasy.MessageRole
	parts []fantasy.MessagePart // at most one part has a text
}

// messages converts pieces of fantasy's messages. Roles other than model and system are treated as
// the user.
var messages = adapter.Messages[promptPiece]{
	Role: func(p promptPiece) string {
		roles := map[fantasy.MessageRole]string{fantasy.MessageRoleAssistant: "model", fantasy.MessageRoleSystem: "system"}
		return cmp.Or(roles[p.role], "user")
	},
	Text: promptPiece.text,
	New: func(role, text string) promptPiece {
		roles := map[string]fantasy.MessageRole{"model": fantasy.MessageRoleAssistant, "system": fantasy.MessageRoleSystem}
		return promptPiece{role: cmp.Or(roles[role], fantasy.MessageRoleUser), parts: textParts(text)}
	},
	With: promptPiece.with,
}

func textParts(text string) []fantasy.MessagePart {
	return []fantasy.MessagePart{fantasy.TextPart{Text: text}}
}

// partText returns the text of a part; ok is false for a part that cannot have one.
func partText(part fantasy.MessagePart) (text string, ok bool) {
	if text, ok := fantasy.AsMessagePart[fantasy.TextPart](part); ok {
		return text.Text, true
	}
	result, ok := fantasy.AsMessagePart[fantasy.ToolResultPart](part)
	if !ok || result.ProviderExecuted { // the provider ran the tool: the result is in the provider's options
		return "", false
	}
	if out, ok := fantasy.AsToolResultOutputType[fantasy.ToolResultOutputContentText](result.Output); ok {
		return out.Text, true
	}
	if out, ok := fantasy.AsToolResultOutputType[fantasy.ToolResultOutputContentMedia](result.Output); ok {
		return out.Text, true
	}
	out, ok := fantasy.AsToolResultOutputType[fantasy.ToolResultOutputContentError](result.Output)
	if ok && out.Error != nil {
		return out.Error.Error(), true
	}
	return "", ok
}

// withText returns a copy of a part with another text. A result stays a result, because providers refuse a call without
// a result.
func withText(part fantasy.MessagePart, text string) fantasy.MessagePart {
	if now, ok := fantasy.AsMessagePart[fantasy.TextPart](part); ok {
		now.Text = text
		return now
	}
	now, _ := fantasy.AsMessagePart[fantasy.ToolResultPart](part)
	if out, ok := fantasy.AsToolResultOutputType[fantasy.ToolResultOutputContentMedia](now.Output); ok {
		out.Text = text
		now.Output = out
	} else if _, ok := fantasy.AsToolResultOutputType[fantasy.ToolResultOutputContentError](now.Output); ok {
		now.Output = fantasy.ToolResultOutputContentError{Error: errors.New(text)}
	} else {
		now.Output = fantasy.ToolResultOutputContentText{Text: text}
	}
	return now
}

// place returns the index of the part with the text; -1 if there is no such part.
func (p promptPiece) place() int {
	return slices.IndexFunc(p.parts, func(part fantasy.MessagePart) bool {
		_, ok := partText(part)
		return ok
	})
}

func (p promptPiece) text() string {
	i := p.place()
	if i < 0 {
		return ""
	}
	text, _ := partText(p.parts[i])
	return text
}

// with returns a piece with another text. It leaves out an empty text part, which providers refuse.
func (p promptPiece) with(text string) promptPiece {
	if p.text() == text {
		return p
	}
	i := p.place()
	p.parts = slices.Clone(p.parts)
	switch {
	case i < 0:
		p.parts = slices.Insert(p.parts, 0, textParts(text)...)
	case text == "" && p.parts[i].GetType() == fantasy.ContentTypeText:
		p.parts = slices.Delete(p.parts, i, i+1)
	default:
		p.parts[i] = withText(p.parts[i], text)
	}
	return p
}

// pieces splits the messages of a prompt. A part without a text belongs to the text before it, or else to the first
// text of the message.
func pieces(prompt fantasy.Prompt) (all []promptPiece) {
	for i := range prompt {
		m := &prompt[i]
		start := 0
		for end := 1; end < len(m.Content); end++ {
			_, ok := partText(m.Content[end])
			if one := (promptPiece{parts: m.Content[start:end]}); ok && one.place() >= 0 {
				all = append(all, promptPiece{m, m.Role, one.parts})
				start = end
			}
		}
		all = append(all, promptPiece{m, m.Role, m.Content[start:]})
	}
	return all
}

// joined returns the prompt of pieces. A system message that hooks added at the beginning joins the system messages
// there. One that hooks added after a message of another role becomes a message of the user, because providers would
// drop it. A message that hooks emptied is left out.
func joined(all []promptPiece) (prompt fantasy.Prompt) {
	var last *fantasy.Message // the original message at the end of the prompt
	for _, p := range all {
		if p.of != nil && len(p.of.Content) > 0 && len(p.parts) == 0 {
			continue
		}
		end := len(prompt) - 1
		system := p.role == fantasy.MessageRoleSystem
		if system && p.of == nil && end >= 0 && prompt[end].Role != fantasy.MessageRoleSystem {
			p.role, system = fantasy.MessageRoleUser, false
		}
		same := end >= 0 && p.of != nil && p.of == last
		if same || system && end >= 0 && prompt[end].Role == p.role && (p.of == nil || last == nil) {
			content := prompt[end].Content
			prompt[end].Content = append(content[:len(content):len(content)], p.parts...)
			if p.of != nil {
				prompt[end].ProviderOptions, last = p.of.ProviderOptions, p.of
			}
			continue
		}
		m := fantasy.Message{Role: p.role, Content: p.parts}
		if p.of != nil {
			m.ProviderOptions = p.of.ProviderOptions
		}
		prompt, last = append(prompt, m), p.of
	}
	return prompt
}
