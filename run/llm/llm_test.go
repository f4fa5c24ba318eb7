package llm

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"

	"github.com/snaphook-go/snaphook/run/judge"
	"github.com/snaphook-go/snaphook/wire"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const key = "sk-s3cret"

// maker makes a model for these tests, which both clients have to pass.
type maker func(base string, client *http.Client) judge.Model

var makers = map[string]maker{
	"anthropic": func(base string, client *http.Client) judge.Model {
		return Anthropic{BaseURL: base, Key: key, Model: "small", HTTP: client}
	},
	"openai": func(base string, client *http.Client) judge.Model {
		return OpenAI{BaseURL: base, Key: key, Model: "small", HTTP: client}
	},
}

// good is an answer that both clients understand.
const good = `{"content":[{"type":"text","text":"fine"}],"choices":[{"message":{"content":"fine"}}]}`

func serve(t *testing.T, handler http.HandlerFunc) *httptest.Server {
	t.Helper()
	server := httptest.NewServer(handler)
	t.Cleanup(server.Close)
	return server
}

func answers(t *testing.T, status int, body string) *httptest.Server {
	t.Helper()
	return serve(t, func(w http.ResponseWriter, r *http.Request) {
		io.Copy(io.Discard, r.Body)
		w.WriteHeader(status)
		io.WriteString(w, body)
	})
}

// each runs a test for each API.
func each(t *testing.T, test func(t *testing.T, make maker)) {
	for name, make := range makers {
		t.Run(name, func(t *testing.T) { test(t, make) })
	}
}

func TestTheAPIsErrorIsPassedOn(t *testing.T) {
	for _, tt := range []struct {
		name   string
		status int
		body   string
		want   Error
		text   string
	}{
		{"of Anthropic", 529, `{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"},"request_id":"r"}`,
			Error{529, "overloaded_error", "Overloaded"}, "the API answered 529 overloaded_error: Overloaded"},
		{"of OpenAI", 429, `{"error":{"message":"Slow down","type":"requests","param":null,"code":"rate_limit_exceeded"}}`,
			Error{429, "requests", "Slow down"}, "the API answered 429 requests: Slow down"},
		{"one text", 404, `{"error":"model not found"}`, Error{404, "", "model not found"}, "the API answered 404: model not found"},
		{"without an object around it", 400, `{"object":"error","message":"too long","type":"BadRequestError","code":400}`,
			Error{400, "BadRequestError", "too long"}, "the API answered 400 BadRequestError: too long"},
		{"without words", 500, ``, Error{Status: 500}, "the API answered 500"},
		{"a page of a proxy", 502, `<html>Bad Gateway</html>`, Error{Status: 502}, "the API answered 502"},
		{"half an explanation", 400, `{"error":{"type":"x","mess`, Error{Status: 400}, "the API answered 400"},
		{"members of other types", 400, `{"error":{"type":1,"message":[]}}`, Error{Status: 400}, "the API answered 400"},
		{"the key is taken out", 401, `{"error":{"type":"` + key + `","message":"Incorrect API key: ` + key + `."}}`,
			Error{401, "[redacted]", "Incorrect API key: [redacted]."}, "the API answered 401 [redacted]: Incorrect API key: [redacted]."},
		{"a redirect", 307, ``, Error{Status: 307}, "the API answered 307; redirects are not followed"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			each(t, func(t *testing.T, make maker) {
				_, err := make(answers(t, tt.status, tt.body).URL, nil).Generate(t.Context(), judge.ModelRequest{Prompt: "?"})
				var got *Error
				if !errors.As(err, &got) || *got != tt.want || err.Error() != tt.text {
					t.Errorf("got %v, want %s", err, tt.text)
				}
			})
		})
	}
}

func TestLongExplanationsAreCut(t *testing.T) {
	each(t, func(t *testing.T, make maker) {
		_, err := make(answers(t, 400, `{"error":"`+strings.Repeat("é", 2000)+`"}`).URL, nil).Generate(t.Context(), judge.ModelRequest{})
		var got *Error
		if !errors.As(err, &got) || got.Message != strings.Repeat("é", 500) {
			t.Errorf("got %v, want the first 500 characters", err)
		}
	})
}

func TestBadAnswersAreErrors(t *testing.T) {
	for _, tt := range []struct{ name, body, want string }{
		{"no JSON", "hello", "the answer is not as documented"},
		{"half an object", good[:len(good)-5], "the answer is not as documented"},
		{"another shape", `{"content":"fine","choices":"fine"}`, "the answer is not as documented"},
		{"an array", `[]`, "the answer is not as documented"},
		{"nothing", ``, "the answer is not as documented"},
		{"an empty object", `{}`, "the answer has no text"},
		{"no text", `{"content":[{"type":"tool_use"}],"choices":[{"message":{"content":null}}]}`, "the answer has no text"},
		{"a reason for no text", `{"content":[],"stop_reason":"refusal","choices":[{"message":{},"finish_reason":"refusal"}]}`, `the answer has no text; it ended with "refusal"`},
		{"a cut text", `{"content":[{"type":"text","text":"fi"}],"stop_reason":"max_tokens","choices":[{"message":{"content":"fi"},"finish_reason":"length"}]}`, "raise MaxTokens"},
		{"a text without an end", strings.Repeat(" ", MaxAnswer) + good, "the answer is longer than 1048576 bytes"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			each(t, func(t *testing.T, make maker) {
				text, err := make(answers(t, 200, tt.body).URL, nil).Generate(t.Context(), judge.ModelRequest{})
				if text != "" || err == nil || !strings.Contains(err.Error(), tt.want) {
					t.Errorf("got %q, %v; want %s", text, err, tt.want)
				}
			})
		})
	}
}

func TestAnAnswerThatBreaksOffIsAnError(t *testing.T) {
	each(t, func(t *testing.T, make maker) {
		server := serve(t, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Length", "10000")
			io.WriteString(w, good)
		})
		_, err := make(server.URL, nil).Generate(t.Context(), judge.ModelRequest{})
		if !errors.Is(err, io.ErrUnexpectedEOF) {
			t.Errorf("err = %v, want an unexpected EOF", err)
		}
	})
}

func TestAnAnswerMayBeAsLongAsTheLimit(t *testing.T) {
	each(t, func(t *testing.T, make maker) {
		server := answers(t, 200, strings.Repeat(" ", MaxAnswer-len(good))+good)
		text, err := make(server.URL, nil).Generate(t.Context(), judge.ModelRequest{})
		if text != "fine" || err != nil {
			t.Errorf("got %q, %v; want fine", text, err)
		}
	})
}

func TestTheBaseURLMayEndInSeveralWays(t *testing.T) {
	want := map[string]string{"anthropic": "/v1/messages", "openai": "/v1/chat/completions"}
	for name, make := range makers {
		var got string
		server := serve(t, func(w http.ResponseWriter, r *http.Request) {
			got = r.URL.Path
			io.WriteString(w, good)
		})
		for suffix, prefix := range map[string]string{"": "", "/": "", "/v1": "", "/v1/": "", "/proxy": "/proxy", "/proxy/v1//": "/proxy"} {
			_, err := make(server.URL+suffix, nil).Generate(t.Context(), judge.ModelRequest{})
			if err != nil || got != prefix+want[name] {
				t.Errorf("%s: the base with %q leads to %s, %v; want %s", name, suffix, got, err, prefix+want[name])
			}
		}
	}
	if got := endpoint("", "https://api.example.com", "messages"); got != "https://api.example.com/v1/messages" {
		t.Errorf("no base leads to %s", got)
	}
}

func TestRedirectsDoNotCarryTheKeyAway(t *testing.T) {
	each(t, func(t *testing.T, make maker) {
		other := serve(t, func(_ http.ResponseWriter, r *http.Request) { t.Errorf("%s was asked", r.URL) })
		server := serve(t, func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, other.URL, http.StatusTemporaryRedirect)
		})
		mine := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return nil }}
		for _, client := range []*http.Client{nil, mine} {
			if _, err := make(server.URL, client).Generate(t.Context(), judge.ModelRequest{}); err == nil {
				t.Error("no error, want one that names the status")
			}
		}
		mine.CloseIdleConnections()
	})
}

func TestNoModelIsAnError(t *testing.T) {
	for _, model := range []judge.Model{Anthropic{}, OpenAI{}} {
		if _, err := model.Generate(t.Context(), judge.ModelRequest{}); err == nil || !strings.Contains(err.Error(), "no model is named") {
			t.Errorf("%T: %v, want an error that no model is named", model, err)
		}
	}
}

func TestErrorsNameTheHostAndNeverTheKey(t *testing.T) {
	closed := answers(t, 200, "")
	closed.Close()
	each(t, func(t *testing.T, make maker) {
		for base, want := range map[string]string{
			closed.URL:                        "POST " + strings.TrimPrefix(closed.URL, "http://") + ": dial tcp",
			"http://u:" + key + "@%zz/":       "the BaseURL cannot be used",
			"ftp://u:" + key + "@host/" + key: "POST host: unsupported protocol scheme",
		} {
			_, err := make(base, nil).Generate(t.Context(), judge.ModelRequest{})
			if err == nil || !strings.HasPrefix(err.Error(), want) || strings.Contains(err.Error(), key) {
				t.Errorf("%v, want %s…", err, want)
			}
		}
	})
	odd := key + "\n"
	for _, model := range []judge.Model{Anthropic{BaseURL: closed.URL, Model: "m", Key: odd}, OpenAI{BaseURL: closed.URL, Model: "m", Key: odd}} {
		if _, err := model.Generate(t.Context(), judge.ModelRequest{}); err == nil || strings.Contains(err.Error(), key) {
			t.Errorf("%T: a key with a line break gives %v, want an error without it", model, err)
		}
	}
}

type roundTrip func(*http.Request) (*http.Response, error)

func (f roundTrip) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

func TestTheContextEndsARequest(t *testing.T) {
	late := errors.New("late")
	silent := roundTrip(func(r *http.Request) (*http.Response, error) {
		<-r.Context().Done()
		return nil, r.Context().Err()
	})
	each(t, func(t *testing.T, make maker) {
		synctest.Test(t, func(t *testing.T) {
			ctx, cancel := context.WithTimeoutCause(t.Context(), 30*time.Second, late)
			defer cancel()
			start := time.Now()
			_, err := make("http://host", &http.Client{Transport: silent}).Generate(ctx, judge.ModelRequest{})
			if took := time.Since(start); err != late || took != 30*time.Second {
				t.Errorf("err = %v after %v, want %v after 30s", err, took, late)
			}
		})
	})
}

// FuzzFailure checks that the error contains no API key, for any error text of an API.
func FuzzFailure(f *testing.F) {
	f.Add(`{"error":{"type":"x","message":"sk-s3cret"}}`)
	f.Add(`{"error":"sk-ssk-s3cret3cret"}`)
	f.Add(`{"message":"sk-\u00733cret","type":"` + strings.Repeat("x", 600) + `"}`)
	f.Fuzz(func(t *testing.T, body string) {
		a := api{key: key}
		if err := a.failure(500, wire.Object(body)); strings.Contains(err.Error(), key) || len(err.Error()) > 5000 {
			t.Errorf("%q gives %q", body, err)
		}
	})
}
