// Package llm has clients for language models over HTTP, for hosts without a client of their own: each client is a
// [judge.Model].
//
// A request is sent once. It is not retried after an error or a rate limit, because a hook has only seconds: the hook
// fails, and its event's rules decide the consequence.
package llm

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/snaphook-go/snaphook/wire"
)

// MaxAnswer limits the length of an API's answer, in bytes.
const MaxAnswer = 1 << 20

// Error is an error that an API returned.
type Error struct {
	Status  int    // HTTP status, such as 429
	Type    string // the API's error type, such as "rate_limit_error"; may be empty
	Message string // the API's explanation, without the key; may be empty
}

func (e *Error) Error() string {
	text := fmt.Sprintf("the API answered %d", e.Status)
	for _, more := range []struct{ before, text string }{{" ", e.Type}, {": ", e.Message}} {
		if more.text != "" {
			text += more.before + more.text
		}
	}
	if e.Status/100 == 3 {
		text += "; redirects are not followed"
	}
	return text
}

// api is an endpoint with its credentials.
type api struct {
	client *http.Client // nil means http.DefaultClient
	url    string
	key    string
	header http.Header
}

// endpoint returns the URL of a method. A base may end in /v1, or in a slash.
func endpoint(base, fallback, method string) string {
	if base == "" {
		base = fallback
	}
	base = strings.TrimSuffix(strings.TrimRight(base, "/"), "/v1")
	return strings.TrimRight(base, "/") + "/v1/" + method
}

// post sends a request, and decodes the answer.
func (a *api) post(ctx context.Context, request, answer any) error {
	body, err := json.Marshal(request, jsontext.AllowInvalidUTF8(true)) // the payload may have invalid UTF-8
	if err != nil {
		return err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, a.url, bytes.NewReader(body))
	if err != nil {
		return errors.New("the BaseURL cannot be used; write https://host")
	}
	req.Header = a.header.Clone()
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("User-Agent", "snaphook")
	status, text, err := a.send(req)
	switch {
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case err != nil:
		return fmt.Errorf("POST %s: %w", req.URL.Host, err)
	case status/100 != 2:
		return a.failure(status, text)
	}
	if err := json.Unmarshal(text, answer, jsontext.AllowInvalidUTF8(true)); err != nil {
		return fmt.Errorf("POST %s: the answer is not as documented: %w", req.URL.Host, err)
	}
	return nil
}

// send returns the status and the body of the answer.
func (a *api) send(req *http.Request) (status int, text []byte, err error) {
	resp, err := withoutRedirects(a.client).Do(req)
	var outer *url.Error
	if errors.As(err, &outer) {
		err = outer.Err // the outer error adds the URL
	}
	if err != nil {
		return 0, nil, err
	}
	defer func() { _ = resp.Body.Close() }() // after reading, an error of Close does not matter
	text, err = io.ReadAll(io.LimitReader(resp.Body, MaxAnswer+1))
	switch {
	case resp.StatusCode/100 != 2: // even a truncated explanation is useful
		err = nil
	case len(text) > MaxAnswer:
		err = fmt.Errorf("the answer is longer than %d bytes", MaxAnswer)
	}
	return resp.StatusCode, text, err
}

// withoutRedirects returns a client that does not follow redirects, because a redirect would send the key to another
// server.
func withoutRedirects(client *http.Client) *http.Client {
	if client == nil {
		client = http.DefaultClient
	}
	own := *client
	own.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return &own
}

// failure reads an API's error: {"error": {"type", "message"}}, or the variants of compatible servers. It removes the
// key, which some servers repeat.
func (a *api) failure(status int, text []byte) error {
	e := &Error{Status: status}
	answer := wire.Object(text)
	inner := answer.Get("error")
	if inner.Kind() == '{' {
		answer = wire.Object(inner)
	}
	e.Type, e.Message = answer.Text("type"), answer.Text("message")
	if message, ok := wire.Text(inner); ok {
		e.Message = message
	}
	e.Type, e.Message = a.discreet(e.Type), a.discreet(e.Message)
	return e
}

// discreet returns the beginning of a text, with the key removed.
func (a *api) discreet(text string) string {
	if a.key != "" {
		text = strings.ReplaceAll(text, a.key, "[redacted]")
	}
	return fmt.Sprintf("%.500s", text)
}

// choose returns the model that the request names, or else the default.
func choose(asked, preferred string) (string, error) {
	if asked == "" {
		asked = preferred
	}
	if asked == "" {
		return "", errors.New("no model is named: set Model to a small, fast model")
	}
	return asked, nil
}
