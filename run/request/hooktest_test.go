package request_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/snaphook-go/snaphook/hooktest"
	"github.com/snaphook-go/snaphook/run/request"
	"github.com/snaphook-go/snaphook/wire"
)

func TestAnHTTPHookHolds(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			return // the client has gone
		}
		if answer, err := hooktest.Answer(r.Context(), body); err == nil {
			_, _ = w.Write(answer)
		}
	}))
	t.Cleanup(server.Close)
	hooktest.Runner(t, &request.HTTP{URL: server.URL})
}

// echo is a host whose tools return the result of hooktest.Answer.
type echo struct{}

// CallTool gets the members of the payload one by one.
func (echo) CallTool(ctx context.Context, r request.ToolRequest) (request.ToolAnswer, error) {
	payload := fmt.Sprintf(`{"hooktest":%s,"number":%s,"fill":%s}`, r.Input.Get("a"), r.Input.Text("b"), r.Input.Get("c"))
	answer, err := hooktest.Answer(ctx, []byte(payload))
	return request.ToolAnswer{Text: string(answer)}, err
}

func TestAToolHolds(t *testing.T) {
	input := wire.Object(`{"a":"${hooktest}","b":"${number}","c":"${fill}"}`)
	hooktest.Runner(t, &request.Tool{Caller: echo{}, Server: "s", Name: "n", Input: input})
}
