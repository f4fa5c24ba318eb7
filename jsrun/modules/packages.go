package modules

import _ "embed" // the texts of packages

var (
	//go:embed package.js
	packageJS string
	//go:embed tui.js
	tuiJS string
	//go:embed typebox.js
	typeboxJS string
)

// Packages are the modules with a bare name that can be imported, and their
// texts: the packages of the agents whose hook modules run here. They have the
// functions that tell tools apart, the components that are text, and what schemas
// of tools are written with; what else is imported from them has to be types
// alone.
func Packages() map[string]string {
	all := map[string]string{}
	for _, agent := range []string{
		"@f5xc-salesdemos/xcsh",
		"@f5-sales-demo/xcsh",
		"@oh-my-pi/pi-coding-agent",
		"@mariozechner/pi-coding-agent",
		"@earendil-works/pi-coding-agent",
	} {
		for _, part := range []string{"", "/hooks", "/extensibility/hooks", "/extensions", "/extensibility/extensions"} {
			all[agent+part] = packageJS
		}
	}
	for _, scope := range scopes() {
		all[scope+"pi-tui"] = tuiJS
		all[scope+"pi-ai"] = "export const { StringEnum, Type } = " + typeboxJS
	}
	all["@sinclair/typebox"] = "export const { Type } = " + typeboxJS
	return all
}

// scopes are those of the agents' packages.
func scopes() []string {
	return []string{"@f5xc-salesdemos/", "@f5-sales-demo/", "@oh-my-pi/", "@mariozechner/", "@earendil-works/"}
}
