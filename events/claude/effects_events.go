package claude

import (
	"github.com/go-json-experiment/json/jsontext"
	"github.com/samber/lo"
)

func (g *PreToolUseOutput) effects(e *Effects) {
	e.PermissionDecision = lo.EmptyableToPtr(g.PermissionDecision)
	e.UpdatedInput = jsontext.Value(g.UpdatedInput)
}

func (g *PreModelSwitchOutput) effects(e *Effects) {
	e.PermissionDecision = lo.EmptyableToPtr(g.PermissionDecision)
}

func (p *PermissionRequestOutput) effects(e *Effects) {
	if d := p.Decision; d != nil {
		e.PermissionBehavior = &d.Behavior
		e.UpdatedInput, e.UpdatedPermissions = jsontext.Value(d.UpdatedInput), list(d.UpdatedPermissions)
		e.Interrupt = lo.EmptyableToPtr(d.Interrupt)
	}
}

func (r *PermissionDeniedOutput) effects(e *Effects) { e.Retry = lo.EmptyableToPtr(r.Retry) }

func (d *PostToolUseOutput) effects(e *Effects) {
	e.UpdatedToolOutput, e.ClassifierContext = d.UpdatedToolOutput, some(d.ClassifierContext)
}

func (o *SessionStartOutput) effects(e *Effects) {
	e.InitialUserMessage, e.SessionTitle = some(o.InitialUserMessage), some(o.SessionTitle)
	e.WatchPaths, e.ReloadSkills = list(o.WatchPaths), lo.EmptyableToPtr(o.ReloadSkills)
}

func (g *UserPromptSubmitOutput) effects(e *Effects) {
	e.SessionTitle, e.SuppressOriginalPrompt = some(g.SessionTitle), lo.EmptyableToPtr(g.SuppressOriginalPrompt)
}

func (w *FileChangedOutput) effects(e *Effects) { e.WatchPaths = list(w.WatchPaths) }

func (p *WorktreeCreateOutput) effects(e *Effects) { e.WorktreePath = some(p.WorktreePath) }

func (r *ElicitationOutput) effects(e *Effects) {
	if r.Action != "" {
		e.Elicitation = &ElicitedAnswer{Action: r.Action, Content: r.Content}
	}
}

func (d *MessageDisplayOutput) effects(e *Effects) { e.DisplayContent = d.DisplayContent }
