package hooktest

import (
	"context"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
	"pgregory.net/rapid"

	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/pipeline"
	"github.com/snaphook-go/snaphook/wire"
)

type deploy struct {
	Version string         `json:"version"`
	Targets []string       `json:"targets"`
	Extra   jsontext.Value `json:",embed"`
}

type vote struct {
	Targets []string       `json:"targets,omitempty"`
	Extra   jsontext.Value `json:",embed"`
}

var ours = &pipeline.Dialect{Name: "hooktest-internal"}

// declare declares an event with a chain.
func declare(name string, chain func(deploy, hook.Output[vote]) deploy) *pipeline.Event[deploy, vote] {
	return pipeline.Declare(ours, pipeline.Spec[deploy, vote]{
		Name: name, Doc: "before a version is deployed", Can: pipeline.CanBlock, Chain: chain,
		Subject: func(d *deploy) *string { return &d.Version }, SubjectName: "version",
	})
}

var (
	pure = declare("Pure", func(d deploy, o hook.Output[vote]) deploy {
		if o.Specific.Targets != nil {
			d.Targets = append(append([]string(nil), d.Targets...), o.Specific.Targets...)
		}
		return d
	})
	unchained = declare("Unchained", nil)
	always    = declare("Always", nil)
	inPlace   = declare("InPlace", func(d deploy, o hook.Output[vote]) deploy {
		if len(d.Targets) > 0 {
			d.Targets[0] += "!"
		}
		return d
	})
	intoAnswer = declare("IntoAnswer", func(d deploy, o hook.Output[vote]) deploy {
		if len(o.Specific.Targets) > 0 {
			o.Specific.Targets[0] = d.Version + "!"
		}
		return d
	})
	appending = declare("Appending", func(d deploy, o hook.Output[vote]) deploy {
		d.Targets = append(d.Targets, o.Specific.Targets...)
		return d
	})
	chained  int
	counting = declare("Counting", func(d deploy, o hook.Output[vote]) deploy {
		chained++
		d.Targets = make([]string, chained%5)
		return d
	})
)

// preparing allocates a copy of the input for hooks, even if there is no hook.
type preparing struct {
	*pipeline.Event[deploy, vote]
}

func (p preparing) Fire(ctx context.Context, s *pipeline.Session, in *deploy) (*hook.Result[vote], error) {
	prepared = &deploy{Version: in.Version, Targets: []string{in.Version}}
	return p.Event.Fire(ctx, s, prepared)
}

var prepared *deploy

// slow is an event that looks up a name before each fire.
type slow struct {
	*pipeline.Event[deploy, vote]
	names map[string]int
}

func (p slow) Fire(ctx context.Context, s *pipeline.Session, in *deploy) (*hook.Result[vote], error) {
	if p.names[in.Version] > 0 {
		return nil, nil
	}
	return p.Event.Fire(ctx, s, in)
}

func TestIdle(t *testing.T) {
	in := deploy{Version: "1.4.0"}
	Idle(t, pure, in)
	wantFailure(t, "allocates", func(t testing.TB) { Idle(t, preparing{pure}, in) })
	if !raceEnabled {
		wantFailure(t, "of a look-up in a map", func(t testing.TB) {
			Idle(t, slow{pure, map[string]int{"a": 1, "b": 1, "c": 1, "d": 1, "e": 1, "f": 1, "g": 1, "h": 1, "i": 1}}, in)
		})
	}
}

func TestIdleNeedsAnIdleEvent(t *testing.T) {
	defer always.On(scopeOfAll{t}.system(), "x", allow[deploy, vote])()
	Idle(t, always, deploy{}) // Idle makes its own system
}

type scopeOfAll struct{ testing.TB }

func (s scopeOfAll) system() *pipeline.System {
	sys := pipeline.NewSystem(pipeline.Config{})
	s.Cleanup(func() { sys.Close() })
	return sys
}

func TestChain(t *testing.T) {
	Chain(t, pure, nil, nil)
	Chain(t, unchained, nil, nil)
	for name, tt := range map[string]struct {
		event *pipeline.Event[deploy, vote]
		want  string
	}{
		"changes the caller's input": {inPlace, "input was written to"},
		"changes the answer":         {intoAnswer, "answer was written to"},
		"appends to a shared slice":  {appending, "input was written to"},
		"counts its calls":           {counting, "have different next inputs"},
	} {
		t.Run(name, func(t *testing.T) {
			wantFailure(t, tt.want, func(t testing.TB) { Chain(t, tt.event, nil, nil) })
		})
	}
}

type call struct{ Input wire.Object }

var picky = pipeline.Declare(ours, pipeline.Spec[call, vote]{Name: "Picky"})

// Chain fails for an event that accepts no input: nothing has been checked.
func TestChainSaysWhenNothingWasChecked(t *testing.T) {
	wantFailure(t, "refuses all", func(t testing.TB) { Chain(t, picky, rapid.Just(call{wire.Object("no JSON")}), nil) })
}

func TestCodec(t *testing.T) {
	Codec(t, pure)
	for name, tt := range map[string]struct {
		codec func(testing.TB)
		want  string
	}{
		"numbers lose digits":        {codecOf[rounding], "cannot be read"},
		"unknown members are lost":   {codecOf[struct{ A string }], "changes on its way"},
		"what is written is unread":  {codecOf[unreadable], "cannot be read"},
		"what is there is unwritten": {codecOf[unwritable], "does not encode"},
		"a member is left out":       {codecOf[forgetful], "changes on its way"},
	} {
		t.Run(name, func(t *testing.T) { wantFailure(t, tt.want, tt.codec) })
	}
	type plain struct{ A string }
	if got := failures(t, func(t testing.TB) { roundTrip[plain](t, "input", map[exception]bool{dropsUnknown: true}) }); got != "" {
		t.Error(got)
	}
}

func codecOf[T any](t testing.TB) { roundTrip[T](t, "input", nil) }

type rounding struct {
	Extra map[string]any `json:",embed"`
}

type unreadable struct {
	A int `json:"a"`
}

func (*unreadable) UnmarshalJSON([]byte) error { return context.Canceled }

type unwritable struct {
	A int `json:"a"`
}

func (unwritable) MarshalJSON() ([]byte, error) { return nil, context.Canceled }

// forgetful decodes all members but Text into its field Text, and loses the member Text.
type forgetful struct{ Text wire.Object }

func (f *forgetful) UnmarshalJSON(text []byte) error {
	f.Text = wire.Object(text).Without("Text")
	return nil
}
