// Package llxprtcases loads the language-neutral conformance cases of the LLxprt dialect, sets
// each up in a project of its own, and judges the result of an engine. It depends on no engine:
// the Go API and the command line are judged by the same cases through two implementations of
// [Engine].
//
// conformance/llxprt/FORMAT.md is the contract of the package.
package llxprtcases

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// Case is one case in the form of FORMAT.md, with the defaults filled in. The cases that [Load] returns still have
// their tokens; in a [Prepared] case the tokens are expanded.
//
// A jsontext.Value is the text of the case file: it keeps the order of members and the spelling of
// numbers, which a hook must receive unchanged.
type Case struct {
	Theme string `json:"-"` // the theme of the file
	File  string `json:"-"` // the path of the file

	Name     string            `json:"name"`
	Basis    string            `json:"basis"`    // spec, upstream, decided or advisory
	Rules    []string          `json:"rules"`    // rules of docs/spec/llxprt.md
	Older    []string          `json:"seed_ref"` // in place of Rules in cases that are older than the rules' numbers
	Note     string            `json:"note"`
	Diverges map[string]string `json:"diverges"` // other engines that fail the case, and why
	Slow     bool              `json:"slow"`     // takes seconds; go test -short leaves it out

	Kind string           `json:"kind"` // "translator", or empty for an event
	Fn   string           `json:"fn"`   // the function that a translator case calls
	Args []jsontext.Value `json:"args"` // the arguments of the function Fn

	Settings       jsontext.Value     `json:"settings"` // the merged settings; their values may have any type
	Extensions     []Extension        `json:"extensions"`
	Trusted        bool               `json:"trusted"` // default true
	Env            map[string]*string `json:"env"`     // nil unsets a variable; see Prepared.Environ
	Cwd            string             `json:"cwd"`     // the default is the project directory
	ProjectDirName string             `json:"projectDirName"`
	SessionID      string             `json:"sessionId"`
	TranscriptPath string             `json:"transcriptPath"`
	Scripts        map[string]string  `json:"scripts"` // written with mode 0755
	Files          map[string]string  `json:"files"`   // written with mode 0644

	Event  string         `json:"event"`
	Input  jsontext.Value `json:"input"` // the event's own fields, without the base fields
	Via    string         `json:"via"`   // "bus", or empty to call the event
	Bus    *Bus           `json:"bus"`
	Target Target         `json:"target"`

	Steps  []Step         `json:"steps"`
	Expect map[string]any `json:"expect"` // empty when there are steps

	text jsontext.Value // the case's text in the file
}

// Extension is an extension that contributes hooks; the case gives their order.
type Extension struct {
	Name     string         `json:"name"`
	IsActive bool           `json:"isActive"`
	Hooks    jsontext.Value `json:"hooks"` // of any type
}

// Bus holds the message to publish, verbatim.
type Bus struct {
	Message jsontext.Value `json:"message"`
}

// Target holds the arguments of two output helpers, in the shapes of the GenAI SDK; nil where the
// case has none.
type Target struct {
	LLMRequest    jsontext.Value `json:"llmRequest"`    // for applyLLMRequestModifications
	ToolSelection jsontext.Value `json:"toolSelection"` // for applyToolConfigModifications
}

// Step is one of several actions on the same engine: each field that is set is an action, and they
// run in the order of the fields.
type Step struct {
	SetHookEnabled *SetHookEnabled `json:"setHookEnabled"`
	Settings       jsontext.Value  `json:"settings"` // the settings from this step on
	Reinitialize   bool            `json:"reinitialize"`
	ResetTrace     bool            `json:"resetTrace"`
	Fire           *Fire           `json:"fire"`
	Expect         map[string]any  `json:"expect"`
}

// SetHookEnabled switches a hook on or off. The hook is found by its name or its command.
type SetHookEnabled struct {
	Hook    string `json:"hook"`
	Enabled bool   `json:"enabled"`
}

// Fire fires an event; its zero fields default to the case's values.
type Fire struct {
	Event string         `json:"event"`
	Input jsontext.Value `json:"input"`
}

// parse reads one case. An unknown key is an error: otherwise an expectation that is not read would pass.
func parse(text jsontext.Value) (Case, error) {
	c := Case{
		Trusted:        true,
		Cwd:            "@PROJECT@",
		ProjectDirName: "p",
		SessionID:      "session-0001",
		text:           text,
	}
	if err := json.Unmarshal(text, &c, json.RejectUnknownMembers(true)); err != nil {
		return c, err
	}
	if c.Basis == "seed" { // used before the rules had numbers
		c.Basis = "spec"
	}
	return c, c.check()
}

var bases = []string{"spec", "upstream", "decided", "advisory"}

func (c *Case) check() error {
	switch {
	case c.Name == "":
		return errors.New(`name is missing: give one that is unique in the file`)
	case !slices.Contains(bases, c.Basis):
		return fmt.Errorf("basis is %q: write one of %q", c.Basis, bases)
	case !filepath.IsLocal(c.ProjectDirName) || filepath.Base(c.ProjectDirName) != c.ProjectDirName || c.ProjectDirName == ".":
		return fmt.Errorf("projectDirName is %q: write one path element", c.ProjectDirName)
	case c.Kind == "translator":
		return c.checkTranslator()
	case c.Kind != "":
		return fmt.Errorf(`kind is %q: write "translator", or leave it out`, c.Kind)
	}
	return c.checkEvent()
}

func (c *Case) checkTranslator() error {
	_, wanted := c.Expect["result"]
	switch {
	case c.Fn == "":
		return errors.New("fn is missing: name the function to call")
	case !wanted || len(c.Expect) > 1:
		return errors.New("expect must hold result and nothing else: a translator has nothing else to show")
	case c.Event != "" || c.Steps != nil || c.Via != "":
		return errors.New("event, steps and via have no meaning in a translator case: leave them out")
	}
	return nil
}

func (c *Case) checkEvent() error {
	switch {
	case c.Event == "":
		return errors.New("event is missing: name the event to fire")
	case c.Fn != "" || c.Args != nil:
		return errors.New(`fn and args need "kind": "translator"`)
	case c.Via != "" && c.Via != "bus":
		return fmt.Errorf(`via is %q: write "bus", or leave it out`, c.Via)
	case (c.Via == "bus") != (c.Bus != nil && c.Bus.Message != nil):
		return errors.New(`"via": "bus" and bus.message need each other`)
	case c.Expect != nil && c.Steps != nil:
		return errors.New("expect and steps exclude each other: put expect into the steps")
	}
	return c.checkExpectations()
}

func (c *Case) checkExpectations() error {
	expected := 0
	for i, s := range c.steps() {
		if s.Expect != nil && s.Fire == nil {
			return fmt.Errorf("step %d expects something but fires nothing: give it a fire", i+1)
		}
		if _, ok := s.Expect["result"]; ok {
			return errors.New(`expect.result needs "kind": "translator"`)
		}
		expected += len(s.Expect)
	}
	if expected == 0 {
		return errors.New("nothing is expected, so that it could not fail: give it an expect")
	}
	return nil
}

// steps returns the actions of an event case, at least one.
func (c *Case) steps() []Step {
	if c.Steps != nil {
		return c.Steps
	}
	return []Step{{Fire: &Fire{}, Expect: c.Expect}}
}
