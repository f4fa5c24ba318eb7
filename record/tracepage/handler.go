package tracepage

import (
	"crypto/rand"
	"crypto/subtle"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/snaphook-go/snaphook/record/explain"
)

// mostViewers limits the browsers that are connected to one page.
const mostViewers = 64

// heartbeat is the interval of the messages to a browser while nothing changes.
const heartbeat = 15 * time.Second

// ServeHTTP serves the page at the root, its changes at events, and the explanation of a fire at explain?id=ID. Other
// paths are not found. It rejects a request from another site, with another host name, or without the token.
func (p *Page) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("Cache-Control", "no-store")
	h.Set("Cross-Origin-Resource-Policy", "same-origin")
	h.Set("Cross-Origin-Opener-Policy", "same-origin")
	h.Set("Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'")
	switch {
	case !p.isHost(r.Host):
		http.Error(w, "this page cannot be reached under the name of another machine", http.StatusMisdirectedRequest)
		return
	case !isSameSite(r):
		http.Error(w, "this page does not answer other sites", http.StatusForbidden)
		return
	case r.Method != http.MethodGet && r.Method != http.MethodHead:
		h.Set("Allow", "GET, HEAD")
		http.Error(w, "this page accepts only GET requests", http.StatusMethodNotAllowed)
		return
	}
	path := strings.TrimPrefix(r.URL.Path, "/")
	if p.cfg.Token != "" {
		token, rest, slash := strings.Cut(path, "/")
		if subtle.ConstantTimeCompare([]byte(token), []byte(p.cfg.Token)) != 1 || !slash {
			http.Error(w, "the token in the address is wrong; use the address that snaphook ui has printed", http.StatusForbidden)
			return
		}
		path = rest
	}
	switch path {
	case "":
		p.serveHTML(w)
	case "events":
		p.serveEvents(w, r)
	case "explain":
		p.serveExplain(w, r)
	default:
		http.NotFound(w, r)
	}
}

// isHost reports whether the host name of a request is localhost, a loopback address, or one of Config.Hosts.
func (p *Page) isHost(host string) bool {
	name := host
	if only, _, err := net.SplitHostPort(host); err == nil {
		name = only
	}
	name = strings.Trim(name, "[]")
	if strings.EqualFold(name, "localhost") || slices.ContainsFunc(p.cfg.Hosts, func(h string) bool { return strings.EqualFold(h, name) }) {
		return true
	}
	ip := net.ParseIP(name)
	return ip != nil && ip.IsLoopback()
}

// isSameSite reports whether the request comes from this page or from the address bar, and not from another site's
// page.
func isSameSite(r *http.Request) bool {
	if origin := r.Header.Get("Origin"); origin != "" {
		u, err := url.Parse(origin)
		if err != nil || u.Host != r.Host {
			return false
		}
	}
	switch r.Header.Get("Sec-Fetch-Site") {
	case "", "same-origin", "none":
		return true
	}
	return false
}

func (p *Page) serveHTML(w http.ResponseWriter) {
	nonce := rand.Text()
	h := w.Header()
	h.Set("Content-Type", "text/html; charset=utf-8")
	h.Set("Content-Security-Policy", "default-src 'none'; style-src 'nonce-"+nonce+"'; script-src 'nonce-"+nonce+
		"'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'")
	_, _ = w.Write(fill("", nonce, []byte(`{"live":true,"rows":[],"stats":[],"total":0,"fires":0,"hooks":0}`)))
}

// serveEvents sends the current frame, and then each change.
func (p *Page) serveEvents(w http.ResponseWriter, r *http.Request) {
	v := &viewer{messages: make(chan []byte, 8), fresh: true}
	p.mu.Lock()
	full := len(p.viewers) >= mostViewers
	if !full {
		p.viewers[v] = struct{}{}
	}
	p.mu.Unlock()
	if full || p.ctx.Err() != nil {
		http.Error(w, "too many browsers have this page open", http.StatusServiceUnavailable)
		return
	}
	defer func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		delete(p.viewers, v)
	}()
	w.Header().Set("Content-Type", "text/event-stream")
	out := http.NewResponseController(w)
	send := func(text []byte) bool {
		_, err := w.Write(text)
		return err == nil && out.Flush() == nil
	}
	select {
	case p.wanted <- struct{}{}:
	default:
	}
	if !send([]byte("retry: 1000\n\n")) {
		return
	}
	beat := time.NewTicker(heartbeat)
	defer beat.Stop()
	for {
		select {
		case <-p.ctx.Done():
			return
		case <-r.Context().Done():
			return
		case <-beat.C:
			if !send([]byte(": \n\n")) {
				return
			}
		case text, ok := <-v.messages:
			if !ok || !send(text) {
				return
			}
		}
	}
}

func (p *Page) serveExplain(w http.ResponseWriter, r *http.Request) {
	l := p.fire(r.URL.Query().Get("id"))
	if l == nil {
		http.Error(w, "there is no such fire, or it has been dropped", http.StatusNotFound)
		return
	}
	text, err := encode(explain.Of(l))
	if err != nil {
		http.Error(w, "the fire cannot be encoded", http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	_, _ = w.Write(text)
}
