package state_test

import (
	"context"
	"fmt"
	"log"
	"os"

	"github.com/snaphook-go/snaphook/state"
)

func ExampleOf() {
	home, err := os.MkdirTemp("", "state")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(home)

	ctx := context.Background()
	dir := state.Of(home, "/home/me/project", "s-1") // a hook uses state.Home()
	for range 2 {
		calls, err := dir.Incr(ctx, "calls", 1)
		fmt.Println(calls, err)
	}
	// Output:
	// 1 <nil>
	// 2 <nil>
}
