package pipeline_test

import (
	"strings"
	"testing"

	"github.com/snaphook-go/snaphook/pipeline"
)

func TestDeclareRefusesASubjectOutsideTheInput(t *testing.T) {
	type small struct{ N int }
	elsewhere := "x"
	for name, declare := range map[string]func(){
		"another variable": func() {
			pipeline.Declare(dialect, pipeline.Spec[call, edit]{Name: "Elsewhere", Subject: func(*call) *string { return &elsewhere }})
		},
		"nothing": func() {
			pipeline.Declare(dialect, pipeline.Spec[call, edit]{Name: "Nowhere", Subject: func(*call) *string { return nil }})
		},
		"no room for a string": func() {
			pipeline.Declare(dialect, pipeline.Spec[small, edit]{Name: "Small", Subject: func(*small) *string { return &elsewhere }})
		},
	} {
		t.Run(name, func(t *testing.T) {
			defer func() {
				if got, ok := recover().(string); !ok || !strings.Contains(got, "does not point at a field of its input") {
					t.Errorf("panic %q; want one that says what is wrong", got)
				}
			}()
			declare()
		})
	}
}
