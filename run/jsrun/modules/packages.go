package modules

import _ "embed" // the text of packages

//go:embed package.js
var packageJS string

// Packages are the modules with a bare name that can be imported, and their
// texts: the packages of the agents whose hook modules run here. They have the
// functions that tell tools apart; what else is imported from them has to be
// types alone.
func Packages() map[string]string {
	all := map[string]string{}
	for _, name := range []string{
		"@f5xc-salesdemos/xcsh",
		"@oh-my-pi/pi-coding-agent",
		"@mariozechner/pi-coding-agent",
		"@earendil-works/pi-coding-agent",
	} {
		all[name], all[name+"/hooks"] = packageJS, packageJS
	}
	return all
}
