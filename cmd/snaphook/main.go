// Command snaphook fires hook events from the command line: it runs the hooks
// that a project's settings select, and shows which would run and why others
// would not.
package main

import (
	"os"

	"github.com/snaphook-go/snaphook/cmd/snaphook/command"
)

func main() { os.Exit(command.Main()) }
