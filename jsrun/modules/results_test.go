package modules

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/snaphook-go/snaphook/events/xcsh"
)

// The engine reads every member that a result type has, and reads boolean members as flags.
func TestTheMembersOfAllResultsAreRead(t *testing.T) {
	for _, result := range []reflect.Type{
		reflect.TypeFor[xcsh.BeforeAgentStartResult](), reflect.TypeFor[xcsh.ContextResult](),
		reflect.TypeFor[xcsh.SessionBeforeBranchResult](), reflect.TypeFor[xcsh.SessionBeforeCompactResult](),
		reflect.TypeFor[xcsh.SessionBeforeSwitchResult](), reflect.TypeFor[xcsh.SessionBeforeTreeResult](),
		reflect.TypeFor[xcsh.SessionCompactingResult](), reflect.TypeFor[xcsh.ToolCallResult](),
		reflect.TypeFor[xcsh.ToolResultOverride](),
	} {
		for i := range result.NumField() {
			field := result.Field(i)
			if !field.IsExported() {
				continue
			}
			name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
			of := field.Type
			if of.Kind() == reflect.Pointer {
				of = of.Elem()
			}
			if !slices.Contains(members, name) || slices.Contains(flags, name) != (of.Kind() == reflect.Bool) {
				t.Errorf("%v has %q, a %v: among the members %v, among the flags %v",
					result, name, of, slices.Contains(members, name), slices.Contains(flags, name))
			}
		}
	}
}
