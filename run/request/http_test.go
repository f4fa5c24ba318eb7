package request

import (
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/snaphook-go/snaphook/hook"
)

// serve starts a server that answers with status and body.
func serve(t *testing.T, status int, body string) *httptest.Server {
	t.Helper()
	return serveFunc(t, func(w http.ResponseWriter, r *http.Request) {
		io.Copy(io.Discard, r.Body)
		w.WriteHeader(status)
		io.WriteString(w, body)
	})
}

func serveFunc(t *testing.T, handler http.HandlerFunc) *httptest.Server {
	t.Helper()
	server := httptest.NewServer(handler)
	t.Cleanup(server.Close)
	return server
}

func TestHTTPReadsAnswers(t *testing.T) {
	object := `{"decision": "block"}`
	tests := []struct {
		name   string
		status int
		body   string
		stdout string
		err    string // "": no error
	}{
		{"nothing is silence", 200, "", "", ""},
		{"204 is silence", 204, "", "", ""},
		{"white space is silence", 200, " \r\n\t", " \r\n\t", ""},
		{"an object is the answer", 200, object, object, ""},
		{"an object with white space around it", 200, "\n " + object + "\n", "\n " + object + "\n", ""},
		{"an object behind a byte order mark", 200, "\uFEFF" + object, "\uFEFF" + object, ""},
		{"any 2xx", 202, object, object, ""},
		{"an object with equal names is for the dialect to read", 200, `{"a":1,"a":2}`, `{"a":1,"a":2}`, ""},
		{"text", 200, "hello there", "", "answered with text; want a JSON object"},
		{"an array", 200, `[{}]`, "", "answered with text; want a JSON object"},
		{"a string with an object in it", 200, `"{}"`, "", "answered with text; want a JSON object"},
		{"null", 200, `null`, "", "answered with text; want a JSON object"},
		{"half an object", 200, `{"decision": "blo`, "", "answered with text; want a JSON object"},
		{"an object and something else", 200, `{} {}`, "", "answered with text; want a JSON object"},
		{"text in braces", 200, `{hello}`, "", "answered with text; want a JSON object"},
		{"403 does not block, whatever it says", 403, object, "", "answered 403 Forbidden"},
		{"500", 500, object, "", "answered 500 Internal Server Error"},
		{"a status that nobody knows", 799, "", "", "answered 799"},
		{"a redirect", 307, object, "", "answered 307 Temporary Redirect; redirects are not followed"},
		{"304", 304, "", "", "answered 304 Not Modified; redirects are not followed"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			server := serve(t, tt.status, tt.body)
			reply, err := (&HTTP{URL: server.URL}).Run(t.Context(), hook.Call{Payload: []byte(`{}`)})
			if string(reply.Stdout) != tt.stdout || reply.Exit != 0 || reply.Stderr != nil {
				t.Errorf("got %+v, want standard output %q and nothing else", reply, tt.stdout)
			}
			if tt.err == "" && err != nil || tt.err != "" && (err == nil || err.Error() != "POST "+server.URL+": "+tt.err) {
				t.Errorf("err = %v, want %q", err, tt.err)
			}
			var status *StatusError
			if is := errors.As(err, &status); is != (tt.status/100 != 2) || is && status.Code != tt.status {
				t.Errorf("err = %#v, want a StatusError exactly if the status is not 2xx", err)
			}
			if errors.Is(err, ErrText) != strings.HasPrefix(tt.err, "answered with text") {
				t.Errorf("err = %v, want ErrText exactly for text", err)
			}
		})
	}
}

func TestHTTPSendsThePayloadAsItIs(t *testing.T) {
	var got *http.Request
	var body []byte
	server := serveFunc(t, func(_ http.ResponseWriter, r *http.Request) {
		got = r
		body, _ = io.ReadAll(r.Body)
	})
	for _, size := range []int{0, 1, 100, 5 << 20} {
		payload := []byte(`{"a":  ` + strings.Repeat(" ", size) + `12345678901234567890}` + "\n")
		kept := slices.Clone(payload)
		if _, err := (&HTTP{URL: server.URL + "/hook/a%2Fb?key=1"}).Run(t.Context(), hook.Call{Payload: payload}); err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(body, kept) || !bytes.Equal(payload, kept) {
			t.Errorf("%d bytes arrived, want the %d of the payload", len(body), len(kept))
		}
		if got.Method != http.MethodPost || got.RequestURI != "/hook/a%2Fb?key=1" || got.ContentLength != int64(len(kept)) {
			t.Errorf("got %s %s with %d bytes, want POST /hook/a%%2Fb?key=1 with %d", got.Method, got.RequestURI, got.ContentLength, len(kept))
		}
		if kind := got.Header.Get("Content-Type"); kind != "application/json" {
			t.Errorf("content type %q, want application/json", kind)
		}
	}
}

func TestHTTPDoesNotFollowRedirects(t *testing.T) {
	var paths []string
	server := serveFunc(t, func(w http.ResponseWriter, r *http.Request) {
		paths = append(paths, r.URL.Path)
		http.Redirect(w, r, "/other", http.StatusPermanentRedirect)
	})
	_, err := (&HTTP{URL: server.URL + "/hook"}).Run(t.Context(), hook.Call{})
	if err == nil || len(paths) != 1 {
		t.Errorf("err = %v after requests for %q, want an error after one", err, paths)
	}
}

func TestHTTPKeepsNoCookies(t *testing.T) {
	var cookies []string
	server := serveFunc(t, func(w http.ResponseWriter, r *http.Request) {
		cookies = append(cookies, r.Header.Get("Cookie"))
		http.SetCookie(w, &http.Cookie{Name: "a", Value: "b"})
	})
	for range 2 {
		if _, err := (&HTTP{URL: server.URL}).Run(t.Context(), hook.Call{}); err != nil {
			t.Fatal(err)
		}
	}
	if !slices.Equal(cookies, []string{"", ""}) {
		t.Errorf("got cookies %q, want none", cookies)
	}
}

func TestHTTPTakesUserAndPasswordOfTheURL(t *testing.T) {
	var got []string
	server := serveFunc(t, func(_ http.ResponseWriter, r *http.Request) { got = append(got, r.Header.Get("Authorization")) })
	withUser := strings.Replace(server.URL, "//", "//me:pw@", 1)
	for _, headers := range []map[string]string{nil, {"authorization": "Bearer x"}} {
		if _, err := (&HTTP{URL: withUser, Headers: headers}).Run(t.Context(), hook.Call{}); err != nil {
			t.Fatal(err)
		}
	}
	if want := []string{"Basic bWU6cHc=", "Bearer x"}; !slices.Equal(got, want) {
		t.Errorf("got Authorization %q, want %q", got, want)
	}
}

func TestHTTPUnpacksGzip(t *testing.T) {
	server := serveFunc(t, func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Accept-Encoding") != "gzip" {
			t.Errorf("Accept-Encoding is %q, want gzip", r.Header.Get("Accept-Encoding"))
		}
		w.Header().Set("Content-Encoding", "gzip")
		z := gzip.NewWriter(w)
		io.WriteString(z, `{"a":1}`)
		z.Close()
	})
	reply, err := (&HTTP{URL: server.URL, Headers: map[string]string{"accept-encoding": "br"}}).Run(t.Context(), hook.Call{})
	if err != nil || string(reply.Stdout) != `{"a":1}` {
		t.Errorf("got %q, %v; want the object", reply.Stdout, err)
	}
}

func TestHTTPLimitsTheAnswer(t *testing.T) {
	for _, tt := range []struct {
		name  string
		size  int
		large bool
	}{
		{"as long as it may be", MaxAnswer, false},
		{"a byte longer", MaxAnswer + 1, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			const object = `{"a":"b"}`
			server := serveFunc(t, func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Content-Encoding", "gzip") // a small answer that becomes a large one
				z := gzip.NewWriter(w)
				io.WriteString(z, object+strings.Repeat(" ", tt.size-len(object)))
				z.Close()
			})
			reply, err := (&HTTP{URL: server.URL}).Run(t.Context(), hook.Call{})
			var large *hook.TooLargeError
			if is := errors.As(err, &large); is != tt.large || is && large.Kept != MaxAnswer {
				t.Errorf("err = %v, want a TooLargeError: %v", err, tt.large)
			}
			if err == nil && len(reply.Stdout) != tt.size {
				t.Errorf("got %d bytes, want %d", len(reply.Stdout), tt.size)
			}
		})
	}
}

func TestHTTPSaysThatAnAnswerBreaksOff(t *testing.T) {
	server := serveFunc(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Length", "100")
		io.WriteString(w, `{"decision": "block"}`)
	})
	reply, err := (&HTTP{URL: server.URL}).Run(t.Context(), hook.Call{})
	if !errors.Is(err, io.ErrUnexpectedEOF) || reply.Stdout != nil {
		t.Errorf("got %q, %v; want no answer and an unexpected EOF", reply.Stdout, err)
	}
}

func TestHTTPErrorsKeepSecrets(t *testing.T) {
	closed := serve(t, 200, "")
	closed.Close()
	host := strings.TrimPrefix(closed.URL, "http://")
	for _, tt := range []struct{ name, url, want string }{
		{"nobody there", "http://s3cret:s3cret@" + host + "/s3cret?s3cret=s3cret#s3cret", "POST http://" + host + ": dial tcp " + host},
		{"a broken port", "http://s3cret:s3cret/s3cret@host/", errURL.Error()},
		{"a broken escape", "http://host/s3cret%zz", errURL.Error()},
		{"a broken user", "http://s3cret\x01@host/s3cret", errURL.Error()},
		{"another scheme", "file:///s3cret", errURL.Error()},
		{"no scheme", "s3cret.example.com/hook", errURL.Error()},
		{"no host", "http:///s3cret", errURL.Error()},
		{"nothing but a port", "http://:80/s3cret", errURL.Error()},
		{"no URL", "", errURL.Error()},
	} {
		t.Run(tt.name, func(t *testing.T) {
			h := &HTTP{URL: tt.url, Headers: map[string]string{"Authorization": "s3cret"}}
			_, err := h.Run(t.Context(), hook.Call{Payload: []byte(`{"a":"s3cret"}`)})
			if err == nil || !strings.HasPrefix(err.Error(), tt.want) || strings.Contains(err.Error(), "s3cret") {
				t.Errorf("err = %v, want %s…", err, tt.want)
			}
			_, invalid := h.Check()
			if (invalid != nil) != (tt.want == errURL.Error()) {
				t.Errorf("Check says %v", invalid)
			}
		})
	}
}

func TestHTTPMayBeUsedByMany(t *testing.T) {
	server := serveFunc(t, func(w http.ResponseWriter, r *http.Request) { io.Copy(w, r.Body) })
	h := &HTTP{URL: server.URL}
	errs := make(chan error, 20)
	for i := range cap(errs) {
		go func() {
			payload := `{"a":` + strconv.Itoa(i) + `}`
			reply, err := h.Run(t.Context(), hook.Call{Payload: []byte(payload)})
			if err == nil && string(reply.Stdout) != payload {
				err = errors.New("got " + string(reply.Stdout) + ", want " + payload)
			}
			errs <- err
		}()
	}
	for range cap(errs) {
		if err := <-errs; err != nil {
			t.Error(err)
		}
	}
}
