// Event declares its own event and fires it, with hooks in Go and with hooks of a settings file.
// docs/your-own-event.md explains it.
//
//	go run ./examples/event
package main

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"log"

	"github.com/snaphook-go/snaphook/events/llxprt"
	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/pipeline"
	"github.com/snaphook-go/snaphook/settings"
)

// Deploy is the input of the event's hooks: a JSON object for commands, this struct for hooks in
// Go.
type Deploy struct {
	Service  string `json:"service"`
	Replicas int    `json:"replicas"`
}

// Review holds the members that only answers to this event have.
type Review struct {
	Replicas int `json:"replicas,omitzero"` // changes the deploy
	Votes    int `json:"votes,omitzero"`
}

// BeforeDeploy fires before a service is deployed. Matchers test the service.
var BeforeDeploy *pipeline.Event[Deploy, Review] = pipeline.Declare(llxprt.Dialect, pipeline.Spec[Deploy, Review]{
	Name:        "BeforeDeploy",
	Doc:         "before a service is deployed",
	Can:         pipeline.CanBlock | pipeline.CanRewriteInput,
	Subject:     func(d *Deploy) *string { return &d.Service },
	SubjectName: "service",
	Check: func(d Deploy) error {
		if d.Service == "" {
			return errors.New("service: missing; want the name of a service")
		}
		return nil
	},
	Chain: func(d Deploy, o hook.Output[Review]) Deploy {
		if o.Specific.Replicas > 0 {
			d.Replicas = o.Specific.Replicas
		}
		return d
	},
	Reduce: quorum,
})

// quorum adds up the votes of all answers, blocks if there are fewer than two, and keeps the last number
// of replicas. A block of any hook stays a block.
func quorum(outs iter.Seq[hook.Output[Review]]) (all hook.Output[Review]) {
	for o := range outs {
		all.Specific.Votes += o.Specific.Votes
		if o.Specific.Replicas > 0 {
			all.Specific.Replicas = o.Specific.Replicas
		}
		if o.Decision.Blocks() && !all.Decision.Blocks() {
			all.Decision, all.Reason = o.Decision, o.Reason
		}
	}
	if !all.Decision.Blocks() && all.Specific.Votes < 2 {
		all.Decision, all.Reason = hook.Deny, fmt.Sprintf("%d of 2 votes", all.Specific.Votes)
	}
	return all
}

// config is the text of a settings file; a real one is .llxprt/settings.json.
const config = `{
	"tools": {"enableHooks": true},
	"hooks": {"BeforeDeploy": [{
		"matcher": "^shop$",
		"sequential": true,
		"hooks": [
			{"type": "command", "name": "capacity", "command": "echo '{\"hookSpecificOutput\": {\"replicas\": 3}}'"},
			{"type": "command", "name": "on-call", "command": "echo '{\"hookSpecificOutput\": {\"votes\": 1}}'"}
		]
	}]}
}`

func main() {
	ctx := context.Background()
	load := llxprt.Settings{Layers: []settings.Layer{
		{Name: "project", Source: hook.Project, File: "settings.json", Data: []byte(config)},
	}}.Load
	sys := pipeline.NewSystem(pipeline.Config{Load: []pipeline.Load{load}})
	defer sys.Close()
	session, err := sys.NewSession(ctx, pipeline.SessionConfig{ID: "deploy-7"})
	if err != nil {
		log.Fatal(err)
	}

	fire := func() {
		res, err := BeforeDeploy.Fire(ctx, session, &Deploy{Service: "shop", Replicas: 1})
		if err != nil {
			log.Fatal(err) // ctx ended first
		}
		fmt.Printf(
			"blocked %v %q, replicas %d, %d hooks\n",
			res.Blocked(),
			res.Reason,
			res.Specific.Replicas,
			len(res.Reports),
		)
	}
	fire()
	BeforeDeploy.On(session, "release manager", func(_ context.Context, d Deploy) (hook.Output[Review], error) {
		return hook.Output[Review]{Specific: Review{Votes: 1}}, nil
	})
	fire()
}
