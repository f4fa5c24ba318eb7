package main

import (
	"context"
	"fmt"
	"path/filepath"
	"time"

	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/pipeline"
	"github.com/snaphook-go/snaphook/run"
	"github.com/snaphook-go/snaphook/settings"
)

// Load reads .acme/hooks.json, a list of entries such as
//
//	{"on": "before_run", "tool": "shell", "do": "./guard.sh", "timeout": 5}
//
// It is a [pipeline.Load]. An entry that cannot be used is a problem with its position, and does
// not affect the others.
func Load(_ context.Context, at pipeline.Workspace) (loaded pipeline.Loaded, err error) {
	layer := settings.Layer{Name: "project", Source: hook.Project, File: filepath.Join(at.Dir, ".acme", "hooks.json")}
	root, found, err := layer.Read()
	if err != nil || !found {
		return loaded, err
	}
	loaded.Files = []string{layer.File}
	if root.Kind() != '[' {
		loaded.Problems = append(loaded.Problems, root.Want("a list of hooks"))
	}
	for i, entry := range root.Elements() {
		h, wrong := read(i, entry)
		if wrong != nil {
			loaded.Problems = append(loaded.Problems, *wrong)
			continue
		}
		if at.Untrusted {
			h.Skip, h.SkipDetail = hook.Untrusted, "the project is not trusted"
		}
		loaded.Hooks = append(loaded.Hooks, h)
	}
	return loaded, nil
}

// read returns the hook of an entry.
func read(i int, entry settings.Value) (*hook.Hook, *settings.Problem) {
	event, _ := entry.Get("on").Text()
	if event != BeforeRun.Info().Name {
		p := entry.Wrong("there is no event %q; write \"on\": \"before_run\"", event)
		return nil, &p
	}
	script, ok := entry.Get("do").Text()
	if !ok || script == "" {
		p := entry.Wrong("the entry has nothing to do; add \"do\": \"./script.sh\"")
		return nil, &p
	}
	pattern, limit := entry.Get("tool"), entry.Get("timeout")
	tool, isText := pattern.Text()
	seconds, isNumber := limit.Number()
	switch {
	case pattern.Exists() && !isText:
		p := pattern.Want("the name of a tool")
		return nil, &p
	case limit.Exists() && (!isNumber || seconds <= 0):
		p := limit.Want("a number of seconds")
		return nil, &p
	}
	matcher, _ := Acme.Rules.Match(tool)
	return &hook.Hook{
		Identity: hook.Identity{
			ID:      fmt.Sprintf("project/%s/%d", event, i),
			Dialect: Acme.Name, Event: event, Type: "command", Command: script,
			Source: hook.Project, Position: entry.Position(),
		},
		Selection: hook.Selection{
			Pattern: tool, Matcher: matcher,
			Key: script, // the same script runs once for each event
		},
		Execution: hook.Execution{Timeout: time.Duration(seconds * float64(Acme.Unit))},
		Runner:    &run.Command{Argv: run.Shell(script)},
	}, nil
}
