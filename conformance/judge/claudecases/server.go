package claudecases

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"time"
)

// Answer is the scripted server's answer to a request.
type Answer struct {
	Status  int               `json:"status"`
	Headers map[string]string `json:"headers"`
	Body    string            `json:"body"`
	DelayMS float64           `json:"delay_ms"`
}

func (a Answer) check(path string) error {
	switch {
	case !strings.HasPrefix(path, "/"):
		return fmt.Errorf("%q is not a path: begin it with a slash", path)
	case a.Status < 200 || a.Status > 599:
		return fmt.Errorf("%s: status is %d: write one from 200 to 599", path, a.Status)
	}
	return nil
}

// receivedRequest is a request that the server received. Names in Header are lower-case, and
// several values of one name are joined by a comma.
type receivedRequest struct {
	Method string            `json:"method"`
	Path   string            `json:"path"`
	Header map[string]string `json:"header"`
	Body   string            `json:"body"`
}

// server is the scripted server of one case.
type server struct {
	web     *httptest.Server
	answers map[string]Answer // set before the first request
	closing chan struct{}     // ends delays
	idle    net.Conn          // occupies the port that dead returns

	mu       sync.Mutex
	requests []receivedRequest
}

func startServer() *server {
	s := &server{closing: make(chan struct{})}
	s.web = httptest.NewServer(s)
	return s
}

// ServeHTTP reads the body first: only then does the server notice a client
// that goes away.
func (s *server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body) // a partial body is recorded too
	s.record(r, body)
	answer, known := s.answers[r.URL.Path]
	switch {
	case !known:
		http.NotFound(w, r)
		return
	case r.Method != http.MethodPost && r.Method != http.MethodGet:
		w.WriteHeader(http.StatusMethodNotAllowed)
		return
	}
	delay := time.NewTimer(time.Duration(answer.DelayMS * float64(time.Millisecond)))
	defer delay.Stop()
	select {
	case <-delay.C:
	case <-r.Context().Done():
	case <-s.closing:
	}
	for name, value := range answer.Headers {
		w.Header().Set(name, value)
	}
	w.WriteHeader(answer.Status)
	_, _ = io.WriteString(w, answer.Body) // the client may have closed the connection
}

func (s *server) record(r *http.Request, body []byte) {
	header := map[string]string{"host": r.Host}
	for name, values := range r.Header {
		header[strings.ToLower(name)] = strings.Join(values, ", ")
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	got := receivedRequest{Method: r.Method, Path: r.URL.Path, Header: header, Body: string(body)}
	s.requests = append(s.requests, got)
}

func (s *server) received() []receivedRequest {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]receivedRequest{}, s.requests...)
}

// dead returns the URL of a port without a listener. It is the local port of an open connection: no
// other program can get it meanwhile.
func (s *server) dead() string {
	conn, err := net.Dial("tcp", s.web.Listener.Addr().String())
	if err != nil {
		return "http://127.0.0.1:1" // a port that is unlikely to have a listener
	}
	s.idle = conn
	return "http://" + conn.LocalAddr().String()
}

func (s *server) close() {
	close(s.closing)
	if s.idle != nil {
		_ = s.idle.Close()
	}
	s.web.Close()
}
