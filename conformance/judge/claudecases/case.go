// Package claudecases loads the language-neutral conformance cases of the Claude dialect, sets each
// up in a project of its own with a scripted server, model and user, and judges the result of an
// engine. It depends on no engine: the Go API and the command line are judged by the same cases
// through two implementations of [Engine].
//
// conformance/claude/FORMAT.md is the contract of the package.
package claudecases

import (
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// Case is one case in the form of FORMAT.md. The cases that [Load] returns still have their placeholders; in a
// [Prepared] case the placeholders are replaced.
//
// A jsontext.Value is the text of the case file: it keeps the order of members and the spelling of
// numbers, which an engine must receive unchanged.
type Case struct {
	File string `json:"-"` // the path of the file

	Name  string   `json:"name"`
	Group string   `json:"group"`
	Tier  int      `json:"tier"` // 1 is the core set
	Basis []string `json:"basis"`
	Rules []string `json:"rules"`    // rules of docs/spec/claude.md
	Older *string  `json:"seed_ref"` // in place of Rules in a case that is older than the rules' numbers
	Note  string   `json:"note"`

	Settings    jsontext.Value            `json:"settings"` // settings of the project, of any type; nil if there are layers
	Layers      map[string]jsontext.Value `json:"layers"`   // in place of Settings; see [Prepared.LayerFiles]
	Plugins     []Plugin                  `json:"plugins"`
	Env         map[string]string         `json:"env"` // added to the engine's environment; see [Prepared.Environ]
	Host        Host                      `json:"host"`
	HTTP        map[string]Answer         `json:"http"`         // answers of the scripted server, by path
	LLM         []Reply                   `json:"llm"`          // replies of the model; see [LLM]
	UserSelects []string                  `json:"user_selects"` // nil: the host has no handler of prompt requests; see [User]
	Scripts     map[string]string         `json:"scripts"`      // written with mode 0755

	Event  string         `json:"event"`
	Input  jsontext.Value `json:"input"` // members that are added to the base fields, or override them
	Expect Expect         `json:"expect"`
	Then   []Step         `json:"then"` // further steps on the same engine

	Variants map[string]jsontext.Value `json:"variants"` // keys that replace keys of the case, by level

	text jsontext.Value // the case's text in the file
}

// Host holds the facts that the host of the engine knows.
type Host struct {
	Interactive bool `json:"interactive"`
	Trusted     bool `json:"trusted"` // default true
}

// Plugin is one installed plugin.
type Plugin struct {
	Name        string         `json:"name"`
	Marketplace string         `json:"marketplace"` // may be empty
	Root        string         `json:"root"`        // its directory, which may not exist
	Hooks       jsontext.Value `json:"hooks"`       // the content of its hooks/hooks.json
	Options     map[string]any `json:"options"`     // the values of its user_config
}

// Step is one action on an engine: a fire, unless Action says otherwise.
type Step struct {
	Action   string         `json:"action"`   // [writeSettings], [refreshSnapshot], or empty
	Settings jsontext.Value `json:"settings"` // to write
	Event    string         `json:"event"`
	Input    jsontext.Value `json:"input"`
	Expect   Expect         `json:"expect"`
}

const (
	writeSettings   = "write_settings"   // change the project's file without telling the engine
	refreshSnapshot = "refresh_snapshot" // reload the settings, as if the host had requested it
)

// parse reads one case. An unknown key is an error: otherwise an expectation that is not read would pass.
func parse(text jsontext.Value) (Case, error) {
	c := Case{Host: Host{Trusted: true}, text: text}
	if err := json.Unmarshal(text, &c, json.RejectUnknownMembers(true)); err != nil {
		return c, err
	}
	return c, c.check()
}

// layers lists the layers that settings may have, by precedence.
var layers = []string{"managed", "flag", "local", "project", "user"}

func (c *Case) check() error {
	switch {
	case c.Name == "":
		return errors.New("name is missing: give one that is unique in the directory")
	case c.Group == "":
		return errors.New("group is missing: name the part of the dialect that the case is about")
	case c.Tier != 1 && c.Tier != 2:
		return fmt.Errorf("tier is %d: write 1 for the core set, 2 for the rest", c.Tier)
	case len(c.Basis) == 0:
		return errors.New("basis is missing: name the source that demands this result")
	case (c.Settings == nil) == (c.Layers == nil):
		return errors.New("settings and layers exclude each other: write one of them")
	}
	for _, layer := range slices.Sorted(maps.Keys(c.Layers)) {
		if !slices.Contains(layers, layer) {
			return fmt.Errorf("layers has %q: write some of %q", layer, layers)
		}
	}
	return errors.Join(c.checkScripted(), c.checkSteps())
}

func (c *Case) checkScripted() error {
	for _, path := range slices.Sorted(maps.Keys(c.HTTP)) {
		if err := c.HTTP[path].check(path); err != nil {
			return fmt.Errorf("http: %w", err)
		}
	}
	for i, reply := range c.LLM {
		if (reply.Reply == nil) == (reply.Error == nil) {
			return fmt.Errorf("llm: item %d: write either reply or error", i+1)
		}
	}
	for i, p := range c.Plugins {
		if p.Name == "" || p.Root == "" || p.Hooks == nil {
			return fmt.Errorf("plugins: item %d: write name, root and hooks", i+1)
		}
	}
	return nil
}

func (c *Case) checkSteps() error {
	for i, s := range c.steps() {
		if err := s.check(); err != nil {
			if i > 0 {
				return fmt.Errorf("then: item %d: %w", i, err)
			}
			return err
		}
	}
	return nil
}

// levels returns the names of the variants.
func (c *Case) levels() []string { return slices.Sorted(maps.Keys(c.Variants)) }

// steps returns all actions of the case, of which there is at least one.
func (c *Case) steps() []Step {
	return append([]Step{{Event: c.Event, Input: c.Input, Expect: c.Expect}}, c.Then...)
}

func (s Step) check() error {
	switch s.Action {
	case "":
		return s.checkFire()
	case writeSettings, refreshSnapshot:
		if s.Event != "" || s.Input != nil || s.Expect != nil {
			return fmt.Errorf("%s fires nothing: leave event, input and expect out", s.Action)
		}
		if (s.Action == writeSettings) != (s.Settings != nil) {
			return fmt.Errorf("%s and settings need each other", writeSettings)
		}
		return nil
	}
	return fmt.Errorf("action is %q: write %s, %s, or an event instead", s.Action, writeSettings, refreshSnapshot)
}

func (s Step) checkFire() error {
	switch {
	case s.Event == "":
		return errors.New("event is missing: name the event to fire")
	case s.Settings != nil:
		return fmt.Errorf("settings need the action %s", writeSettings)
	case s.Input != nil && s.Input.Kind() != '{':
		return fmt.Errorf("input is %s: write an object", s.Input)
	case len(s.Expect) == 0:
		return errNothing
	}
	return nil
}
