package snaphook

import (
	"context"

	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/pipeline"
)

// Turn is one of several events that a dialect fires at a moment; see [InTurn].
type Turn[In Input] struct {
	Stage Stage          // made by [Fires] for the same moment
	When  func(*In) bool // reports whether the event fires for an input in the dialect's names; nil: always
}

// InTurn returns the Stage of a moment at which a dialect fires several events one after another, as Cursor fires
// preToolUse and then beforeShellExecution. Each event gets the arguments and the tool's result as changed by hooks of
// earlier events. After a denial, a stop or an error no further event fires.
func InTurn[In Input](turns ...Turn[In]) Stage {
	m := momentOf[In]()
	var events []pipeline.Declared
	for _, t := range turns {
		if t.Stage.stage.at != m.at || t.Stage.stage.fire == nil {
			return Stage{} // NewDialect reports the empty Stage as a mistake
		}
		events = append(events, t.Stage.stage.events...)
	}
	return Stage{m.stage(func(ctx context.Context, in *In, p *dialectAnswer) {
		seen := *in
		for _, t := range turns {
			if t.When != nil {
				if words := m.inWords(&seen, p); !t.When(&words) {
					continue
				}
			}
			turn := dialectAnswer{s: p.s, dialect: p.dialect, tool: p.tool, name: p.name, view: p.view}
			t.Stage.stage.fire.(func(context.Context, *In, *dialectAnswer))(ctx, &seen, &turn)
			now, result := turn.Input, turn.Result
			p.merge([]dialectAnswer{turn})
			if turn.err != nil || turn.Decision == hook.Deny || turn.Stop {
				return
			}
			if now != nil {
				p.view.Object = object(now)
			}
			if tool, ok := any(&seen).(*AfterToolInput); ok && result != nil {
				tool.Result = *result
			}
		}
	}, events...)}
}
