// Package toml lets events/claude read settings in TOML, which Kimi Code uses: import it for its
// side effect. A host without the profile [claude.Kimi] does not need it, and links no TOML parser.
package toml

import (
	"github.com/snaphook-go/snaphook/events/claude"
	"github.com/snaphook-go/snaphook/internal/tomlform"
)

func init() { claude.UseTOML(tomlform.Convert) }
