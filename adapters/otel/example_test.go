package otelhook_test

import (
	"fmt"

	"github.com/snaphook-go/snaphook"
	"github.com/snaphook-go/snaphook/adapters/otel"
	"github.com/snaphook-go/snaphook/pipeline"
)

// Each fire becomes a span, with the providers of package otel.
func Example() {
	o, err := otelhook.New(otelhook.Config{})
	if err != nil {
		panic(err)
	}
	hooks, err := snaphook.Open(snaphook.Config{Observe: []pipeline.Observer{o}})
	if err != nil {
		panic(err)
	}
	defer hooks.Close()
	fmt.Println(hooks != nil)
	// Output: true
}
