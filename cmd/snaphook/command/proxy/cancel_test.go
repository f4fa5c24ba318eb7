package proxy

import (
	"bytes"
	"io"
	"log/slog"
	"testing"

	"github.com/snaphook-go/snaphook"
	"github.com/snaphook-go/snaphook/wire"
)

// A call that the server never answers ends when the client cancels it, and a late reply is not
// passed on: no hook has reviewed it.
func TestACancelledCallOfAnMCPServerEnds(t *testing.T) {
	called := make(chan string, 2)
	p, client := opened(t, lines(called))
	p.fromClient(t.Context(), wire.Object(`{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"slow","arguments":{}}}`))
	<-called
	const cancel = `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":7}}`
	p.fromClient(t.Context(), wire.Object(cancel))
	if got := <-called; got != cancel+"\n" {
		t.Errorf("the server got %q, want the cancellation", got)
	}
	p.calls.Wait()
	p.fromServer(wire.Object(`{"jsonrpc":"2.0","id":7,"result":{"content":[]}}`))
	if client.Len() > 0 || len(p.pending) > 0 {
		t.Errorf("the client got %q, and %d calls are pending; want nothing and none", client, len(p.pending))
	}
}

// lines is a channel that receives each line written to it.
type lines chan string

func (l lines) Write(b []byte) (int, error) {
	l <- string(b)
	return len(b), nil
}

// opened returns a proxy without hooks, and a writer that holds the lines for the client.
func opened(t *testing.T, server io.Writer) (*proxy, *bytes.Buffer) {
	hooks, err := snaphook.Open(snaphook.Config{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(hooks.Close)
	s, err := hooks.NewSession(t.Context(), snaphook.SessionConfig{Dir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	client := &bytes.Buffer{}
	return newProxy(s, slog.New(slog.DiscardHandler), client, server), client
}
