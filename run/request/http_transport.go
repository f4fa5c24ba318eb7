package request

import (
	"context"
	"crypto/tls"
	"errors"
	"net"
	"net/http"
	"net/url"
	"sync"
	"time"
)

// lazyTransport creates its transport on first use. A package variable with a transport would link an HTTP client into
// every program that imports the package.
type lazyTransport struct {
	once sync.Once
	made *http.Transport
}

func (s *lazyTransport) get(create func() *http.Transport) *http.Transport {
	s.once.Do(func() { s.made = create() })
	return s.made
}

// anywhere and guarded are the transports of all HTTP hooks, without and with PublicOnly.
var anywhere, guarded lazyTransport

func transport(publicOnly bool) *http.Transport {
	if publicOnly {
		return guarded.get(
			func() *http.Transport { return newTransport(&net.Dialer{Control: refusePrivate}, nil, nil) },
		)
	}
	return anywhere.get(func() *http.Transport { return newTransport(&net.Dialer{}, http.ProxyFromEnvironment, nil) })
}

// newTransport makes a transport for short requests to few servers. It uses HTTP/1.1, where a connection belongs to one
// call and closing it ends only that call.
func newTransport(d *net.Dialer, proxy func(*http.Request) (*url.URL, error), config *tls.Config) *http.Transport {
	secure := &tls.Dialer{NetDialer: d, Config: config}
	return &http.Transport{
		Proxy:                  discreet(proxy),
		DialContext:            duringCall(d.DialContext),
		DialTLSContext:         duringCall(secure.DialContext),
		TLSClientConfig:        config,
		TLSHandshakeTimeout:    10 * time.Second,
		MaxIdleConns:           32,
		MaxIdleConnsPerHost:    8,
		MaxResponseHeaderBytes: 1 << 18,

		// A POST fails, and is not repeated, if the server is just closing the connection. Many servers close after 5
		// seconds.
		IdleConnTimeout: 4 * time.Second,
	}
}

// discreet wraps proxy to keep the value of a proxy variable, which may contain a password, out of errors.
func discreet(proxy func(*http.Request) (*url.URL, error)) func(*http.Request) (*url.URL, error) {
	if proxy == nil {
		return nil
	}
	return func(req *http.Request) (*url.URL, error) {
		u, err := proxy(req)
		if err != nil {
			return nil, errors.New("the proxy cannot be used; write http://host:port in HTTP_PROXY and HTTPS_PROXY")
		}
		return u, nil
	}
}

type callKey struct{}

// withCall stores ctx in a context under a key by which duringCall finds it.
func withCall(ctx context.Context) context.Context {
	return context.WithValue(ctx, callKey{}, ctx)
}

type dialFunc func(ctx context.Context, network, address string) (net.Conn, error)

// duringCall makes a dial end with its call. By default a transport lets dials continue for later requests.
func duringCall(dial dialFunc) dialFunc {
	return func(ctx context.Context, network, address string) (net.Conn, error) {
		if call, ok := ctx.Value(callKey{}).(context.Context); ok {
			ctx = call
		}
		return dial(ctx, network, address)
	}
}
