package xcshcases

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/snaphook-go/snaphook/events/xcsh"
)

// onAPI calls a method of a module's API.
func (c *Call) onAPI(api *xcsh.API) error {
	switch c.Call {
	case "on":
		xcsh.OnDynamic(api, c.Handler.On, c.Handler.dynamic(api))
		return nil
	case "sendMessage":
		var message xcsh.CustomMessage
		var opt xcsh.SendOptions
		if err := errors.Join(json.Unmarshal(toJSON(c.arg(0)), &message), c.option(1, &opt)); err != nil {
			return err
		}
		return api.SendMessage(message, opt)
	case "appendEntry":
		name, _ := c.arg(0).(string)
		return api.AppendEntry(name, c.arg(1))
	}
	return fmt.Errorf("there is no call %q of the API", c.Call)
}

func (c *Call) arg(i int) any {
	if i < len(c.Args) {
		return c.Args[i]
	}
	return nil
}

func (c *Call) text(i int) string {
	text, _ := c.arg(i).(string)
	return text
}

// option reads an optional argument that is an object or a list.
func (c *Call) option(i int, to any) error {
	if c.arg(i) == nil {
		return nil
	}
	return json.Unmarshal(toJSON(c.arg(i)), to)
}

func onUI(ctx context.Context, c *Call, ui xcsh.UI) (result any, ok bool) {
	switch c.Call {
	case "confirm":
		return ui.Confirm(ctx, c.text(0), c.text(1)), true
	case "select":
		var options []string
		_ = c.option(1, &options)
		return ui.Select(ctx, c.text(0), options)
	case "input":
		return ui.Input(ctx, c.text(0), c.text(1))
	case "editor":
		return ui.Editor(ctx, c.text(0), c.text(1))
	case "notify":
		ui.Notify(c.text(0), c.text(1))
	case "setStatus":
		if c.arg(1) == nil {
			ui.ClearStatus(c.text(0))
		} else {
			ui.SetStatus(c.text(0), c.text(1))
		}
	case "setEditorText":
		ui.SetEditorText(c.text(0))
	case "getEditorText":
		return ui.EditorText(), true
	case "custom":
		return ui.Custom(ctx, nil)
	}
	return nil, false
}

func onContext(c *Call, hc *xcsh.HookContext) (result any, ok bool) {
	switch strings.TrimPrefix(c.Call, "sessionManager.") {
	case "isIdle":
		return hc.IsIdle(), true
	case "hasQueuedMessages", "hasPendingMessages":
		return hc.HasQueuedMessages(), true
	case "abort":
		hc.Abort()
	case "getEntries":
		list := []any{}
		for _, entry := range hc.Session.Entries() {
			list = append(list, fromJSON(jsontext.Value(entry.Object)))
		}
		return list, true
	}
	return nil, false
}

func onCommandContext(ctx context.Context, c *Call, cc *xcsh.CommandContext) (result any, ok bool) {
	cancelled, isControl := false, true
	switch c.Call {
	case "waitForIdle":
		_ = cc.WaitForIdle(ctx)
		return nil, false
	case "newSession":
		var opt struct{ ParentSession string }
		_ = json.Unmarshal(toJSON(c.arg(0)), &opt, json.MatchCaseInsensitiveNames(true))
		cancelled, _ = cc.NewSession(ctx, xcsh.NewSession{ParentSession: opt.ParentSession})
	case "branch":
		cancelled, _ = cc.Branch(ctx, c.text(0))
	case "navigateTree":
		var opt struct{ Summarize bool }
		_ = json.Unmarshal(toJSON(c.arg(1)), &opt, json.MatchCaseInsensitiveNames(true))
		cancelled, _ = cc.NavigateTree(ctx, c.text(0), xcsh.NavigateTree{Summarize: opt.Summarize})
	default:
		isControl = false
	}
	if isControl {
		return map[string]any{"cancelled": cancelled}, true
	}
	return onContext(c, &cc.HookContext)
}

// command returns the command of a module.
func (c *Command) command(api *xcsh.API) xcsh.Command {
	id := c.ID
	if id == "" {
		id = c.Name
	}
	return xcsh.Command{
		Name:        c.Name,
		Description: c.Description,
		Run: func(ctx context.Context, args string, cc *xcsh.CommandContext) error {
			e := newEntry(api, "command:"+id)
			e.set("saw", map[string]any{"args": args})
			if len(c.Ctx) > 0 {
				e.set("ctx", results(c.Ctx, func(call *Call) (any, bool) { return onCommandContext(ctx, call, cc) }))
			}
			if c.Throws != nil {
				return c.Throws.error()
			}
			return nil
		},
	}
}
