package xcsh

// HookError describes a handler that failed, for listeners (X17).
type HookError struct {
	Path    string `json:"hookPath"` // the module's path, as configured
	Event   string `json:"event"`
	Message string `json:"error"`
	Stack   string `json:"stack,omitzero"` // of a panic, or of an error with StackTrace(); only in the extension runtime
}

// Listener receives the failures of handlers. Listeners are compared by their pointers.
type Listener struct{ Failed func(HookError) }

// Thrown is the error of a handler that threw a value that is not an error, as JavaScript allows. [WrapTool] returns an
// error that wraps it, with the text "Hook failed, blocking execution: " before Value.
type Thrown struct{ Value string }

func (t *Thrown) Error() string { return t.Value }
