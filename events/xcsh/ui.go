package xcsh

import "context"

// UI lets handlers communicate with the user (X9). Only ctx limits the time of a call; a user who cancels gives no
// answer. A host embeds [NoUI] and implements the methods that it supports.
type UI interface {
	// Select lets the user choose one of the options.
	Select(ctx context.Context, title string, options []string) (choice string, ok bool)

	// Confirm asks a question with the answers yes and no.
	Confirm(ctx context.Context, title, message string) bool

	// Input asks for a line, Editor for a text.
	Input(ctx context.Context, title, placeholder string) (text string, ok bool)
	Editor(ctx context.Context, title, prefill string) (text string, ok bool)

	// Notify shows a message. level is "info", "warning" or "error".
	Notify(message, level string)

	// SetStatus sets the text of a key in the status line, and ClearStatus removes it. Package
	// statusline renders the line.
	SetStatus(key, text string)
	ClearStatus(key string)

	// Custom shows a component of the module until the component calls done. The host defines the
	// type of factory.
	Custom(ctx context.Context, factory any) (result any, ok bool)

	// SetEditorText and EditorText access the text that the user is editing.
	SetEditorText(text string)
	EditorText() string

	Theme() Theme
}

// Theme colours text for the terminal.
type Theme interface {
	Fg(colour, text string) string
	Bg(colour, text string) string
}

// NoUI is the UI of a session without a user: it returns no answer, and confirms
// nothing.
type NoUI struct{}

var _ UI = NoUI{}

// Select implements [UI]: it returns no answer.
func (NoUI) Select(context.Context, string, []string) (string, bool) { return "", false }

// Confirm implements [UI]: the answer is no.
func (NoUI) Confirm(context.Context, string, string) bool { return false }

// Input implements [UI]: it returns no answer.
func (NoUI) Input(context.Context, string, string) (string, bool) { return "", false }

// Editor implements [UI]: it returns no answer.
func (NoUI) Editor(context.Context, string, string) (string, bool) { return "", false }

// Notify implements [UI] and does nothing.
func (NoUI) Notify(string, string) {}

// SetStatus implements [UI] and does nothing.
func (NoUI) SetStatus(string, string) {}

// ClearStatus implements [UI] and does nothing.
func (NoUI) ClearStatus(string) {}

// Custom implements [UI]: the factory is never used.
func (NoUI) Custom(context.Context, any) (any, bool) { return nil, false }

// SetEditorText implements [UI] and does nothing.
func (NoUI) SetEditorText(string) {}

// EditorText implements [UI] with no text.
func (NoUI) EditorText() string { return "" }

// Theme implements [UI]: texts stay as they are.
func (NoUI) Theme() Theme { return plainTheme{} }

type plainTheme struct{}

// Fg implements [Theme].
func (plainTheme) Fg(_, text string) string { return text }

// Bg implements [Theme].
func (plainTheme) Bg(_, text string) string { return text }
