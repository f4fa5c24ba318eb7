package run_test

import (
	"log"
	"os"

	"github.com/snaphook-go/snaphook/run"
)

// The hook in Python starts once, and then forks for each call.
func ExampleWarm() {
	dir := os.TempDir()

	warm := &run.Warm{}
	defer warm.Close()
	guard := &run.Command{Argv: []string{"python3", "guard.py"}}
	if note := guard.SetWarm(warm, run.WarmAuto, dir); note != "" {
		log.Println("the guard starts cold:", note)
	}
	// Output:
}
