package llxprt_test

import (
	"context"
	"fmt"

	"github.com/snaphook-go/snaphook/events/llxprt"
	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/pipeline"
	"github.com/snaphook-go/snaphook/settings"
	"github.com/snaphook-go/snaphook/wire"
)

func ExampleSettings() {
	file := settings.Layer{Name: "project", Source: hook.Project, File: "settings.json", Data: []byte(`{
  "tools": {"enableHooks": true},
  "hooks": {
    "BeforeTool": [{
      "matcher": "^write_",
      "hooks": [
        {"type": "command", "command": "./guard.sh", "timeout": 5000},
        {"type": "comand", "command": "./audit.sh"}
      ]
    }]
  }
}`)}
	loaded, _ := llxprt.Settings{Layers: []settings.Layer{file}}.Load(context.Background(), pipeline.Workspace{Dir: "/project"})
	for _, h := range loaded.Hooks {
		fmt.Printf("%v %s %s %v %q\n", h.Position, h.Event, h.Command, h.Timeout, h.Skip)
	}
	for _, problem := range loaded.Problems {
		fmt.Println(problem)
	}
	// Output:
	// settings.json:7:9 BeforeTool ./guard.sh 5s ""
	// settings.json:8:9 BeforeTool ./audit.sh 0s "invalid"
	// settings.json:8:18: there is no hook type "comand"; write "command"
}

func ExampleApplyBeforeTool() {
	ctx := context.Background()
	sys := pipeline.NewSystem(pipeline.Config{})
	defer sys.Close()
	ses, err := sys.NewSession(ctx, pipeline.SessionConfig{ID: "s-1"})
	if err != nil {
		fmt.Println(err)
		return
	}
	llxprt.BeforeTool.On(ses, "stay in the project", func(_ context.Context, call llxprt.BeforeToolInput) (o hook.Output[llxprt.BeforeToolOutput], err error) {
		switch call.Input.Text("path") {
		case "/etc/passwd":
			o.Decision, o.Reason = hook.Deny, "write to the project only"
		default:
			o.Specific.ToolInput = wire.Object(`{"backup":true}`)
		}
		return o, nil
	})

	for _, path := range []string{"/etc/passwd", "notes.txt"} {
		call := llxprt.BeforeToolInput{Name: "write_file", Input: wire.Object(nil).With("path", wire.Quote(path))}
		res, err := llxprt.BeforeTool.Fire(ctx, ses, &call)
		if err != nil {
			fmt.Println(err)
			return
		}
		if v := llxprt.ApplyBeforeTool(&call, res); v.Run {
			fmt.Println("run with", string(v.Input))
		} else {
			fmt.Println("tell the model:", v.Result)
		}
	}
	// Output:
	// tell the model: write to the project only
	// run with {"path":"notes.txt","backup":true}
}
