package request

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/snaphook-go/snaphook/hook"
)

func trusting(server *httptest.Server) *tls.Config {
	roots := x509.NewCertPool()
	roots.AddCert(server.Certificate())
	return &tls.Config{RootCAs: roots}
}

func TestHTTPSpeaksTLS(t *testing.T) {
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { io.Copy(w, r.Body) }))
	server.Config.ErrorLog = log.New(io.Discard, "", 0) // the server would log the failed handshake of the call that does not trust it
	server.StartTLS()
	defer server.Close()
	call := hook.Call{Payload: []byte(`{"a":1}`)}
	h := &HTTP{URL: server.URL}
	own := newTransport(&net.Dialer{}, nil, trusting(server))
	defer own.CloseIdleConnections()
	for range 2 {
		reply, err := h.run(t.Context(), call, own)
		if err != nil || string(reply.Stdout) != `{"a":1}` {
			t.Errorf("got %q, %v; want the payload", reply.Stdout, err)
		}
	}
	_, err := h.Run(t.Context(), call)
	var unknown *tls.CertificateVerificationError
	if !errors.As(err, &unknown) {
		t.Errorf("err = %v, want an error that nobody vouches for the server", err)
	}
}

func TestIdleConnectionsAreUsedAgain(t *testing.T) {
	var opened atomic.Int32
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { io.Copy(w, r.Body) }))
	server.Config.ConnState = func(_ net.Conn, s http.ConnState) {
		if s == http.StateNew {
			opened.Add(1)
		}
	}
	server.Start()
	defer server.Close()
	for range 5 {
		if _, err := (&HTTP{URL: server.URL}).Run(t.Context(), hook.Call{Payload: []byte(`{}`)}); err != nil {
			t.Fatal(err)
		}
	}
	if n := opened.Load(); n != 1 {
		t.Errorf("%d connections for 5 calls, want 1", n)
	}
}

// An abandoned call leaves no goroutine, even if its connection is never accepted, or its TLS
// server sends nothing.
func TestNothingOfACallThatIsGivenUpIsLeft(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	stuck := func(ctx context.Context, _, _ string) (net.Conn, error) {
		<-ctx.Done()
		return nil, ctx.Err()
	}
	blackHole := newTransport(&net.Dialer{}, nil, nil)
	blackHole.DialContext = duringCall(stuck)
	for _, tt := range []struct {
		name, url string
		transport *http.Transport
	}{
		{"a dial", "http://" + listener.Addr().String(), blackHole},
		{"a TLS handshake", "https://" + listener.Addr().String(), newTransport(&net.Dialer{}, nil, nil)},
		{"an answer", "http://" + listener.Addr().String(), newTransport(&net.Dialer{}, nil, nil)},
	} {
		t.Run(tt.name, func(t *testing.T) {
			before := goleak.IgnoreCurrent()
			_, err := (&HTTP{URL: tt.url}).run(t.Context(), hook.Call{Timeout: 20 * time.Millisecond}, tt.transport)
			if !errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("err = %v, want a timeout", err)
			}
			if err := goleak.Find(before); err != nil {
				t.Error(err)
			}
		})
	}
}

func TestProxiesAreUsedUnlessPublicOnly(t *testing.T) {
	proxied := &http.Request{URL: &url.URL{Scheme: "http", Host: "example.com"}}
	if transport(false).Proxy == nil || transport(true).Proxy != nil {
		t.Errorf("a proxy: %v, with PublicOnly: %v; want one and none", transport(false).Proxy != nil, transport(true).Proxy != nil)
	}
	_, err := discreet(func(*http.Request) (*url.URL, error) { return nil, errors.New("http://me:s3cret@proxy") })(proxied)
	if err == nil || strings.Contains(err.Error(), "s3cret") {
		t.Errorf("err = %v, want one without the text of the variable", err)
	}
}

func TestHTTPGoesThroughAProxy(t *testing.T) {
	var asked string
	proxy := serveFunc(t, func(w http.ResponseWriter, r *http.Request) {
		asked = r.RequestURI
		io.WriteString(w, `{"a":1}`)
	})
	at, _ := url.Parse(proxy.URL)
	through := newTransport(&net.Dialer{}, http.ProxyURL(at), nil)
	defer through.CloseIdleConnections()
	reply, err := (&HTTP{URL: "http://hooks.example/x"}).run(t.Context(), hook.Call{}, through)
	if err != nil || string(reply.Stdout) != `{"a":1}` || asked != "http://hooks.example/x" {
		t.Errorf("got %q, %v; the proxy was asked for %q", reply.Stdout, err, asked)
	}
}
