package request

import (
	"net/url"
	"strings"
	"testing"
)

func TestAllowedURL(t *testing.T) {
	const hooks = "https://hooks.example.com/*"
	tests := []struct {
		name     string
		patterns []string
		allowed  []string
		refused  []string
	}{
		{"no list allows any", nil, []string{"https://a/", "ftp://a", "", "http://a/../b", "%zz"}, nil},
		{"an empty list allows none", []string{}, nil, []string{"https://a/", "", "*"}},
		{"an empty pattern allows none", []string{""}, nil, []string{"https://a/", ""}},
		{"a star allows all of HTTP", []string{"*"}, []string{"https://a/b?c", "http://[::1]:80/"}, []string{"ftp://a/", "file:///a", "javascript:x", "a", ""}},
		{"one of several", []string{"https://a/*", hooks}, []string{"https://hooks.example.com/x"}, []string{"https://b/"}},
		{"a path", []string{hooks},
			[]string{"https://hooks.example.com/", "https://hooks.example.com", "https://hooks.example.com/a/b?c=d#e", "https://hooks.example.com?a"},
			[]string{"http://hooks.example.com/", "https://hooks.example.com:8443/", "https://example.com/", "https://a.hooks.example.com/"}},
		{"upper case and a dot in the host are the same host", []string{hooks},
			[]string{"HTTPS://Hooks.EXAMPLE.com/X", "https://hooks.example.com./x", "https://hooks.example.com.:443/"}, []string{"https://hooks.example.com../x"}},
		{"upper case and a dot in the host of the pattern", []string{"HTTPS://Hooks.Example.COM./Path/*", "http://A.:8080/"},
			[]string{"https://hooks.example.com/Path/x", "http://a:8080"}, []string{"https://hooks.example.com/path/x"}},
		{"the port that the scheme implies", []string{hooks, "https://a:443/*", "http://b:*"},
			[]string{"https://hooks.example.com:443/x", "https://hooks.example.com:/x", "https://a/x", "https://a:443/x", "http://b/x", "http://b:80/x", "http://b:81"},
			[]string{"https://a:444/", "https://hooks.example.com:80/"}},
		{"no path is the root", []string{"https://a", "https://b?x"}, []string{"https://a", "https://a/", "https://b/?x"}, []string{"https://a/b", "https://a?b", "https://a.evil.com"}},
		{"another host that begins with it", []string{hooks}, nil, []string{"https://hooks.example.com.evil.com/", "https://hooks.example.com:x@evil.com/"}},
		{"a user is not the host", []string{hooks, "https://hooks.example.com*"}, []string{"https://evil.com@hooks.example.com/"},
			[]string{"https://hooks.example.com@evil.com/", "https://hooks.example.com:443@evil.com/", "https://hooks.example.com%2f@evil.com/"}},
		{"an at sign in the path is a path", []string{hooks}, []string{"https://hooks.example.com/@evil.com"}, nil},
		{"a star in the host stays there", []string{"https://*.example.com/*"}, []string{"https://a.b.example.com/x"},
			[]string{"https://evil.com/.example.com/", "https://evil.com/?.example.com/", "https://evil.com/#.example.com/", "https://example.com/", "https://evil.com:1/.example.com/"}},
		{"a star at the end goes on into the path", []string{"http://127.0.0.1:*"}, []string{"http://127.0.0.1:4711/a/b?c"}, []string{"http://127.0.0.1.evil.com/", "https://127.0.0.1:1/"}},
		{"a star in the scheme", []string{"http*://a/*"}, []string{"http://a/", "https://a/x"}, []string{"https://b/"}},
		{"a pattern without a scheme is compared with all", []string{"*/hook", "*example*"}, []string{"http://a/hook", "https://example/"}, []string{"http://a/hooks"}},
		{"stars in the path", []string{"https://a/*/x/*.json"}, []string{"https://a/b/c/x/d.json"}, []string{"https://a/x/d.json", "https://a/b/x/d.jsonp"}},
		{"nothing but a star is special", []string{"https://a.example/[x]?y", "https://b/."}, nil, []string{"https://abexample/x", "https://b/c"}},
		{"an address of version 6", []string{"http://[::1]:*"}, []string{"http://[::1]:80/", "http://[::1]/"}, []string{"http://[::2]/"}},
		{"ways out of a path", []string{"https://a/ok/*", "*"}, []string{"https://a/ok/.b", "https://a/ok/b..c", "https://a/?../"},
			[]string{"https://a/ok/../x", "https://a/ok/%2e%2E/x", "https://a/ok/..%2fx", "https://a/ok/./x", "https://a/ok/..", `https://a/ok/..\x`, "https://a/ok/..;/x", "https://a/ok/..%5cx"}},
		{"hosts beyond ASCII, which turn into others", []string{"https://*", "*"}, []string{"https://xn--bcher-kva.example/"}, []string{"https://bücher.example/", "https://evil。com/", "https://evil.com／.example.com/", "https://a%E3%80%82b/"}},
		{"what is no URL", []string{"*"}, nil, []string{"", "https://", "https:///x", "https:a", "//a/x", "https://a b/", "https://a\n/", `https://evil.com\@a/`, "https://a:x/", " https://a/", "https://a%2eb/"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			for _, u := range tt.allowed {
				if !AllowedURL(tt.patterns, u) {
					t.Errorf("%q does not allow %q", tt.patterns, u)
				}
			}
			for _, u := range tt.refused {
				if AllowedURL(tt.patterns, u) {
					t.Errorf("%q allows %q", tt.patterns, u)
				}
			}
		})
	}
}

func TestManyStarsAreCheap(t *testing.T) {
	long := "https://a/" + strings.Repeat("a", 100_000)
	if AllowedURL([]string{"https://a/" + strings.Repeat("a*", 10_000) + "b"}, long) {
		t.Error("a pattern that ends with b allows a URL that ends with a")
	}
}

// FuzzAllowedURL checks that patterns with one host allow only URLs of that host.
func FuzzAllowedURL(f *testing.F) {
	for _, seed := range [][2]string{
		{"*", "https://hooks.example.com@evil.com/"}, {"ok/*", "https://HOOKS.example.com.:443/ok/x?y#z"}, {"", "http://[::1%25a]:80/%2e./"},
		{"**a*", `https://hooks.example.com/\..;%00`}, {"?*", "https://hooks.example.com:?x"},
	} {
		f.Add(seed[0], seed[1])
	}
	f.Fuzz(func(t *testing.T, pattern, raw string) {
		AllowedURL([]string{pattern}, raw)
		if !AllowedURL([]string{"https://hooks.example.com/" + pattern}, raw) {
			return
		}
		u, err := url.Parse(raw)
		if err != nil || u.Scheme != "https" || strings.TrimSuffix(strings.ToLower(u.Hostname()), ".") != "hooks.example.com" || u.Port() != "" && u.Port() != "443" {
			t.Errorf("%q is allowed", raw)
		}
	})
}
