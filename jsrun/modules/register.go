package modules

import (
	"os"

	"github.com/snaphook-go/snaphook/events/xcsh"
	"github.com/snaphook-go/snaphook/jsrun"
)

// A program that imports this package, even if it uses no name of it, runs modules that are found in a project or in a
// user's directory, as package snaphook does. Such a module may run programs and read the environment, like any other
// hook of that user.
func init() {
	xcsh.RegisterLoader(&Loader{Options: jsrun.Options{Environ: os.Environ()}, Exec: (*xcsh.API).Exec})
}
