package jsrun

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"
	"time"
)

// TestAddresses compares the parts of addresses with the URL standard.
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
		{"an error with a code", "(() => { try { new URL('nowhere') } catch (e) { return [e.name, e.code, e.message] } })()", `["TypeError","ERR_INVALID_URL","Invalid URL"]`},
		{"an error with what was asked for", "[['nowhere'], ['//', 'http://a'], ['b', 'nowhere']].map(a => { try { new URL(...a) } catch (e) { return [e instanceof TypeError, e.input, e.base] } })", `[[true,"nowhere",null],[true,"//","http://a"],[true,"b","nowhere"]]`},
		{"asking first", "[URL.canParse('nowhere'), URL.canParse('b', 'http://a'), URL.parse('nowhere'), URL.parse('b', 'http://a').href]", `[false,true,null,"http://a/b"]`},
		{"hosts beyond ASCII", "['http://Bücher.example/ü', 'http://faß.de', 'http://日本語。jp', 'http://１２７.０.０.１', 'http://ex%C3%A4mple.com', 'http://xn--bcher-kva.example', 'ssh://bücher'].map(s => new URL(s).href)",
			`["http://xn--bcher-kva.example/%C3%BC","http://xn--fa-hia.de/","http://xn--wgv71a119e.jp/","http://127.0.0.1/","http://xn--exmple-cua.com/","http://xn--bcher-kva.example/","ssh://b%C3%BCcher"]`},
		{"hosts that only look like others", "['https://gооd.example', 'https://good.example。evil.example', 'https://good.example／@evil.example'].map(s => URL.parse(s)?.hostname ?? 'none')", `["xn--gd-fmca.example","good.example.evil.example","evil.example"]`},
		{"relative to a base", "['b', './b', '../b', '/b', '//h/b', '?q', '#f', '', 'http:b', 'ftp://x/y', '..\\\\b'].map(s => new URL(s, 'http://u:p@a/c/d?e#g').href)",
			`["http://u:p@a/c/b","http://u:p@a/c/b","http://u:p@a/b","http://u:p@a/b","http://h/b","http://u:p@a/c/d?q","http://u:p@a/c/d?e#f","http://u:p@a/c/d?e","http://u:p@a/c/b","ftp://x/y","http://u:p@a/b"]`},
		{"files", "['file:///a/../b', 'file://localhost/c', 'file:C|/x/../..', 'file://h/p'].map(s => new URL(s).href)", `["file:///b","file:///c","file:///C:/","file://h/p"]`},
		{"other schemes", "['mailto:a@b', 'ssh://git@h:22/~a/b.git', 'vault:/x//y/..', 'data:,a b'].map(s => [new URL(s).href, new URL(s).origin, new URL(s).host])",
			`[["mailto:a@b","null",""],["ssh://git@h:22/~a/b.git","null","h:22"],["vault:/x//","null",""],["data:,a b","null",""]]`},
		{"paths that are no paths", "(() => { const u = new URL('mailto:a@b?c'); u.pathname = 'x'; u.host = 'h'; u.port = '1'; u.username = 'u'; return [u.href, u.pathname, URL.canParse('x', u), new URL('#f', u).href] })()", `["mailto:a@b?c","a@b",false,"mailto:a@b?c#f"]`},
		{"a copy of an address", "(() => { const a = new URL('http://a/b'); const b = new URL(a); b.pathname = 'c'; return [a.href, b.href, a instanceof URL, b instanceof URL, new URL('d', a).href] })()", `["http://a/b","http://a/c",true,true,"http://a/d"]`},
		{"what text cannot hold", "[new URL('http://a/\\ud800?\\ud800#\\ud800').href, new URL('http://a/\\0b').pathname]", `["http://a/%EF%BF%BD?%EF%BF%BD#%EF%BF%BD","/%00b"]`},
		{"origins", "['http://a:80/b', 'wss://a:1', 'blob:https://a/b', 'blob:file:///a', 'file:///a', 'x://a'].map(s => new URL(s).origin)", `["http://a","wss://a:1","https://a","null","null","null"]`},
		{"as a text", "[`${new URL('http://a')}`, JSON.stringify({ u: new URL('http://a') })]", `["http://a/","{\"u\":\"http://a/\"}"]`},
		{"parts that are changed", "(() => { const u = new URL('http://a/b?c#d'); u.pathname = 'x y?'; u.search = 'q=ä'; u.hash = ''; u.searchParams.append('r', '&'); return [u.href, u.searchParams.get('q')] })()", `["http://a/x%20y%3F?q=%C3%A4&r=%26","ä"]`},
		{"every part changed", "(() => { const u = new URL('http://a/'); Object.assign(u, { protocol: 'https', username: 'u:', password: 'p@', host: 'bücher.example:8', pathname: 'c d', search: 'e=f', hash: 'g h' }); const all = [u.href]; u.hostname = '[::1]'; u.port = 443; all.push(u.href); u.href = 'ftp://x'; return [...all, u.href] })()",
			`["https://u%3A:p%40@xn--bcher-kva.example:8/c%20d?e=f#g%20h","https://u%3A:p%40@[::1]/c%20d?e=f#g%20h","ftp://x/"]`},
		{"parts that cannot be stay", "(() => { const u = new URL('http://a:1/'); Object.assign(u, { protocol: 'mailto', host: 'a b', hostname: '', port: 'x' }); const f = new URL('file:///a'); Object.assign(f, { username: 'u', port: '1' }); return [u.href, f.href] })()", `["http://a:1/","file:///a"]`},
		{"an address that cannot be stays", "(() => { const u = new URL('http://a/'); try { u.href = 'nowhere' } catch (e) { return [e.name, e.message, u.href] } })()", `["TypeError","Invalid URL","http://a/"]`},
		{"parts that only are read", "(() => { 'use strict'; const u = new URL('http://a/'); try { u.origin = 'b' } catch (e) { return [e.name, u.origin] } })()", `["TypeError","http://a"]`},
		{"queries in step", "(() => { const u = new URL('http://a/?b=1#h'); const q = u.searchParams; q.append('c', 'ä &'); const all = [u.href]; u.search = '?d=2'; all.push(`${q}`, q === u.searchParams); u.href = 'http://x/?e'; all.push(`${q}`); q.delete('e'); return [...all, u.href] })()",
			`["http://a/?b=1&c=%C3%A4+%26#h","d=2",true,"e=","http://x/"]`},
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

// The length of addresses is limited: the parser's time grows with its square.
func TestAddressesAreBounded(t *testing.T) {
	for _, text := range []string{
		"'http://' + '@'.repeat(4096)", "'http://a/' + 'x'.repeat(1 << 16)", "'http://a' + '/'.repeat(1 << 12)", "'s://' + '%'.repeat(1 << 15)",
		"'\\t/\\n/' + 'a'.repeat(4096)", "'ht\\ntp:' + '@'.repeat(4096)",
	} {
		a := limited(t, `() => { try { new URL(`+text+`, "http://a") } catch (e) { return [e.name, e.message, URL.canParse(`+text+`)] } }`, Options{})
		got, err := a.call(t, "{}")
		if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		sameJSON(t, got, `["RangeError","the URL is too long: at most 65536 bytes, 4096 before the path and 1024 slashes can be read",false]`)
	}
	a := limited(t, `() => { const u = new URL("http://a"); try { u.host = "@".repeat(4097) } catch (e) { return [e.name, u.href] } }`, Options{})
	got, err := a.call(t, "{}")
	if err != nil {
		t.Fatal(err)
	}
	sameJSON(t, got, `["RangeError","http://a/"]`)
}

// FuzzAddresses sets each part of every address that parses, and parses the result again: nothing
// panics, and an address parses to itself.
func FuzzAddresses(f *testing.F) {
	for _, seed := range [][3]string{
		{"http://u:p@bücher.example:8/a/../b?c#d", "//x\\y", "h:1"}, {"file:///C|/..", "C|", "localhost"}, {"data:x  ?q", "#", ""},
		{"s:/..//p", "?", "[::1]"}, {"http://1.0x2.3", "/%zz", "[1::1.2.3.4]"}, {"blob:https://a", "..", "\t\x00"}, {"http://xn--1ch.com", "", "≠"},
	} {
		f.Add(seed[0], seed[1], seed[2])
	}
	f.Fuzz(func(t *testing.T, base, text, value string) {
		for _, asked := range [][]any{{"href", base}, {"href", text, base}} {
			u := readParts(t, asked...)
			for part := range setters {
				if u == nil {
					break
				}
				set := readParts(t, part, value, u["href"])
				if set == nil || isTooLong(set["href"], false) {
					continue
				}
				if again := readParts(t, "href", set["href"]); again != nil && !reflect.DeepEqual(again, set) {
					t.Errorf("%q, %s set to %q: %q, read again %q", asked, part, value, set, again)
				}
			}
		}
	})
}

func readParts(t *testing.T, asked ...any) (parts map[string]string) {
	answer, is := address(asked).(string)
	switch {
	case strings.HasPrefix(answer, "!the URL is too long"):
	case is && answer[0] == '=':
		if err := json.Unmarshal([]byte(answer[1:]), &parts); err != nil {
			t.Errorf("%q: %v", asked, err)
		}
	case is:
		t.Errorf("%q: %s", asked, answer)
	}
	return parts
}

func TestAPanicOfTheParserIsAnErrorOfTheCall(t *testing.T) {
	answer, _ := address([]any{"href"}).(string) // the result does not matter
	if !strings.HasPrefix(answer, "!the URL cannot be read: ") {
		t.Errorf("got %q", answer)
	}
}
