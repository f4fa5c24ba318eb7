package fleet

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/url"
	"os"
	"strings"
	"time"

	"github.com/nats-io/nats.go"
)

// ConnectOptions say how to reach a server.
type ConnectOptions struct {
	Creds string // path of a credentials file; empty: none
	Name  string // name of the connection, for the server's operators; empty: snaphook

	// Wait limits the time for which Connect waits for the first connection; 0 means 2 s; with a negative Wait
	// Connect does not wait.
	Wait time.Duration

	// Need makes Connect fail if the server cannot be reached within Wait. Without Need the client continues to try in
	// the background, and gates block meanwhile.
	Need bool

	Log *slog.Logger // nil means [slog.Default]
}

// Connect connects to the servers of a URL, or of several with commas between. The connection is restored
// after every outage. Credentials that the server refuses while Connect waits are an error at once; credentials that
// become invalid later are logged. The caller closes the connection.
func Connect(address string, opts ConnectOptions) (*nats.Conn, error) {
	if err := CheckURL(address); err != nil {
		return nil, err
	}
	log := cmp.Or(opts.Log, slog.Default())
	up, refused := make(chan struct{}, 1), make(chan error, 1)
	options := []nats.Option{
		nats.Name(cmp.Or(opts.Name, Service)),
		nats.RetryOnFailedConnect(true), nats.MaxReconnects(-1), nats.IgnoreAuthErrorAbort(),
		nats.ReconnectWait(250 * time.Millisecond), nats.ReconnectJitter(250*time.Millisecond, time.Second),
		nats.ReconnectBufSize(-1), // no buffer: without a server a request must fail at once
		nats.PingInterval(5 * time.Second), nats.MaxPingsOutstanding(2),
		nats.ConnectHandler(func(*nats.Conn) { signal(up, struct{}{}) }),
		nats.ReconnectErrHandler(func(_ *nats.Conn, err error) {
			signal(refused, err)
			log.Debug("the server cannot be reached", slog.String("error", err.Error()))
		}),
		nats.DisconnectErrHandler(func(_ *nats.Conn, err error) {
			if err != nil {
				log.Warn("the connection to the server is lost", slog.String("error", err.Error()))
			}
		}),
		nats.ReconnectHandler(func(*nats.Conn) { log.Info("the connection to the server is restored") }),
		nats.ErrorHandler(func(_ *nats.Conn, _ *nats.Subscription, err error) {
			log.Warn("the server reports an error", slog.String("error", err.Error()))
		}),
	}
	if opts.Creds != "" {
		if _, err := os.Stat(opts.Creds); err != nil {
			return nil, fmt.Errorf("the credentials: %w; name the .creds file of the user", err)
		}
		options = append(options, nats.UserCredentials(opts.Creds))
	}
	nc, err := nats.Connect(address, options...)
	if err != nil {
		return nil, connectError(address, opts.Creds, err)
	}
	if err := opts.await(address, nc, up, refused); err != nil {
		nc.Close()
		return nil, err
	}
	return nc, nil
}

// await waits for the first connection.
func (opts ConnectOptions) await(address string, nc *nats.Conn, up <-chan struct{}, refused <-chan error) error {
	wait := opts.Wait
	if wait == 0 {
		wait = 2 * time.Second
	}
	if nc.IsConnected() || wait < 0 {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), wait)
	defer cancel()
	last := errors.New("no answer")
	for {
		select {
		case <-up:
			return nil
		case err := <-refused:
			if last = err; isRefusal(err) {
				return connectError(address, opts.Creds, err)
			}
		case <-ctx.Done():
			if opts.Need {
				return connectError(address, opts.Creds, last)
			}
			return nil
		}
	}
}

// isRefusal reports whether the server has refused the client.
func isRefusal(err error) bool {
	return errors.Is(err, nats.ErrAuthorization) || errors.Is(err, nats.ErrAuthExpired) ||
		errors.Is(err, nats.ErrAuthRevoked) || errors.Is(err, nats.ErrAccountAuthExpired) ||
		strings.Contains(strings.ToLower(err.Error()), "authorization violation")
}

func connectError(address, creds string, err error) error {
	switch {
	case isRefusal(err) && creds == "":
		return fmt.Errorf("the server %s refuses a client without credentials: %w; name a .creds file", shown(address), err)
	case isRefusal(err):
		return fmt.Errorf("the server %s refuses the credentials of %s: %w; ask the operator of the server for new credentials",
			shown(address), creds, err)
	}
	return fmt.Errorf("the server %s cannot be reached: %w; start the server, or name another", shown(address), err)
}

// CheckURL reports a mistake in the address of a server.
func CheckURL(address string) error {
	for one := range strings.SplitSeq(address, ",") {
		u, err := url.Parse(strings.TrimSpace(one))
		known := err == nil && (u.Scheme == "nats" || u.Scheme == "tls" || u.Scheme == "ws" || u.Scheme == "wss")
		if !known || u.Hostname() == "" {
			return fmt.Errorf("%q is not an address of a server; write nats://HOST:4222, or tls://HOST:4222", shown(one))
		}
	}
	return nil
}

// shown returns an address without its password.
func shown(address string) string {
	all := strings.Split(address, ",")
	for i, one := range all {
		if u, err := url.Parse(strings.TrimSpace(one)); err == nil {
			all[i] = u.Redacted()
		}
	}
	return strings.Join(all, ",")
}

func signal[T any](to chan<- T, v T) {
	select {
	case to <- v:
	default:
	}
}
