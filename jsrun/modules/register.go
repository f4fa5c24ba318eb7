package modules

import (
	"os"

	"github.com/snaphook-go/snaphook/events/xcsh"
	"github.com/snaphook-go/snaphook/jsrun"
)

// A program that imports this package, if only for this side effect, runs modules that are found in
// a project or in a user's directory, like package snaphook. Such a module may run programs and
// read the environment, like any other hook of that user.
func init() {
	xcsh.RegisterLoader(&Loader{Options: jsrun.Options{Environ: os.Environ()}, Exec: (*xcsh.API).Exec})
}
