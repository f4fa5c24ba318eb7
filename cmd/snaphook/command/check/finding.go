package check

import (
	"fmt"

	"github.com/snaphook-go/snaphook/cmd/snaphook/internal/cli"
	"github.com/snaphook-go/snaphook/cmd/snaphook/internal/lint"
	"github.com/snaphook-go/snaphook/hook"
)

// severity ranks findings. Notes alone do not change the exit status.
type severity = lint.Severity

// The severities of findings.
const (
	IsError   = lint.Error
	isWarning = lint.Warning
	isNote    = lint.Note
)

// finding is a fact about settings, overlays or scripts that a person should know. Programs
// identify its kind by the id.
type finding struct {
	ID       string   `json:"id"`
	Severity severity `json:"severity"`
	File     string   `json:"file"`
	Line     int      `json:"line"`
	Column   int      `json:"column"`
	Message  string   `json:"message"`
	Fix      string   `json:"fix"`
}

func newFinding(id string, s severity, at hook.Position, message, fix string) finding {
	return finding{
		ID:       id,
		Severity: s,
		File:     cli.ShortPath(at.File),
		Line:     at.Line,
		Column:   at.Column,
		Message:  message,
		Fix:      fix,
	}
}

// counts reports whether the finding makes check exit with status 1.
func (g finding) counts() bool { return g.Severity != isNote }

func (g finding) linted() lint.Finding {
	at := hook.Position{File: g.File, Line: g.Line, Column: g.Column}
	return lint.Finding{ID: g.ID, Severity: g.Severity, Position: at, Message: g.Message, Fix: g.Fix}
}

// Text returns the lines that check prints for the finding.
func (g finding) Text() string {
	style := cli.Odd
	if g.Severity == IsError {
		style = cli.Bad
	}
	at := hook.Position{File: g.File, Line: g.Line, Column: g.Column}
	return style.Render(
		cli.Visible(fmt.Sprintf("%s: %s: %s [%s]", at, g.Severity, g.Message, g.ID)),
	) + "\n    " + cli.Faint.Render(cli.Visible(g.Fix)) + "\n"
}

// fixed returns the line for a finding that was fixed.
func (g finding) fixed() string {
	at := hook.Position{File: g.File, Line: g.Line, Column: g.Column}
	return fmt.Sprintf("%s: fixed: %s [%s]", at, g.Message, g.ID)
}
