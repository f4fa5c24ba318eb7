package xcsh_test

import (
	"context"
	"errors"
	"io"
	"testing"
	"testing/synctest"
	"time"

	"github.com/snaphook-go/snaphook/events/xcsh"
	"github.com/snaphook-go/snaphook/events/xcsh/discover"
	"github.com/snaphook-go/snaphook/pipeline"
	"github.com/snaphook-go/snaphook/wire"
)

// stuck is a loader that blocks until free is closed, even after its context has ended.
type stuck struct {
	free      chan struct{}
	inFactory bool
}

func (s stuck) Match(string) bool { return true }

func (s stuck) Load(context.Context, string, string) (xcsh.Factory, io.Closer, error) {
	if !s.inFactory {
		<-s.free
	}
	return func(*xcsh.API) error {
		<-s.free
		return nil
	}, nil, nil
}

func TestAModuleThatNeverFinishesLoadingIsGivenUpAndItsGatesAreClosed(t *testing.T) {
	enough := errors.New("enough")
	for name, test := range map[string]struct {
		inFactory  bool
		extensions bool
		cancel     time.Duration // 0: never
		want       time.Duration
		cause      error
	}{
		"in the loader":            {want: xcsh.LoadTime, cause: context.DeadlineExceeded},
		"in the factory":           {inFactory: true, want: xcsh.LoadTime, cause: context.DeadlineExceeded},
		"until the context ends":   {cancel: time.Second, want: time.Second, cause: enough},
		"in the extension runtime": {extensions: true, want: xcsh.LoadTime, cause: context.DeadlineExceeded},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				free := make(chan struct{})
				sys := pipeline.NewSystem(pipeline.Config{})
				defer sys.Close()
				ses, err := sys.NewSession(t.Context(), pipeline.SessionConfig{Dir: t.TempDir()})
				if err != nil {
					t.Fatal(err)
				}
				m := xcsh.New(ses, xcsh.Config{Extensions: test.extensions, Loaders: []xcsh.ModuleLoader{stuck{free, test.inFactory}}})
				defer m.Close()
				ctx, cancel := context.WithCancelCause(t.Context())
				if test.cancel > 0 {
					time.AfterFunc(test.cancel, func() { cancel(enough) })
				}
				began := time.Now()
				errs := m.Load(ctx, []string{"gate.ts"}, "")
				if took := time.Since(began); took != test.want || len(errs) != 1 || !errs[0].Closed || !errors.Is(errs[0], test.cause) {
					t.Fatalf("after %v: %v; want one error that is closed after %v", took, errs, test.want)
				}
				if len(m.Infos()) != 0 {
					t.Errorf("it is listed: %+v", m.Infos())
				}
				call := &xcsh.ToolCallEvent{ToolName: "bash", ToolCallID: "1", Input: wire.Object("{}")}
				if err := xcsh.GateTool(t.Context(), m, call); err == nil {
					t.Error("the tool runs without the gates of the module")
				}
				close(free)
				synctest.Wait()
				if err := xcsh.GateTool(t.Context(), m, call); err == nil {
					t.Error("the gates open when the module is done after all")
				}
				cancel(nil)
			})
		})
	}
}

func TestAProviderThatNeverAnswersIsAWarning(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		free := make(chan struct{})
		defer close(free)
		r := discover.Registry{Providers: []discover.Provider{{ID: "p", Load: func(context.Context, discover.Place) ([]discover.Item, []string, error) {
			<-free
			return nil, nil, nil
		}}}}
		began := time.Now()
		found := r.Discover(t.Context(), discover.Place{}, discover.Options{})
		if took := time.Since(began); took != discover.LoadTime || len(found.Warnings) != 1 {
			t.Errorf("after %v: %q; want a warning after %v", took, found.Warnings, discover.LoadTime)
		}
	})
}
