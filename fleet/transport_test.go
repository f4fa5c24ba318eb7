package fleet

import (
	"errors"
	"testing"

	"github.com/nats-io/nats.go"

	"github.com/snaphook-go/snaphook/bus"
	"github.com/snaphook-go/snaphook/internal/transporttest"
	"github.com/snaphook-go/snaphook/wire"
)

func TestNATSIsATransport(t *testing.T) {
	url := startServer(t)
	transporttest.Test(t, func(t *testing.T) bus.Transport {
		tr, err := NewTransport(connect(t, url), "llxprt", ServeOptions{Log: quiet})
		if err != nil {
			t.Fatal(err)
		}
		return tr
	})
}

func TestAQuestionWithoutAWorkerFailsAtOnce(t *testing.T) {
	tr, err := NewTransport(connect(t, startServer(t)), "llxprt", ServeOptions{})
	if err != nil {
		t.Fatal(err)
	}
	_, err = tr.Ask(t.Context(), bus.Request{EventName: "BeforeTool", Input: wire.Object(`{}`)})
	if !errors.Is(err, nats.ErrNoResponders) {
		t.Errorf("got %v, want %v", err, nats.ErrNoResponders)
	}
}

func TestANameThatIsAPatternIsNoSubject(t *testing.T) {
	for _, name := range []string{"", "*", ">", "Pre*", "a%2Eb", "Pre ToolUse", "Pre\x00", "a\nb", "Pre>"} {
		if subject, err := Subject("claude", name); err == nil {
			t.Errorf("the event %q has the subject %s; want an error", name, subject)
		}
		if subject, err := Subject(name, "PreToolUse"); err == nil {
			t.Errorf("the dialect %q has the subject %s; want an error", name, subject)
		}
		tr, err := NewTransport(&nats.Conn{}, "claude", ServeOptions{})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := tr.Ask(t.Context(), bus.Request{EventName: name}); err == nil {
			t.Errorf("the event %q was asked for", name)
		}
	}
	if got, err := Subject("x", "session.end"); got != "snaphook.v1.fire.x.session%2Eend" || err != nil {
		t.Errorf("got %q, %v", got, err)
	}
	if got, err := Subject("claude", "PreToolUse"); got != "snaphook.v1.fire.claude.PreToolUse" || err != nil {
		t.Errorf("got %q, %v", got, err)
	}
}
