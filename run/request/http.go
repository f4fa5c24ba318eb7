package request

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/internal/within"
	"github.com/snaphook-go/snaphook/wire"
)

// MaxAnswer limits the answer of a server, after decompression, and of a tool, in bytes. A longer answer is a
// [hook.TooLargeError].
const MaxAnswer = 8 << 20

// HTTP is a [hook.Runner] that sends the payload of each call to a server, as a POST with content type application/json
// (Claude Code hooks documentation 2.1.239, "HTTP hooks"). The result is a Reply with exit status 0, or an error:
//
//   - 2xx with an empty body, or only white space: an empty Reply;
//   - 2xx with one JSON object: a Reply with the body as standard output;
//   - 2xx with anything else: [ErrText], without the text;
//   - any other status, redirects included: a [StatusError];
//   - no answer: the failure, after the scheme and the host of the URL. Errors contain nothing else
//     of the URL, and no header, because a user, a path and a query can be secrets.
//
// When ctx ends or the call's timeout has passed, the request is abandoned, with [context.Cause] or a
// [hook.TimeoutError] as the error. The timeout grows while threads of this machine wait for a processor; see Stretch
// of [hook.Call]. A request is sent only once, or a second time on a new connection if the old connection accepted no
// byte of it.
//
// Requests are HTTP/1.1. They use the proxy of the engine's environment (HTTP_PROXY, HTTPS_PROXY, NO_PROXY, read once),
// accept gzip, and keep no cookies. All HTTP hooks of the process share their idle connections: at most 32, 8 for each
// host, for 4 seconds. If a call ends while a proxy sets up its TLS connection, that attempt may continue, for a minute
// at most.
//
// An HTTP may be used from many goroutines at once. A call costs the round trip, and a connection if none is idle; its
// memory is the size of the answer.
type HTTP struct {
	// URL is http or https. A user and password in it become basic
	// authentication, unless Headers have an Authorization.
	URL string

	// Headers are added to the request. $NAME and ${NAME} in their values are replaced by variables; control
	// characters, which could start another header, are removed from the result. Of the engine's own headers
	// Content-Type and User-Agent can be replaced. Headers with invalid names are left out, and so are headers of the
	// connection or the engine, such as Host, Content-Length, Transfer-Encoding, Accept-Encoding and Connection.
	// [HTTP.Check] lists the headers that are left out.
	Headers map[string]string

	// Vars lists the variables that Headers may refer to. Other references are replaced by "". Nil allows none.
	Vars []string

	// Getenv returns the value of a variable that is not in the call's Env; nil means [os.LookupEnv].
	Getenv func(name string) (value string, ok bool)

	// PublicOnly refuses, with [ErrNotPublic], to connect to addresses that are not public: private, link-local,
	// multicast and reserved addresses, addresses of carriers' networks, and the metadata services of clouds. The
	// loopback is allowed. The address is checked when the connection is made, after the name has been resolved.
	// Proxies are not used, because they would connect to any address. False allows all.
	PublicOnly bool

	// Transport sends the requests in place of the shared transport, for tests. PublicOnly then has no effect unless
	// Transport implements it. Nil means the shared transport.
	Transport http.RoundTripper
}

var _ hook.Runner = (*HTTP)(nil)

// ErrText is the error of an [HTTP] hook whose server answered with something
// other than a JSON object.
var ErrText = errors.New("answered with text; want a JSON object")

// StatusError reports that the server of an [HTTP] hook answered with a status other than 2xx. No status can block.
type StatusError struct{ Code int }

func (e *StatusError) Error() string {
	text := strings.TrimSpace(fmt.Sprintf("answered %d %s", e.Code, http.StatusText(e.Code)))
	if e.Code/100 == 3 {
		text += "; redirects are not followed"
	}
	return text
}

// Check inspects h before the first call. err is the reason why every call would fail; notes name the headers that are
// left out, each with its reason.
func (h *HTTP) Check() (notes []string, err error) {
	_, err = h.target()
	_, notes = h.header(func(string) string { return "" })
	return notes, err
}

// Run sends the payload and waits for the answer; see [HTTP].
func (h *HTTP) Run(ctx context.Context, call hook.Call) (hook.Reply, error) {
	if h.Transport != nil {
		return h.run(ctx, call, h.Transport)
	}
	return h.run(ctx, call, transport(h.PublicOnly))
}

// run implements Run with the transport as a parameter, for tests.
func (h *HTTP) run(ctx context.Context, call hook.Call, transport http.RoundTripper) (hook.Reply, error) {
	target, err := h.target()
	if err != nil {
		return hook.Reply{}, err
	}
	body, granted, err := within.Stretch(ctx, call, func(ctx context.Context) ([]byte, error) {
		body, err := h.post(ctx, target, call, transport)
		if err != nil {
			return nil, classed(err, fmt.Errorf("POST %s://%s: %w", target.Scheme, target.Host, err))
		}
		return body, nil
	})
	return hook.Reply{Stdout: body, Granted: granted}, err
}

// classed adds a class to an error: ClassOutput if the server answered with text, and ClassHTTP to any other error.
func classed(cause, err error) error {
	if errors.Is(cause, ErrText) {
		return &hook.ClassError{Class: hook.ClassOutput, Err: err}
	}
	return &hook.ClassError{Class: hook.ClassHTTP, Err: err}
}

var errURL = errors.New("the URL of the hook cannot be used; write http://host/path or https://host/path")

// target parses the URL. It replaces the error of url.Parse, which can quote a password.
func (h *HTTP) target() (*url.URL, error) {
	u, err := url.Parse(h.URL)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "" {
		return nil, errURL
	}
	return u, nil
}

// post returns the body of a 2xx answer. It uses a transport and not a client, which would follow redirects and keep
// cookies.
func (h *HTTP) post(ctx context.Context, to *url.URL, call hook.Call, transport http.RoundTripper) ([]byte, error) {
	req, err := http.NewRequestWithContext(withCall(ctx), http.MethodPost, "", bytes.NewReader(call.Payload))
	if err != nil {
		return nil, err
	}
	req.URL, req.Host = to, to.Host
	req.Header, _ = h.header(func(name string) string { return h.variable(call, name) })
	if call.Trace.Parent != "" {
		req.Header.Set("Traceparent", call.Trace.Parent)
		req.Header.Set("Tracestate", call.Trace.State)
	}
	if to.User != nil && req.Header.Get("Authorization") == "" {
		password, _ := to.User.Password()
		req.SetBasicAuth(to.User.Username(), password)
	}
	answer, err := transport.RoundTrip(req)
	if err != nil {
		return nil, err
	}
	defer func() { _ = answer.Body.Close() }() // an error of Close after reading does not matter
	if answer.StatusCode/100 != 2 {
		return nil, &StatusError{Code: answer.StatusCode}
	}
	body, err := io.ReadAll(io.LimitReader(answer.Body, MaxAnswer+1))
	if err == nil && len(body) > MaxAnswer {
		err = &hook.TooLargeError{Kept: MaxAnswer}
	}
	if err == nil && !isAnswer(body) {
		err = ErrText
	}
	return body, err
}

// variable returns the value of a variable from the call or else from the environment.
func (h *HTTP) variable(call hook.Call, name string) string {
	for i := len(call.Env) - 1; i >= 0; i-- {
		if value, ok := strings.CutPrefix(call.Env[i], name+"="); ok {
			return value
		}
	}
	getenv := h.Getenv
	if getenv == nil {
		getenv = os.LookupEnv
	}
	value, _ := getenv(name)
	return value
}

// The options accept equal names and invalid UTF-8, as the whole engine does.
var (
	equalNames = jsontext.AllowDuplicateNames(true)
	badUTF8    = jsontext.AllowInvalidUTF8(true)
)

// isAnswer reports whether a body is empty or one JSON object. A body that only begins like an object is rejected,
// because a reader of standard output could take it for an answer.
func isAnswer(body []byte) bool {
	text := jsontext.Value(wire.Trim(body))
	if len(text) == 0 {
		return true
	}
	return text[0] == '{' && text.IsValid(equalNames, badUTF8)
}
