// Command snaphook fires hook events from the command line: it runs the hooks
// that a project's settings select, and shows which hooks would run and why
// other hooks would not.
package main

import (
	"os"

	"github.com/snaphook-go/snaphook/cmd/snaphook/command"
)

func main() { os.Exit(command.Main()) }
