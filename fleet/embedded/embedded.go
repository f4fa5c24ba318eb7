// Package embedded runs a NATS server inside a program, for one machine and for tests.
package embedded

import (
	"cmp"
	"errors"
	"fmt"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"github.com/nats-io/nats-server/v2/server"
)

// Options configure the server.
type Options struct {
	URL    string // address to listen on; empty: nats://127.0.0.1:4222; port 0 takes a free port
	Dir    string // directory for its files; created if missing
	Config string // path of a configuration of NATS, which replaces URL and Dir; may be empty
}

// Server is a running server. Close it.
type Server struct {
	*server.Server
}

// patience limits the time that the server takes to start.
const patience = 10 * time.Second

// pingEvery is the interval of pings to clients. A worker that does not answer two of them gets no more requests;
// with the server's default this takes minutes.
const pingEvery = 5 * time.Second

// Start starts a server with JetStream. Without a Config it accepts every client; its address therefore has
// to be a loopback address. A directory serves one server at a time.
func Start(opts Options) (*Server, error) {
	options, err := opts.server()
	if err != nil {
		return nil, err
	}
	s, err := server.NewServer(options)
	if err != nil {
		return nil, fmt.Errorf("the embedded server: %w", err)
	}
	go s.Start()
	if !s.ReadyForConnections(patience) {
		s.Shutdown()
		s.WaitForShutdown()
		return nil, fmt.Errorf("the embedded server cannot listen on %s: another program may use the port; stop it, or name another port",
			net.JoinHostPort(options.Host, strconv.Itoa(options.Port)))
	}
	return &Server{Server: s}, nil
}

func (o Options) server() (*server.Options, error) {
	if o.Config != "" {
		options, err := server.ProcessConfigFile(o.Config)
		if err != nil {
			return nil, fmt.Errorf("the configuration of the embedded server: %w", err)
		}
		options.NoSigs = true
		return options, nil
	}
	u, err := url.Parse(cmp.Or(o.URL, "nats://127.0.0.1:4222"))
	if err != nil || u.Scheme != "nats" || u.Hostname() == "" {
		return nil, fmt.Errorf("%q is not an address to listen on; write nats://127.0.0.1:4222", o.URL)
	}
	if ip := net.ParseIP(u.Hostname()); u.Hostname() != "localhost" && (ip == nil || !ip.IsLoopback()) {
		return nil, fmt.Errorf("the embedded server accepts every client, and %s can be reached from other machines; "+
			"write nats://127.0.0.1:4222, or run a server with a configuration", u.Host)
	}
	port, err := strconv.Atoi(cmp.Or(u.Port(), "4222"))
	if err != nil {
		return nil, fmt.Errorf("%q is not an address to listen on; write nats://127.0.0.1:4222", o.URL)
	}
	if port == 0 {
		port = server.RANDOM_PORT
	}
	if o.Dir == "" {
		return nil, errors.New("the embedded server needs a directory for its files")
	}
	if err := os.MkdirAll(o.Dir, 0o700); err != nil {
		return nil, fmt.Errorf("the embedded server: %w", err)
	}
	return &server.Options{
		ServerName: "snaphook", Host: u.Hostname(), Port: port, NoSigs: true, NoLog: true,
		PingInterval: pingEvery, MaxPingsOut: 2,
		JetStream: true, StoreDir: filepath.Join(o.Dir, "jetstream"), SyncInterval: 10 * time.Second,
		JetStreamMaxStore: 16 << 30, JetStreamMaxMemory: 256 << 20,
	}, nil
}

// Close ends the server, and returns when it has ended.
func (s *Server) Close() {
	s.Shutdown()
	s.WaitForShutdown()
}
