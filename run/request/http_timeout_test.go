package request

import (
	"context"
	"errors"
	"io"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"github.com/snaphook-go/snaphook/hook"
)

// roundTrip is a transport made of a function.
type roundTrip func(*http.Request) (*http.Response, error)

func (f roundTrip) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

func TestHTTPKeepsToTheTimeout(t *testing.T) {
	gone := errors.New("gone")
	silent := roundTrip(func(r *http.Request) (*http.Response, error) {
		<-r.Context().Done()
		return nil, r.Context().Err()
	})
	drip := roundTrip(func(r *http.Request) (*http.Response, error) {
		body := func(b []byte) (int, error) {
			select {
			case <-r.Context().Done():
				return 0, r.Context().Err()
			case <-time.After(time.Second):
				return copy(b, " "), nil
			}
		}
		return &http.Response{StatusCode: http.StatusOK, Body: io.NopCloser(readFunc(body))}, nil
	})
	for _, tt := range []struct {
		name      string
		transport roundTrip
		timeout   time.Duration
		cancel    time.Duration // 0 is never
		want      error
	}{
		{"no answer", silent, 5 * time.Second, 0, &hook.TimeoutError{After: 5 * time.Second}},
		{"an answer without an end", drip, 90 * time.Second, 0, &hook.TimeoutError{After: 90 * time.Second}},
		{"the caller gives up", silent, time.Hour, time.Minute, gone},
		{"the caller gives up, without a timeout", drip, 0, time.Minute, gone},
		{"the caller has given up before", drip, 0, -1, gone},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ctx, cancel := context.WithCancelCause(t.Context())
				defer cancel(nil)
				switch {
				case tt.cancel > 0:
					defer time.AfterFunc(tt.cancel, func() { cancel(gone) }).Stop()
				case tt.cancel < 0:
					cancel(gone)
				}
				start := time.Now()
				h := &HTTP{URL: "http://s3cret@example.com/s3cret"}
				_, err := h.run(ctx, hook.Call{Timeout: tt.timeout, Stretch: 1}, tt.transport)
				if err == nil || err.Error() != tt.want.Error() {
					t.Errorf("err = %v, want %v", err, tt.want)
				}
				want := max(tt.cancel, 0)
				if want == 0 && tt.cancel == 0 {
					want = tt.timeout
				}
				if took := time.Since(start); took != want {
					t.Errorf("took %v, want %v", took, want)
				}
			})
		})
	}
}

type readFunc func([]byte) (int, error)

func (f readFunc) Read(b []byte) (int, error) { return f(b) }

func TestHTTPGivesUpRealRequests(t *testing.T) {
	release := make(chan struct{})
	server := serveFunc(t, func(_ http.ResponseWriter, r *http.Request) {
		io.Copy(io.Discard, r.Body)
		<-release
	})
	defer close(release)
	_, err := (&HTTP{URL: server.URL}).Run(t.Context(), hook.Call{Timeout: 30 * time.Millisecond})
	var late *hook.TimeoutError
	if !errors.As(err, &late) || !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("err = %v, want a TimeoutError", err)
	}
}
