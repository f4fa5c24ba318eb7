package proxy

import (
	"strings"
	"testing"

	"github.com/snaphook-go/snaphook/wire"
)

// A call that cannot be told from others by its id is refused, because its reply would reach the client without the
// hooks, or never.
func TestACallWhoseReplyCannotBeToldApartDoesNotReachTheServer(t *testing.T) {
	for name, test := range map[string]struct{ first, second, want string }{
		"a call without an id": {
			"", `{"jsonrpc":"2.0","method":"tools/call","params":{"name":"t"}}`,
			`{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"mcp-proxy: `,
		},
		"a call with the id null": {
			"", `{"jsonrpc":"2.0","id":null,"method":"tools/call","params":{"name":"t"}}`,
			`{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"mcp-proxy: `,
		},
		"a call with an object as its id": {
			"", `{"jsonrpc":"2.0","id":{},"method":"tools/call","params":{"name":"t"}}`,
			`{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"mcp-proxy: `,
		},
		"a call with the id of a pending call": {
			`{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"t"}}`,
			`{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"u"}}`,
			`{"jsonrpc":"2.0","id":7,"error":{"code":-32600,"message":"mcp-proxy: a pending request already has the id 7`,
		},
		"a call with the id of a pending call in other digits": {
			`{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"t"}}`,
			`{"jsonrpc":"2.0","id":7.0,"method":"tools/call","params":{"name":"u"}}`,
			`{"jsonrpc":"2.0","id":7.0,"error":{"code":-32600,"message":"mcp-proxy: a pending request already has the id 7.0`,
		},
		"a call with the id of another pending request": {
			`{"jsonrpc":"2.0","id":"a","method":"tools/list"}`,
			`{"jsonrpc":"2.0","id":"\u0061","method":"tools/call","params":{"name":"u"}}`,
			`{"jsonrpc":"2.0","id":"\u0061","error":{"code":-32600,"message":"mcp-proxy: a pending request already has the id "`,
		},
		"another request with the id of a pending call": {
			`{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"t"}}`,
			`{"jsonrpc":"2.0","id":7,"method":"tools/list"}`,
			`{"jsonrpc":"2.0","id":7,"error":{"code":-32600,"message":"mcp-proxy: a pending request already has the id 7`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			server := make(chan string, 2)
			p, client := opened(t, lines(server))
			if test.first != "" {
				p.fromClient(t.Context(), wire.Object(test.first))
				<-server
			}
			p.fromClient(t.Context(), wire.Object(test.second))
			p.gone() // ends the first call
			p.calls.Wait()
			got := strings.ReplaceAll(client.String(), `\"`, `"`)
			if !strings.HasPrefix(got, test.want) || len(server) > 0 {
				t.Errorf("the client got %s and the server %d more messages; want %s and none", got, len(server), test.want)
			}
		})
	}
}

// The reply of a call reaches the client after the hooks, and any other reply only if the client waits for it.
func TestOnlyRepliesThatTheClientWaitsForReachIt(t *testing.T) {
	const call = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"t"}}`
	const list = `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`
	for name, test := range map[string]struct{ sent, reply, want string }{
		"the reply of a call":                          {call, `{"jsonrpc":"2.0","id":1,"result":{"a":1}}`, `{"jsonrpc":"2.0","id":1,"result":{"a":1}}`},
		"the reply of a call, in other digits":         {call, `{"jsonrpc":"2.0","id":1.0,"result":{"a":1}}`, `{"jsonrpc":"2.0","id":1,"result":{"a":1}}`},
		"the reply of another request":                 {list, `{"jsonrpc":"2.0","id":1.0,"result":{}}`, `{"jsonrpc":"2.0","id":1.0,"result":{}}`},
		"the reply of no request":                      {list, `{"jsonrpc":"2.0","id":2,"result":{}}`, ""},
		"an error about a line without an id":          {list, `{"jsonrpc":"2.0","id":null,"error":{}}`, `{"jsonrpc":"2.0","id":null,"error":{}}`},
		"a request of the server":                      {list, `{"jsonrpc":"2.0","id":2,"method":"ping"}`, `{"jsonrpc":"2.0","id":2,"method":"ping"}`},
		"a notification":                               {list, `{"jsonrpc":"2.0","method":"notifications/x"}`, `{"jsonrpc":"2.0","method":"notifications/x"}`},
		"a batch":                                      {list, `[{"jsonrpc":"2.0","id":1,"result":{}}]`, ""},
		"a reply with a member in other letters":       {list, `{"jsonrpc":"2.0","Id":1,"result":{}}`, ""},
		"a reply with a member twice":                  {list, `{"jsonrpc":"2.0","id":1,"result":{},"result":{}}`, ""},
		"a request that is a reply too":                {list, `{"jsonrpc":"2.0","id":1,"method":"ping","result":{}}`, ""},
		"text that is not JSON":                        {list, `starting`, ""},
		"a result with the id null, which no call has": {list, `{"jsonrpc":"2.0","id":null,"result":{}}`, ""},
	} {
		t.Run(name, func(t *testing.T) {
			server := make(chan string, 1)
			p, client := opened(t, lines(server))
			p.fromClient(t.Context(), wire.Object(test.sent))
			<-server
			p.fromServer(wire.Object(test.reply))
			p.calls.Wait()
			if got := strings.TrimSuffix(client.String(), "\n"); got != test.want {
				t.Errorf("the client got %s, want %s", got, test.want)
			}
			p.fromServer(wire.Object(test.reply))
			if again := strings.Count(client.String(), "result"); again > 1 {
				t.Errorf("the client got %s, want one result", client)
			}
		})
	}
}
