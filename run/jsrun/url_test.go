package jsrun

import (
	"testing"
	"time"
)

// TestAddresses has the parts of addresses as the URL standard reads them.
func TestAddresses(t *testing.T) {
	for _, test := range []struct{ name, body, want string }{
		{"all parts", "parts('HTTPS://Us%65r:p%40w@Example.ORG:8443/a/./b/../c%20d?q=1&r=%32#top')",
			`["https:","Us%65r","p%40w","example.org:8443","example.org","8443","/a/c%20d","?q=1&r=%32","#top","https://example.org:8443"]`},
		{"a port that goes without saying", "['http://a:80/', 'https://a:443', 'https://a:80', 'wss://a:0443/'].map(s => new URL(s).href)", `["http://a/","https://a/","https://a:80/","wss://a/"]`},
		{"a user that looks like a host", "[new URL('https://good.example@evil.example/').hostname, new URL('https://good.example:x@y@evil.example').hostname]", `["evil.example","evil.example"]`},
		{"slashes of both kinds", "[new URL('https:\\\\\\\\evil.example\\\\a/..\\\\b').href, new URL('http:evil.example').href, new URL('https:////evil.example').href]", `["https://evil.example/b","http://evil.example/","https://evil.example/"]`},
		{"what is around and between", "new URL('  ht\\ntps://a.b/\\tc ').href", `"https://a.b/c"`},
		{"hosts that are numbers", "['127.1', '0x7f.0.0.1', '2130706433', '0177.0.0.1', '127.0.0.1.'].map(h => new URL('http://' + h).hostname)", `["127.0.0.1","127.0.0.1","127.0.0.1","127.0.0.1","127.0.0.1"]`},
		{"hosts of IPv6", "['[::1]', '[1:0:0:2:0:0:0:3]', '[::ffff:127.0.0.1]', '[FE80::]'].map(h => new URL('http://' + h).hostname)", `["[::1]","[1:0:0:2::3]","[::ffff:7f00:1]","[fe80::]"]`},
		{"hosts with escapes", "new URL('http://%65vil.%45xample').hostname", `"evil.example"`},
		{"dots with escapes", "new URL('http://a/b/%2e%2E/c/%2e').pathname", `"/c/"`},
		{"what has to be escaped", "new URL('http://a/é <b>?ü \\'#`').href", `"http://a/%C3%A9%20%3Cb%3E?%C3%BC%20%27#%60"`},
		{"no address", `['', 'a', '/a', '//a', 'http://', 'http://a:b', 'http://a:70000', 'http://a b', 'http://[::1', 'http://256.0.0.1', 'http://1.2.3.4.5', 'http://a%00', 'http://[1::2::3]'].filter(s => URL.canParse(s))`, `[]`},
		{"an error with a code", "(() => { try { new URL('nowhere') } catch (e) { return [e.name, e.code, e.message] } })()", `["TypeError","ERR_INVALID_URL","Invalid URL: neither a scheme nor a base"]`},
		{"hosts beyond ASCII", "(() => { try { new URL('http://bücher.example') } catch (e) { return e.message } })()", `"Invalid URL: hosts beyond ASCII are not supported, write them as xn--"`},
		{"relative to a base", "['b', './b', '../b', '/b', '//h/b', '?q', '#f', '', 'http:b', 'ftp://x/y', '..\\\\b'].map(s => new URL(s, 'http://u:p@a/c/d?e#g').href)",
			`["http://u:p@a/c/b","http://u:p@a/c/b","http://u:p@a/b","http://u:p@a/b","http://h/b","http://u:p@a/c/d?q","http://u:p@a/c/d?e#f","http://u:p@a/c/d?e","http://u:p@a/c/b","ftp://x/y","http://u:p@a/b"]`},
		{"files", "['file:///a/../b', 'file://localhost/c', 'file:C|/x/../..', 'file://h/p'].map(s => new URL(s).href)", `["file:///b","file:///c","file:///C:/","file://h/p"]`},
		{"other schemes", "['mailto:a@b', 'ssh://git@h:22/~a/b.git', 'vault:/x//y/..', 'data:,a b'].map(s => [new URL(s).href, new URL(s).origin, new URL(s).host])",
			`[["mailto:a@b","null",""],["ssh://git@h:22/~a/b.git","null","h:22"],["vault:/x//","null",""],["data:,a b","null",""]]`},
		{"as a text", "[`${new URL('http://a')}`, JSON.stringify({ u: new URL('http://a') })]", `["http://a/","{\"u\":\"http://a/\"}"]`},
		{"parts that are changed", "(() => { const u = new URL('http://a/b?c#d'); u.pathname = 'x y?'; u.search = 'q=ä'; u.hash = ''; u.searchParams.append('r', '&'); return [u.href, u.searchParams.get('q')] })()", `["http://a/x%20y%3F?q=%C3%A4&r=%26","ä"]`},
		{"parts that cannot be", "(() => { 'use strict'; const u = new URL('http://a/'); try { u.host = 'b' } catch (e) { return [e.message, u.host] } })()", `["host of a URL cannot be changed here; make a new one","a"]`},
		{"queries", "(() => { const q = new URLSearchParams('?a=1&b=2+3%26&a=%zz&c'); q.append('d', 'é'); q.delete('b'); q.set('c', '~*'); return [q.toString(), q.getAll('a'), q.get('b'), q.has('d', 'é'), q.size, [...q.keys()]] })()",
			`["a=1&a=%25zz&c=%7E*&d=%C3%A9",["1","%zz"],null,true,4,["a","a","c","d"]]`},
		{"queries of objects", "[new URLSearchParams({ b: 1, a: '=' }), new URLSearchParams([['x', 'y']]), new URLSearchParams(new Map([['m', 'n']]))].map(q => (q.sort(), `${q}`))", `["a=%3D&b=1","x=y","m=n"]`},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			a := limited(t, `async () => {
				const parts = s => { const u = new URL(s); return ["protocol", "username", "password", "host", "hostname", "port", "pathname", "search", "hash", "origin"].map(p => u[p]) };
				return (`+test.body+`) }`, Options{CPU: 5 * time.Second})
			got, err := a.call(t, "{}")
			if err != nil {
				t.Fatal(err)
			}
			sameJSON(t, got, test.want)
		})
	}
}
