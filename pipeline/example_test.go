package pipeline_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/samber/lo"

	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/pipeline"
)

type Deploy struct{ Service, Env string }

// BeforeDeploy fires before a service is deployed.
var BeforeDeploy *pipeline.Event[Deploy, Vote] = pipeline.Declare(dialect, pipeline.Spec[Deploy, Vote]{
	Name:    "BeforeDeploy",
	Can:     pipeline.CanBlock,
	Subject: func(d *Deploy) *string { return &d.Service },
	Reduce:  quorum,
})

func yes(context.Context, Deploy) (hook.Output[Vote], error) {
	return hook.Output[Vote]{Specific: Vote{Yes: 1}}, nil
}

func ExampleEvent_On() {
	sys := pipeline.NewSystem(pipeline.Config{})
	defer sys.Close()
	session, err := sys.NewSession(context.Background(), pipeline.SessionConfig{ID: "1"})
	if err != nil {
		panic(err)
	}
	remove := BeforeDeploy.On(session, "freeze", func(_ context.Context, d Deploy) (hook.Output[Vote], error) {
		fmt.Println("asked about", d.Service)
		return hook.Output[Vote]{Specific: Vote{Yes: 2}}, nil
	})
	_, _ = BeforeDeploy.Fire(context.Background(), session, &Deploy{"shop", "production"})
	remove()
	fmt.Println("active:", BeforeDeploy.Active(session))
	// Output:
	// asked about shop
	// active: false
}

func ExampleEvent_Stream() {
	sys := pipeline.NewSystem(pipeline.Config{})
	defer sys.Close()
	session, err := sys.NewSession(context.Background(), pipeline.SessionConfig{ID: "1"})
	if err != nil {
		panic(err)
	}
	first := make(chan bool)
	BeforeDeploy.On(sys, "slow", func(ctx context.Context, d Deploy) (hook.Output[Vote], error) {
		<-first
		return yes(ctx, d)
	})
	BeforeDeploy.On(sys, "quick", yes)
	for report := range BeforeDeploy.Stream(context.Background(), session, &Deploy{"shop", "production"}) {
		if report.Started {
			fmt.Println(report.Hook.Name, "has started")
			continue
		}
		fmt.Println(report.Hook.Name, "votes", report.Output.Specific.Yes)
		if report.Hook.Name == "quick" {
			close(first)
		}
	}
	// Unordered output:
	// slow has started
	// quick has started
	// quick votes 1
	// slow votes 1
}

// The event BeforeDeploy also has hooks outside the process, which read and write JSON.
func TestACustomEventTakesCommands(t *testing.T) {
	votes := func(_ context.Context, c hook.Call) (hook.Reply, error) {
		if !strings.HasSuffix(string(c.Payload), `"hook_event_name":"BeforeDeploy","Service":"shop","Env":"test"}`) {
			return hook.Reply{Exit: 1, Stderr: c.Payload}, nil
		}
		return hook.Reply{Stdout: []byte(`{"hookSpecificOutput":{"Yes":1}}`)}, nil
	}
	for want, commands := range map[string][]string{"1 of 2 votes": {"a"}, "": {"a", "b", "c"}} {
		var hooks []*hook.Hook
		for _, command := range commands {
			hooks = append(hooks, configured("BeforeDeploy", command, votes))
		}
		_, s := start(t, pipeline.Config{Load: []pipeline.Load{loads(hooks...)}})
		fired, err := BeforeDeploy.FireJSON(t.Context(), s, []byte(`{"Service":"shop","Env":"test"}`))
		if err != nil || fired.Blocked != (want != "") || lo.FromPtr(fired.Reason) != want || len(fired.Hooks) != len(commands) {
			t.Errorf("%d commands: blocked %v, reason %q, %d hooks, err %v; want %q", len(commands), fired.Blocked, lo.FromPtr(fired.Reason), len(fired.Hooks), err, want)
		}
	}
}

func ExampleSystem_SetEnabled() {
	sys := pipeline.NewSystem(pipeline.Config{})
	defer sys.Close()
	session, err := sys.NewSession(context.Background(), pipeline.SessionConfig{ID: "1"})
	if err != nil {
		panic(err)
	}
	BeforeDeploy.On(session, "noisy", yes)
	sys.SetEnabled("noisy", false)
	fmt.Println(BeforeDeploy.Active(session), sys.Disabled()) // a host saves the list for the next start
	sys.SetEnabled("noisy", true)
	fmt.Println(BeforeDeploy.Active(session), sys.Disabled())
	// Output:
	// false [noisy]
	// true []
}
