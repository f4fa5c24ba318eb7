package agent

import (
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/snaphook-go/snaphook/events/llxprt"
	"github.com/snaphook-go/snaphook/events/llxprt/genai"
	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/wire"
)

// llxprtRequest takes what hooks say to a request to the model, or answer in its place.
func llxprtRequest(_ *site, sent llxprt.BeforeModelInput, res *hook.Result[llxprt.BeforeModelOutput], p *part) {
	if res.Blocked() {
		p.Decision, p.Reason = hook.Deny, llxprt.EffectiveReason(&res.Output)
	}
	p.Result = response(res.Specific.Response)
	if res.Specific.Request == nil {
		return
	}
	now := sent.Request
	for i := range res.Reports {
		r := &res.Reports[i]
		if patch := r.Output.Specific.Request; patch != nil && r.Err == nil {
			p.rewrites(r.Hook, p.view.patch(patch))
			now = genai.MergeRequest(now, patch)
		}
	}
	p.changes = p.view.whole(now)
}

// llxprtTools takes the tools that hooks choose, in the host's names.
func llxprtTools(at *site, _ llxprt.BeforeModelInput, res *hook.Result[llxprt.BeforeToolSelectionOutput], p *part) {
	config := genai.ToolConfig{}
	if res.Specific.ToolConfig == nil || res.Specific.ToolConfig.Into(&config) != nil {
		return
	}
	for i, name := range config.AllowedFunctionNames {
		config.AllowedFunctionNames[i] = at.hooks.named(at.dialect, name)
	}
	if chosen, err := wire.Of(config); err == nil {
		p.changes = []change{{"toolConfig", jsontext.Value(chosen)}}
	}
}

// response is a model's response that hooks have written; nil if there is none.
func response(o wire.Object) *ToolResult {
	if o == nil || !o.IsObject() {
		return nil
	}
	return &ToolResult{Text: responseText(o), Data: jsontext.Value(o)}
}

// responseText is what the first candidate says.
func responseText(o wire.Object) string {
	var r genai.Response
	if o.Into(&r) != nil || len(r.Candidates) == 0 {
		return o.Text("text")
	}
	var b strings.Builder
	for _, part := range r.Candidates[0].Content.Parts {
		b.WriteString(string(part))
	}
	return b.String()
}
