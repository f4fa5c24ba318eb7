package request

import (
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/snaphook-go/snaphook/hook"
)

func TestHeadersStandForVariables(t *testing.T) {
	env := map[string]string{"TOKEN": "tok", "OTHER": "secret", "REF": "$OTHER ${TOKEN}", "EVIL": "a\r\nX-Evil: 1\x00\x7f", "EMPTY": ""}
	for _, tt := range []struct{ name, value, want string }{
		{"text", "plain", "plain"},
		{"a variable", "Bearer $TOKEN", "Bearer tok"},
		{"in braces", "${TOKEN}", "tok"},
		{"two", "$TOKEN${TOKEN}x", "toktokx"},
		{"the longest name counts", "$TOKENS-$TOKEN", "-tok"},
		{"a variable that is not allowed", "a$OTHER-${OTHER}b", "a-b"},
		{"a variable that does not exist", "a$NONE", "a"},
		{"an empty variable", "a$EMPTY", "a"},
		{"a value is not looked at again", "$REF", "$OTHER ${TOKEN}"},
		{"no name", "$ $1 ${} ${1} ${TOKEN $", "$ $1 ${} ${1} ${TOKEN $"},
		{"a dollar before", "$$TOKEN", "$tok"},
		{"parts do not become a reference", "$$OTHER{TOKEN}", "${TOKEN}"},
		{"names are as they are written", "$token", ""},
		{"line breaks of a value", "$EVIL", "aX-Evil: 1"},
		{"line breaks as configured", "a\r\nb\x00c\td\x1b", "abc\td"},
		{"text beyond ASCII", "Zürich", "Zürich"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			h := &HTTP{
				URL: "http://x", Headers: map[string]string{"X-A": tt.value},
				Vars:   []string{"TOKEN", "REF", "EVIL", "EMPTY", "NONE"},
				Getenv: func(name string) (string, bool) { v, ok := env[name]; return v, ok },
			}
			header, notes := h.header(func(name string) string { return h.variable(hook.Call{}, name) })
			if got := header.Get("X-A"); got != tt.want || len(notes) > 0 {
				t.Errorf("got %q, notes %q; want %q", got, notes, tt.want)
			}
		})
	}
}

func TestHeadersAllowNoVariableByDefault(t *testing.T) {
	h := &HTTP{Headers: map[string]string{"X-A": "v=$PATH"}}
	header, _ := h.header(func(string) string { return "leak" })
	if got := header.Get("X-A"); got != "v=" {
		t.Errorf("got %q, want v=", got)
	}
}

func TestVariablesOfTheCallComeFirst(t *testing.T) {
	t.Setenv("SNAPHOOK_TEST_A", "environment")
	h := &HTTP{Vars: []string{"SNAPHOOK_TEST_A"}}
	for _, tt := range []struct {
		name string
		env  []string
		want string
	}{
		{"the engine's environment", nil, "environment"},
		{"another variable", []string{"SNAPHOOK_TEST_AB=x", "SNAPHOOK_TEST_A"}, "environment"},
		{"the call's, the last of equals", []string{"SNAPHOOK_TEST_A=1", "SNAPHOOK_TEST_A=2=3"}, "2=3"},
		{"the call's, empty", []string{"SNAPHOOK_TEST_A="}, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := h.variable(hook.Call{Env: tt.env}, "SNAPHOOK_TEST_A"); got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

func TestHeadersOfTheEngineStay(t *testing.T) {
	var got *http.Request
	server := serveFunc(t, func(_ http.ResponseWriter, r *http.Request) { got = r })
	h := &HTTP{URL: server.URL, Headers: map[string]string{
		"host": "evil.example", "Content-Length": "1", "transfer-encoding": "chunked", "Connection": "close, X-A", "TE": "trailers",
		"Upgrade": "h2c", "Expect": "100-continue", "Proxy-Authorization": "x",
		"": "x", "A B": "x", "A:B": "x", "A\r\nB": "x", "Ä": "x",
		"content-type": "application/vnd.hook+json", "User-Agent": "mine", "X-A": "kept",
	}}
	payload := []byte(`{"a":1}`)
	if _, err := h.Run(t.Context(), hook.Call{Payload: payload}); err != nil {
		t.Fatal(err)
	}
	want := http.Header{
		"Accept-Encoding": {"gzip"}, "Content-Length": {"7"}, "Content-Type": {"application/vnd.hook+json"}, "User-Agent": {"mine"}, "X-A": {"kept"},
	}
	if diff := cmp.Diff(want, got.Header); diff != "" || "http://"+got.Host != server.URL {
		t.Errorf("host %s, headers (-want +got):\n%s", got.Host, diff)
	}
	notes, err := h.Check()
	if err != nil || len(notes) != 13 {
		t.Errorf("Check gives %v and %d notes, want 13:\n%s", err, len(notes), strings.Join(notes, "\n"))
	}
}

func TestEqualHeadersCountOnce(t *testing.T) {
	h := &HTTP{URL: "http://x", Headers: map[string]string{"X-A": "upper", "x-a": "lower"}}
	for range 20 { // a map has no fixed order
		header, notes := h.header(func(string) string { return "" })
		want := []string{`header "X-A" is left out: "x-a" is the same name`}
		if diff := cmp.Diff(want, notes); diff != "" || !slices.Equal(header["X-A"], []string{"lower"}) {
			t.Fatalf("got %q, notes (-want +got):\n%s", header["X-A"], diff)
		}
	}
}

// FuzzHeader checks that any header becomes one header line, without variables that are not
// allowed.
func FuzzHeader(f *testing.F) {
	for _, seed := range [][3]string{
		{"X-A", "Bearer $TOKEN", "tok"}, {"x-a", "${TOKEN}-$OTHER", "$OTHER"}, {"X\r\nY", "a\r\nb\x00", "\r\nX-Evil: 1"},
		{"Content-Length", "1", ""}, {"", "$", "${TOKEN}"}, {"é", "$$TOKEN{OTHER}", "\xff\x7f\t"},
	} {
		f.Add(seed[0], seed[1], seed[2])
	}
	f.Fuzz(func(t *testing.T, name, value, token string) {
		const secret = "s3cret-that-nobody-may-see"
		h := &HTTP{URL: "http://x", Headers: map[string]string{name: value}, Vars: []string{"TOKEN"}}
		header, notes := h.header(func(name string) string { return map[string]string{"TOKEN": token, "OTHER": secret}[name] })
		for name, values := range header {
			if !isToken(name) || len(values) != 1 || strings.ContainsAny(values[0], "\r\n\x00") || strings.Contains(values[0], secret) {
				t.Errorf("header %q: %q", name, values)
			}
		}
		if _, kept := header[http.CanonicalHeaderKey(name)]; kept == (len(notes) == 1) && name != "" {
			t.Errorf("header %q is kept: %v, with notes %q", name, kept, notes)
		}
		req := httptest.NewRequest(http.MethodPost, "http://x", nil)
		req.Header = header
		if err := req.Write(new(strings.Builder)); err != nil {
			t.Errorf("%q cannot be sent: %v", maps.Collect(maps.All(header)), err)
		}
	})
}
