package pipeline_test

import (
	"bytes"
	"context"
	"log/slog"
	"strings"
	"testing"

	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/pipeline"
)

func TestDebugIsReadAsTheNpmPackageReadsIt(t *testing.T) {
	for value, want := range map[string]bool{
		"":                              false,
		"1":                             false,
		"llxprt":                        false,
		"llxprt:core:hooks":             false,
		"llxprt:core:hooks:*":           true,
		"llxprt:core:*":                 true,
		"llxprt:*":                      true,
		"*":                             true,
		"*:engine":                      true,
		"llxprt:core:tools:*":           false,
		"other:hooks:*":                 false,
		"express, llxprt:*":             true,
		"express llxprt:*":              true,
		"llxprt:*,-llxprt:core:hooks:*": false,
		"-llxprt:core:hooks:*,*":        false,
		"*,-llxprt:core:tools:*":        true,
		"llxprt.core.hooks.*":           false,
		"llxprt:core:hooks:engine":      true,
		strings.Repeat("*", 50) + ":no": false,
		"llxprt:core:hooks:*,-*" + ":nothing:like": true,
	} {
		if got := pipeline.WantsDebug(value); got != want {
			t.Errorf("DEBUG=%s: got %v; want %v", value, got, want)
		}
	}
}

// With the variable DEBUG the engine logs the input and the answer of each hook, also of Go
// hooks.
func TestTheVariableDebugTurnsTheLogOn(t *testing.T) {
	for _, debug := range []string{"llxprt:core:hooks:*", "express"} {
		t.Setenv("DEBUG", debug)
		var log bytes.Buffer
		sys, s := open(t, pipeline.Config{Log: slog.New(slog.NewTextHandler(&log, nil))}, pipeline.SessionConfig{})
		opened.On(sys, "guard", func(context.Context, call) (hook.Output[edit], error) {
			return hook.Output[edit]{Reason: "because"}, nil
		})
		fire(t, opened, s, call{Tool: "hammer"})
		text := log.String()
		for _, want := range []string{`msg="hook ran"`, "hammer", "because", `msg="hooks merged"`} {
			if strings.Contains(text, want) != (debug != "express") {
				t.Errorf("DEBUG=%s: %s in the log: %v\n%s", debug, want, strings.Contains(text, want), text)
			}
		}
	}
}
