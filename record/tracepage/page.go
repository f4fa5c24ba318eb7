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
	_ "embed"
	"log/slog"
	"sync"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

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
