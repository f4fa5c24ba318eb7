package llxprt

import (
	"iter"
	"slices"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/samber/lo"

	"github.com/snaphook-go/snaphook/events/llxprt/genai"
	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/reducers"
	"github.com/snaphook-go/snaphook/wire"
)

// BeforeToolSelectionOutput is the answer of a BeforeToolSelection hook in addition to the common
// fields (L46): a ToolConfig of rule L58.
type BeforeToolSelectionOutput struct {
	HookEventName string         `json:"hookEventName,omitempty"`
	ToolConfig    wire.Object    `json:"toolConfig,omitzero"`
	Extra         jsontext.Value `json:",embed"`

	said wire.Object // members of ToolConfig that hooks set explicitly; nil if none
}

// uniteTools allows every tool that any hook allows. It uses the most restrictive of the modes, and NONE allows no tool
// at all (L40). A hook without a toolConfig changes nothing. Names are sorted, so that the request does not depend on
// the order of hooks. Denials have no effect here (L54); the other common fields are merged as in BlockWins.
func uniteTools(outs iter.Seq[hook.Output[BeforeToolSelectionOutput]]) hook.Output[BeforeToolSelectionOutput] {
	answers := slices.Collect(outs)
	all := reducers.BlockWins(addToolChoice)(slices.Values(answers))
	all.Decision = ""

	said := chosen{mode: "AUTO", allowed: []string{}}
	for _, o := range answers {
		said.add(o.Specific.ToolConfig)
	}
	all.Specific.HookEventName, all.Specific.ToolConfig = "BeforeToolSelection", said.config()
	all.Specific.said = said.spelledOut()
	return all
}

// chosen is the merged choice of several hooks.
type chosen struct {
	mode             string
	allowed          []string
	hasMode, hasList bool // a hook has set a mode; a hook has set names
}

func (c *chosen) add(config wire.Object) {
	mode := config.Text("mode")
	c.mode = stricter(c.mode, mode)
	c.hasMode = c.hasMode || slices.Contains(modes, mode)
	if list := config.Get("allowedFunctionNames"); list.Kind() == '[' {
		c.hasList = true
		c.allowed = append(c.allowed, lo.Compact(texts(list))...) // no tool has an empty name
	}
}

// names returns a new slice of the allowed names, sorted, each once; none in mode NONE.
func (c *chosen) names() []string {
	if c.mode == "NONE" {
		return []string{}
	}
	names := slices.Clone(c.allowed) // Compact clears the end of its argument, and names is called twice
	slices.Sort(names)
	return slices.Compact(names)
}

func (c *chosen) config() wire.Object {
	config, _ := wire.Of(genai.ToolConfig{Mode: c.mode, AllowedFunctionNames: c.names()})
	return config
}

// spelledOut returns the members that hooks set explicitly; for the others the host's values apply.
func (c *chosen) spelledOut() (said wire.Object) {
	if c.hasMode {
		said = said.With("mode", wire.Quote(c.mode))
	}
	if c.hasList || c.mode == "NONE" {
		said = said.With("allowedFunctionNames", c.config().Get("allowedFunctionNames"))
	}
	return said
}

// ApplyTo returns an SDK request's toolConfig and tools with the choice of the hooks (applyToolConfigModifications in
// the original). Members that no hook set stay: if hooks set only a mode, the request's names stay; if hooks set only
// names, the request's mode stays, or is AUTO if the request has none.
func (c *BeforeToolSelectionOutput) ApplyTo(target wire.Object) wire.Object {
	said := c.said
	if said == nil {
		return target
	}
	if said.Get("mode") == nil && genai.RequestToolConfig(target).Get("mode") == nil {
		said = said.With("mode", wire.Quote("AUTO"))
	}
	return genai.ApplyToolConfig(said, target)
}

func addToolChoice(all *BeforeToolSelectionOutput, one BeforeToolSelectionOutput) {
	merge(&all.Extra, one.Extra)
	dropMistyped(&all.Extra, "hookEventName", true)
	dropMistyped(&all.Extra, "toolConfig", true)
}

// modes lists the words of rule L58, the most restrictive first.
var modes = []string{"NONE", "ANY", "AUTO"}

// stricter returns the more restrictive of two modes; unknown words are treated as AUTO (L40).
func stricter(a, b string) string {
	for _, mode := range modes {
		if a == mode || b == mode {
			return mode
		}
	}
	return "AUTO"
}

// texts returns the strings in a JSON array.
func texts(array jsontext.Value) (list []string) {
	var values []jsontext.Value
	if json.Unmarshal(array, &values) != nil {
		return nil
	}
	return lo.FilterMap(values, func(v jsontext.Value, _ int) (string, bool) { return wire.Text(v) })
}
