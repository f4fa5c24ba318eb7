// Dialect is a program that defines its own hook system: its settings file and the form of its
// entries, its exit statuses, its answers, the members of its inputs. docs/your-own-dialect.md
// explains it.
//
//	cd examples/dialect && go run .
package main

import (
	"context"
	"fmt"
	"log"

	"github.com/snaphook-go/snaphook/pipeline"
)

func main() {
	ctx := context.Background()
	sys := pipeline.NewSystem(pipeline.Config{Load: []pipeline.Load{Load}})
	defer sys.Close()
	session, err := sys.NewSession(ctx, pipeline.SessionConfig{ID: "s-1", Dir: "."})
	if err != nil {
		log.Fatal(err)
	}
	for _, p := range session.Problems() {
		fmt.Printf("problem: line %d: %s\n", p.Position.Line, p.Message)
	}
	for _, in := range []Run{
		{Tool: "shell", Args: []string{"ls"}},
		{Tool: "shell", Args: []string{"rm", "-rf", "/"}},
		{Tool: "shell", Args: []string{"shutdown"}},
		{Tool: "editor"},
	} {
		res, err := BeforeRun.Fire(ctx, session, &in)
		if err != nil {
			log.Fatal(err) // ctx ended first
		}
		fmt.Printf("%s %q: blocked %v, stop %v, reason %q\n", in.Tool, in.Args, res.Blocked(), res.Stop, res.Reason)
	}
}
