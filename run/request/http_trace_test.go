package request

import (
	"net/http"
	"testing"

	"github.com/snaphook-go/snaphook/hook"
)

func TestHTTPCarriesTheTraceOfTheCall(t *testing.T) {
	var seen http.Header
	server := serveFunc(t, func(_ http.ResponseWriter, r *http.Request) { seen = r.Header })
	for _, trace := range []hook.Trace{{}, {Parent: "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01", State: "a=b"}} {
		if _, err := (&HTTP{URL: server.URL}).Run(t.Context(), hook.Call{Payload: []byte(`{}`), Trace: trace}); err != nil {
			t.Fatal(err)
		}
		if got := (hook.Trace{Parent: seen.Get("Traceparent"), State: seen.Get("Tracestate")}); got != trace {
			t.Errorf("got %+v, want %+v", got, trace)
		}
	}
}
