package xcshcases

import (
	"context"
	"errors"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/snaphook-go/snaphook/events/xcsh"
	"github.com/snaphook-go/snaphook/wire"
)

type execute = xcsh.Execute[wire.Object, *xcsh.Output]

// hostTool is a tool of the host; a wrapper replaces some of its members.
type hostTool struct {
	Name, Label, Description string
	Execute                  execute
}

func (h *hostTool) field(name string) string {
	return map[string]string{"name": h.Name, "label": h.Label, "description": h.Description}[name]
}

// toolRun is one call of a tool.
type toolRun struct {
	tool       *Tool
	own        *xcsh.Output
	err        error
	executions []any
}

func (r *toolRun) execute(
	ctx context.Context,
	id string,
	params wire.Object,
	progress func(*xcsh.Output),
) (*xcsh.Output, error) {
	execution := map[string]any{"toolCallId": id, "params": fromJSON(jsontext.Value(params))}
	if ctx.Err() != nil {
		execution["signalAborted"] = true
	}
	r.executions = append(r.executions, execution)
	time.Sleep(time.Duration(r.tool.DelayMS) * time.Millisecond)
	for _, update := range r.tool.Updates {
		o := new(xcsh.Output)
		if err := json.Unmarshal(update, o); err != nil {
			return nil, err
		}
		progress(o)
	}
	return r.own, r.err
}

func (w *runningCase) runTool(s *Step) map[string]any {
	r := &toolRun{tool: s.Tool, executions: []any{}}
	if s.Tool.Throws != nil {
		r.err = s.Tool.Throws.error()
	} else if r.own = new(xcsh.Output); s.Tool.Result != nil {
		if err := json.Unmarshal(s.Tool.Result, r.own); err != nil {
			w.t.Fatal(err)
		}
	}
	wrapped := hostTool{s.Tool.Name, s.Tool.Label, s.Tool.Description, r.execute}
	wrapped.Execute = xcsh.WrapTool(w.modules, s.Tool.Name, xcsh.OutputShape[wire.Object](), wrapped.Execute)
	ctx, cancel := context.WithCancel(w.t.Context())
	defer cancel()
	if s.AbortBefore {
		cancel()
	}
	var updates []*xcsh.Output
	result, err := wrapped.Execute(
		ctx,
		s.ToolCallID,
		wire.Object(s.Params),
		func(o *xcsh.Output) { updates = append(updates, o) },
	)
	return toolOutcome(s, r, &wrapped, updates, result, err)
}

func toolOutcome(
	s *Step,
	r *toolRun,
	wrapped *hostTool,
	updates []*xcsh.Output,
	result *xcsh.Output,
	err error,
) map[string]any {
	outcome := done(err)
	if err == nil {
		outcome["value"], outcome["sameResultObject"] = result, result == r.own
	} else {
		outcome["sameErrorAsTool"] = r.err != nil && errors.Is(err, r.err) && err.Error() == r.err.Error()
	}
	outcome["executions"] = r.executions
	if len(updates) > 0 {
		outcome["updates"] = updates
	}
	if len(s.WrapperFields) > 0 {
		fields := map[string]any{}
		for _, name := range s.WrapperFields {
			fields[name] = wrapped.field(name)
		}
		outcome["wrapper"] = fields
	}
	return outcome
}

// exec runs a program by the API of a module that has no other purpose.
func (w *runningCase) exec(s *Step) map[string]any {
	var opt struct {
		Timeout float64 `json:"timeout"`
		Cwd     string  `json:"cwd"`
		Abort   any     `json:"abort"`
	}
	var args []string
	if s.Options != nil {
		if err := json.Unmarshal(s.Options, &opt, json.RejectUnknownMembers(true)); err != nil {
			w.t.Fatal(err)
		}
	}
	if s.Args != nil {
		if err := json.Unmarshal(s.Args, &args); err != nil {
			w.t.Fatal(err)
		}
	}
	ctx, cancel := context.WithCancel(w.t.Context())
	defer cancel()
	switch at := opt.Abort.(type) {
	case string:
		cancel()
	case float64:
		defer time.AfterFunc(time.Duration(at)*time.Millisecond, cancel).Stop()
	}
	start := time.Now()
	result, err := w.api(s.Cwd).
		Exec(ctx, s.Command, args, xcsh.ExecOptions{Timeout: time.Duration(opt.Timeout) * time.Millisecond, Dir: opt.Cwd})
	return execOutcome(s, result, err, time.Since(start))
}

func execOutcome(s *Step, result xcsh.ExecResult, err error, took time.Duration) map[string]any {
	if err != nil {
		return done(err)
	}
	value := fromJSON(toJSON(result)).(map[string]any)
	for _, name := range s.Ignore {
		delete(value, name)
	}
	outcome := ok(value)
	if s.MaxMS > 0 && took <= time.Duration(s.MaxMS)*time.Millisecond {
		outcome["withinMs"] = s.MaxMS
	}
	if s.MinMS > 0 && took >= time.Duration(s.MinMS)*time.Millisecond {
		outcome["atLeastMs"] = s.MinMS
	}
	return outcome
}

// api returns the API of a module that was loaded in a directory.
func (w *runningCase) api(dir string) (api *xcsh.API) {
	if dir == "" {
		dir = w.dirs["$PROJ"]
	}
	m := xcsh.New(w.ses, xcsh.Config{Dir: dir})
	w.t.Cleanup(func() { _ = m.Close() })
	if err := m.Add("exec", func(a *xcsh.API) error { api = a; return nil }); err != nil {
		w.t.Fatal(err)
	}
	return api
}
