package settings

import (
	"fmt"

	"github.com/snaphook-go/snaphook/hook"
)

// Problem is a part of a settings file that is invalid, or looks like a mistake. It is an error, although most problems
// affect one entry only.
type Problem struct {
	Position hook.Position // of the value, or only the file if no position is known
	Path     string        // JSON pointer: "/hooks/BeforeTool/0/hooks/2"
	Message  string        // the mistake, and a correction
	Fatal    bool          // the whole file was ignored
}

// String returns file:line:column: message.
func (p Problem) String() string {
	if p.Position == (hook.Position{}) {
		return p.Message
	}
	return p.Position.String() + ": " + p.Message
}

// Error is the same as [Problem.String].
func (p Problem) Error() string { return p.String() }

func fatal(at hook.Position, format string, args ...any) Problem {
	return Problem{Position: at, Message: fmt.Sprintf(format, args...), Fatal: true}
}
