// Package tracepage shows the activity of an agent's hooks: sessions, turns and calls as a waterfall, each hook with
// its times, and the explanation of each call. A [Page] is live: programs mount it in their own server, and snaphook ui
// serves it. [Frozen] returns the same page as one file.
//
// The page cannot change anything, and loads nothing from other servers. Texts of hooks and agents are sent as JSON,
// and the page's script puts them into text nodes.
package tracepage

import (
	"bytes"
	"context"
	"crypto/rand"
	"crypto/subtle"
	_ "embed"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/snaphook-go/snaphook/internal/bounded"
	"github.com/snaphook-go/snaphook/record"
	"github.com/snaphook-go/snaphook/record/explain"
	"github.com/snaphook-go/snaphook/record/tracetree"
)

//go:embed page.html
var html []byte

// policyFrozen forbids all requests of a page that is saved as a file.
const policyFrozen = `<meta http-equiv="Content-Security-Policy" content="default-src 'none'; ` +
	`style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:">`

// Frozen returns the page for sessions as one HTML file without references to other files.
func Frozen(sessions []*tracetree.Node) ([]byte, error) {
	f := frameOf(sessions)
	told := make(map[string]*explain.Explanation, len(f.lines))
	for id, l := range f.lines {
		told[id] = explain.Of(l)
	}
	text, err := encode(struct {
		*frame
		Explain map[string]*explain.Explanation `json:"explain"`
	}{f, told})
	if err != nil {
		return nil, err
	}
	return fill(policyFrozen, "", text), nil
}

func fill(policy, nonce string, data []byte) []byte {
	if nonce != "" {
		nonce = ` nonce="` + nonce + `"`
	}
	text := bytes.ReplaceAll(html, []byte("{{NONCE}}"), []byte(nonce))
	text = bytes.Replace(text, []byte("{{POLICY}}"), []byte(policy), 1)
	return bytes.Replace(text, []byte("{{DATA}}"), data, 1)
}

// encode returns JSON that is safe inside a script element of HTML.
func encode(v any) ([]byte, error) {
	return json.Marshal(v, jsontext.EscapeForHTML(true), jsontext.EscapeForJS(true), jsontext.AllowInvalidUTF8(true),
		json.Deterministic(true))
}

// Config configures a Page. With the zero Config it shows only the fires of [Page.Recorder].
type Config struct {
	// Files lists records to follow, each with its rotated files. The page waits for a file that does not
	// exist yet.
	Files []string

	// Token, if not empty, has to be the first element of the path of every request, as in /TOKEN/. If it is empty, the
	// server that mounts the page has to control access.
	Token string

	// Hosts lists host names of requests that are accepted besides localhost, 127.0.0.1 and ::1. Other names
	// are refused: a stranger's domain could resolve to this machine.
	Hosts []string

	// MostFires and MostBytes limit the fires in memory; the oldest are dropped first. 0 means 50 000 fires,
	// and 128 MiB of texts.
	MostFires int
	MostBytes int64

	// Every is the shortest interval between two updates; 0 means 300 ms or, if that is longer, four times the time
	// that an update takes to compute.
	Every time.Duration

	// Log gets the unreadable lines of records, up to 20 of each file. Nil means [slog.Default].
	Log *slog.Logger
}

// Page is the live page, an [net/http.Handler]. Its methods may be called from many goroutines. It keeps its
// fires in memory, and computes frames only while a browser is connected.
type Page struct {
	cfg    Config
	ctx    context.Context
	cancel context.CancelFunc
	done   sync.WaitGroup

	builder tracetree.Builder
	changed chan struct{} // has a value while some fires are not in a frame yet
	wanted  chan struct{} // has a value while a browser waits for its first frame

	mu      sync.Mutex
	last    *frame
	viewers map[*viewer]struct{}
}

// viewer is a connected browser. If it is too slow for the messages, it is disconnected.
type viewer struct {
	messages chan []byte
	fresh    bool // it has received no frame yet
}

// New returns a Page that follows the records of cfg until Close. A record that is a directory, or that
// cannot be read, is an error.
func New(cfg Config) (*Page, error) {
	if cfg.MostFires <= 0 {
		cfg.MostFires = 50_000
	}
	if cfg.MostBytes <= 0 {
		cfg.MostBytes = 128 << 20
	}
	if cfg.Log == nil {
		cfg.Log = slog.Default()
	}
	p := &Page{
		cfg: cfg, changed: make(chan struct{}, 1), wanted: make(chan struct{}, 1), last: frameOf(nil),
		viewers: map[*viewer]struct{}{},
	}
	p.builder.Most, p.builder.MostBytes = cfg.MostFires, cfg.MostBytes
	p.ctx, p.cancel = context.WithCancel(context.Background())
	var followed []*recordFollower
	for _, name := range cfg.Files {
		f, err := p.open(name)
		if err != nil {
			for _, other := range followed {
				other.close()
			}
			p.cancel()
			return nil, err
		}
		followed = append(followed, f)
	}
	for _, f := range followed {
		p.done.Go(f.run)
	}
	p.done.Go(p.publish)
	return p, nil
}

// Recorder returns an observer for Config.Observe of the engine, with which the page shows the program's own fires
// without a file.
func (p *Page) Recorder(cfg record.Config) *record.Recorder { return record.New(pageWriter{p}, cfg) }

// Add adds a line of a record.
func (p *Page) Add(l *record.Line) {
	p.builder.Add(l)
	select {
	case p.changed <- struct{}{}:
	default:
	}
}

// pageWriter is a writer that adds the written lines to a page.
type pageWriter struct{ to *Page }

func (f pageWriter) Write(text []byte) (int, error) {
	for _, l := range record.Lines(bytes.NewReader(text), nil) {
		f.to.Add(l)
	}
	return len(text), nil
}

// Close closes the files of the page, and ends its connections to browsers.
func (p *Page) Close() error {
	p.cancel()
	p.done.Wait()
	return nil
}

// publish sends frames to the browsers until the page is closed.
func (p *Page) publish() {
	for {
		select {
		case <-p.ctx.Done():
			return
		case <-p.wanted:
		case <-p.changed:
		}
		began := time.Now()
		p.update()
		pause := p.cfg.Every
		if pause <= 0 {
			pause = max(300*time.Millisecond, 4*time.Since(began))
		}
		timer := time.NewTimer(pause)
		select {
		case <-p.ctx.Done():
			timer.Stop()
			return
		case <-timer.C:
		}
	}
}

// update computes a frame if a browser is connected, and sends it whole or as a patch.
func (p *Page) update() {
	p.mu.Lock()
	n := len(p.viewers)
	p.mu.Unlock()
	if n == 0 {
		return
	}
	now := p.frame()
	p.mu.Lock()
	defer p.mu.Unlock()
	now.Version = p.last.Version + 1
	var whole, changes []byte
	for v := range p.viewers {
		var message []byte
		if v.fresh {
			if whole == nil {
				whole = eventOf("frame", now)
			}
			message, v.fresh = whole, false
		} else {
			if changes == nil {
				changes = eventOf("patch", diff(p.last, now))
			}
			message = changes
		}
		select {
		case v.messages <- message:
		default: // the browser is too slow: it reconnects, and gets a whole frame
			delete(p.viewers, v)
			close(v.messages)
		}
	}
	p.last = now
}

func (p *Page) frame() *frame {
	f := frameOf(p.builder.Sessions())
	f.Dropped = p.builder.Dropped()
	return f
}

// eventOf returns one server-sent event; its JSON has no line break.
func eventOf(kind string, v any) []byte {
	text, err := encode(v)
	if err != nil {
		return []byte("event: broken\ndata: {}\n\n")
	}
	return append(append([]byte("event: "+kind+"\ndata: "), text...), "\n\n"...)
}

// fire returns the fire with an id, or nil if the page does not keep it.
func (p *Page) fire(id string) *record.Line {
	p.mu.Lock()
	l := p.last.lines[id]
	p.mu.Unlock()
	if l != nil {
		return l
	}
	return p.frame().lines[id]
}

// open opens a record. The file need not exist, but its directory must; run then waits for the file.
func (p *Page) open(name string) (*recordFollower, error) {
	f := &recordFollower{page: p, name: name}
	file, _, err := bounded.Open(name)
	dir := filepath.Dir(name)
	switch info, wrong := os.Stat(name); {
	case wrong == nil && info.IsDir():
		return nil, fmt.Errorf("%s is a directory; name the file of a record", name)
	case err == nil:
		f.file = file
	case !errors.Is(err, fs.ErrNotExist):
		return nil, fmt.Errorf("%s: %w", name, err)
	default:
		if _, err := os.Stat(dir); errors.Is(err, fs.ErrNotExist) {
			return nil, fmt.Errorf("%s: there is no directory %s; make the directory, or name a file in another directory", name, dir)
		} else if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
	}
	return f, nil
}

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
