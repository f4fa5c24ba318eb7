package pipeline

import (
	"context"
	"errors"
	"testing"
)

func TestLinkedSettingsAreThoseOfDialectsWithEventsByName(t *testing.T) {
	var read []string
	reader := func(name string) *Dialect {
		return &Dialect{Name: name, Settings: func(context.Context, Workspace) (Loaded, error) {
			read = append(read, name)
			return Loaded{}, errors.New("not read")
		}}
	}
	second, first, none := reader("linked-b"), reader("linked-a"), reader("linked-none")
	for _, d := range []*Dialect{second, first} {
		Declare(d, Spec[struct{ A int }, struct{ B int }]{Name: "E"})
		Declare(d, Spec[struct{ A int }, struct{ B int }]{Name: "F"})
	}
	Declare(&Dialect{Name: "linked-aa"}, Spec[struct{ A int }, struct{ B int }]{Name: "E"})
	for _, load := range LinkedSettings() {
		_, _ = load(t.Context(), Workspace{Dir: t.TempDir()}) // other tests link dialects too
	}
	if len(read) != 2 || read[0] != first.Name || read[1] != second.Name {
		t.Errorf("read %v; want %s before %s, and not %s", read, first.Name, second.Name, none.Name)
	}
}
