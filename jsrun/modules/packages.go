package modules

import (
	_ "embed" // the texts of packages
	"strconv"
	"strings"
)

var (
	//go:embed package.js
	packageJS string
	//go:embed tui.js
	tuiJS string
	//go:embed typebox.js
	typeboxJS string
)

// Packages returns the texts of the modules with a bare name that can be imported: the packages
// of the agents whose hook modules run here. The texts export the functions that tell tools apart, the
// components that are text, and the builders of tool schemas; all other imports from these packages
// must be types.
func Packages() map[string]string {
	all := map[string]string{}
	for agent, dir := range map[string]string{ // from an agent's package to the agent's directory in the home directory
		"@f5xc-salesdemos/xcsh":           ".xcsh",
		"@f5-sales-demo/xcsh":             ".xcsh",
		"@oh-my-pi/pi-coding-agent":       ".omp",
		"@mariozechner/pi-coding-agent":   ".pi",
		"@earendil-works/pi-coding-agent": ".pi",
	} {
		text := strings.ReplaceAll(packageJS, "OWN_DIR", strconv.Quote(dir))
		for _, part := range []string{"", "/hooks", "/extensibility/hooks", "/extensions", "/extensibility/extensions"} {
			all[agent+part] = text
		}
	}
	for _, scope := range scopes() {
		all[scope+"pi-tui"] = tuiJS
		all[scope+"pi-ai"] = "export const { StringEnum, Type } = " + typeboxJS
	}
	all["@sinclair/typebox"] = "export const { Type } = " + typeboxJS
	all["typebox"] = all["@sinclair/typebox"] + "\nexport default Type"
	return all
}

// scopes lists the scopes of the agents' packages.
func scopes() []string {
	return []string{"@f5xc-salesdemos/", "@f5-sales-demo/", "@oh-my-pi/", "@mariozechner/", "@earendil-works/"}
}
