package bus_test

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/snaphook-go/snaphook/bus"
	"github.com/snaphook-go/snaphook/events/llxprt"
	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/wire"
)

func TestAMessageReachesTheSubscribersOfItsType(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var b bus.Bus
		var got atomic.Int64
		count := func(n int64) func(bus.Message) { return func(bus.Message) { got.Add(n) } }
		b.Subscribe("a", count(1))
		cancel := b.Subscribe("a", count(10))
		b.Subscribe("b", count(100))
		for range 2 {
			if err := b.Publish(bus.Message{Type: "a"}); err != nil {
				t.Error(err)
			}
			cancel()
		}
		synctest.Wait()
		if got.Load() != 12 {
			t.Errorf("the handlers of a counted %d; want 12, two and one before it was cancelled", got.Load())
		}
	})
}

func TestNobodyHasToListen(t *testing.T) {
	var b bus.Bus
	if err := b.Publish(bus.Message{Type: "a"}); err != nil {
		t.Error(err)
	}
	if err := b.Close(); err != nil {
		t.Error(err)
	}
}

func TestCancelAndCloseWaitForHandlers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for name, end := range map[string]func(b *bus.Bus, cancel func()){
			"cancel": func(_ *bus.Bus, cancel func()) { cancel() },
			"close":  func(b *bus.Bus, _ func()) { _ = b.Close() },
		} {
			var b bus.Bus
			cancel := b.Subscribe("a", func(bus.Message) { time.Sleep(time.Second) })
			_ = b.Publish(bus.Message{Type: "a"})
			start := time.Now()
			end(&b, cancel)
			if took := time.Since(start); took != time.Second {
				t.Errorf("%s returned after %v; want it to wait for the handler, 1s", name, took)
			}
		}
	})
}

func TestAClosedBusTakesNothing(t *testing.T) {
	b, _ := served(t)
	for range 2 {
		if err := b.Close(); err != nil {
			t.Error(err)
		}
	}
	if err := b.Publish(bus.Message{Type: "a"}); !errors.Is(err, bus.ErrClosed) {
		t.Errorf("Publish gives %v; want ErrClosed", err)
	}
	if _, err := b.Ask(t.Context(), toolCall("")); !errors.Is(err, bus.ErrClosed) {
		t.Errorf("Ask gives %v; want ErrClosed", err)
	}
	b.Subscribe("a", func(bus.Message) { t.Error("a closed bus has delivered a message") })()
}

func TestClosingEndsTheWaitForAnAnswer(t *testing.T) {
	b, ses := served(t)
	running, finish := make(chan struct{}), make(chan struct{})
	gate(ses, func(context.Context) error {
		close(running)
		<-finish
		return nil
	})
	failed := make(chan error)
	go func() {
		_, err := b.Ask(context.Background(), toolCall("c"))
		failed <- err
	}()
	<-running
	closed := make(chan error)
	go func() { closed <- b.Close() }()
	if err := <-failed; !errors.Is(err, bus.ErrClosed) {
		t.Errorf("Ask gives %v; want ErrClosed", err)
	}
	close(finish)
	if err := <-closed; err != nil {
		t.Error(err)
	}
}

func TestAskEndsWithItsContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var b bus.Bus // without a subscriber
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		start := time.Now()
		if _, err := b.Ask(ctx, toolCall("c")); !errors.Is(err, context.DeadlineExceeded) || time.Since(start) != time.Second {
			t.Errorf("got %v after %v; want the context's error after 1s", err, time.Since(start))
		}
	})
}

func TestAskWithAnEndedContextFiresNothing(t *testing.T) {
	b, ses := served(t)
	gate(ses, func(context.Context) error { t.Error("the event was fired"); return nil })
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := b.Ask(ctx, toolCall("c")); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v; want the context's error", err)
	}
}

func TestAskWithAnInputThatIsNotJSON(t *testing.T) {
	b, _ := served(t)
	if _, err := b.Ask(t.Context(), bus.Request{EventName: "BeforeTool", Input: wire.Object("{oops")}); err == nil {
		t.Error("got no error")
	}
}

func TestARequestWithoutAnIDGetsOne(t *testing.T) {
	b, _ := served(t)
	first, second := ask(t, b, toolCall("")), ask(t, b, toolCall(""))
	if !uuid.MatchString(first.CorrelationID) || first.CorrelationID == second.CorrelationID {
		t.Errorf("ids %q and %q; want two UUIDs", first.CorrelationID, second.CorrelationID)
	}
}

func TestRequestsAtTheSameTimeKeepTheirIDs(t *testing.T) {
	b, ses := served(t)
	llxprt.BeforeTool.On(ses, "echo", func(_ context.Context, c llxprt.BeforeToolInput) (hook.Output[llxprt.BeforeToolOutput], error) {
		return hook.Output[llxprt.BeforeToolOutput]{Reason: c.Input.Text("n")}, nil
	})
	var wg sync.WaitGroup
	for i := range 50 {
		wg.Go(func() {
			n := strconv.Itoa(i)
			got, err := b.Ask(t.Context(), bus.Request{CorrelationID: "c-" + n, EventName: "BeforeTool", Input: wire.Object(fmt.Sprintf(`{"tool_name":"t","tool_input":{"n":"%s"}}`, n))})
			if err != nil || got.CorrelationID != "c-"+n || got.Output == nil || got.Output.FinalOutput.Text("reason") != n {
				t.Errorf("request %s got %+v, %v", n, got, err)
			}
		})
	}
	wg.Wait()
}

func TestASecondAnswerToOneQuestionIsIgnored(t *testing.T) {
	var b bus.Bus
	defer b.Close()
	b.Subscribe(bus.HookExecutionRequest, func(m bus.Message) {
		for _, payload := range []string{`{"correlationId":"other","success":true}`, `no JSON`, `{"correlationId":"c","success":true}`, `{"correlationId":"c","success":true}`} {
			_ = b.Publish(bus.Message{Type: bus.HookExecutionResponse, Payload: []byte(payload)})
		}
	})
	if got := ask(t, &b, toolCall("c")); got.CorrelationID != "c" || !got.Success {
		t.Errorf("got %+v; want the answer to c", got)
	}
}

func TestAHookMayFireAnotherEventOverTheBus(t *testing.T) {
	b, ses := served(t)
	gate(ses, func(ctx context.Context) error {
		_, err := b.Ask(ctx, bus.Request{EventName: "Notification", Input: wire.Object(inputs["Notification"])})
		return err
	})
	if got := ask(t, b, toolCall("c")); !got.Success || !got.Output.Success {
		t.Errorf("got %+v; want success", got)
	}
}
