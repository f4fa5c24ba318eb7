// Package serve has the verbs of a fleet: serve, fleet push and fleet status.
package serve

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"sync/atomic"
	"time"

	"aead.dev/minisign"
	"github.com/google/renameio/v2/maybe"
	"github.com/nats-io/nats.go"
	"github.com/spf13/cobra"

	"github.com/snaphook-go/snaphook/cmd/snaphook/internal/cli"
	"github.com/snaphook-go/snaphook/cmd/snaphook/internal/project"
	"github.com/snaphook-go/snaphook/fleet"
	"github.com/snaphook-go/snaphook/fleet/embedded"
	"github.com/snaphook-go/snaphook/internal/bounded"
	"github.com/snaphook-go/snaphook/pipeline"
	"github.com/snaphook-go/snaphook/warm"
)

// serving holds the flags of serve.
type serving struct {
	*cli.Global
	project.FleetFlags
	embedded, prepare bool
	concurrency       int
	http, key, data   string
	drain             time.Duration
}

// NewServe returns the verb serve.
func NewServe(global *cli.Global) *cobra.Command {
	of := &serving{Global: global}
	cmd := &cobra.Command{
		Use:   "serve",
		Short: "Run the hooks of a fleet's policy for agents on other machines",
		Long: "Takes the policy that snaphook fleet push signs, and runs its hooks for every agent that asks over NATS. " +
			"Without a policy, serve answers with errors, and the agents block every event that can block. With --embedded, serve also runs the NATS server, for one machine, " +
			"and makes a key pair, policy.key and policy.pub, in the directory of --data.\n\n" +
			"After the first SIGTERM or SIGINT, serve waits for the running hooks and ends with status 0; a second signal ends it at once. " +
			"The log on stderr has a JSON object in each line.",
		Example: `# All on one machine
snaphook serve --embedded
# A worker of a fleet
snaphook serve --nats tls://nats.example.org --creds worker.creds \
  --key policy.pub --concurrency 64 --http :9100`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return of.serve(cmd) },
	}
	to := cmd.Flags()
	addServer(&of.FleetFlags, to)
	to.BoolVar(&of.embedded, "embedded", false, "Run the NATS server in this process, at the address of --nats: serve --embedded")
	to.BoolVar(&of.prepare, "prepare", false,
		"Only make the buckets and the stream of the fleet, and end; --creds must name credentials of an administrator: serve --prepare --creds admin.creds")
	to.IntVar(&of.concurrency, "concurrency", 0, "Serve `N` requests at the same time; default: 4 for each processor, at least 16: --concurrency 64")
	to.StringVar(&of.http, "http", "", "Serve /healthz, /readyz and /metrics at `ADDR`: --http 127.0.0.1:9100")
	to.StringVar(&of.key, "key", "", "Accept policies that the key in `FILE` verifies; with --embedded the default is the key in --data: --key policy.pub")
	to.StringVar(&of.data, "data", "", "Keep the policy, the spool of records and the embedded server's files in `DIR`: --data /var/lib/snaphook")
	to.DurationVar(&of.drain, "drain", 30*time.Second, "At the end wait up to `TIME` for the running hooks: --drain 1m")
	return cmd
}

func (of *serving) serve(cmd *cobra.Command) error {
	if of.concurrency < 0 {
		return fmt.Errorf("--concurrency %d: write 1 or more", of.concurrency)
	}
	level := slog.LevelInfo
	if of.Verbose {
		level = slog.LevelDebug
	}
	log := slog.New(slog.NewJSONHandler(cmd.ErrOrStderr(), &slog.HandlerOptions{Level: level}))
	if of.data == "" {
		home, err := fleetHome()
		if err != nil {
			return err
		}
		of.data = home
	}
	if err := os.MkdirAll(of.data, 0o700); err != nil {
		return fmt.Errorf("--data: %w", err)
	}
	if of.embedded {
		server, err := embedded.Start(embedded.Options{URL: of.URL, Dir: of.data})
		if err != nil {
			return fmt.Errorf("--embedded: %w", err)
		}
		defer server.Close()
		of.URL = server.ClientURL()
	}
	key, err := of.publicKey()
	if err != nil {
		return err
	}
	nc, err := of.Connect(&fleet.ConnectOptions{Name: "snaphook serve", Wait: 5 * time.Second, Need: of.embedded || of.prepare, Log: log})
	if err != nil {
		return err
	}
	defer nc.Close()
	if of.embedded || of.prepare {
		if err := fleet.Prepare(cmd.Context(), nc, 1, fleet.Retention{}); err != nil || of.prepare {
			return err
		}
	}
	return of.work(cmd, nc, key, log)
}

// publicKey returns the key that verifies policies. With --prepare it returns the zero key. With --embedded and without
// --key it creates a pair in the directory of --data, unless the directory has one.
func (of *serving) publicKey() (key minisign.PublicKey, err error) {
	switch {
	case of.prepare:
		return key, nil
	case of.key != "":
		if key, err = fleet.ReadPublicKey(of.key); err != nil {
			return key, fmt.Errorf("--key: %w", err)
		}
		return key, nil
	case !of.embedded:
		return key, errors.New("--key is missing; name the public key that verifies policies: serve --key policy.pub")
	}
	of.key = filepath.Join(of.data, "policy.pub")
	if _, err := os.Stat(of.key); errors.Is(err, os.ErrNotExist) {
		if err := MakeKeys(of.data); err != nil {
			return key, fmt.Errorf("--data: %w", err)
		}
	}
	return fleet.ReadPublicKey(of.key)
}

// MakeKeys creates the pair policy.key and policy.pub in dir.
func MakeKeys(dir string) error {
	public, private, err := minisign.GenerateKey(nil)
	if err != nil {
		return err
	}
	secret, err := private.MarshalText()
	if err == nil {
		err = maybe.WriteFile(filepath.Join(dir, "policy.key"), append(secret, '\n'), 0o600)
	}
	if err != nil {
		return err
	}
	open, err := public.MarshalText()
	if err != nil {
		return err
	}
	return maybe.WriteFile(filepath.Join(dir, "policy.pub"), append(open, '\n'), 0o644)
}

// work serves until a signal ends it.
func (of *serving) work(cmd *cobra.Command, nc *nats.Conn, key minisign.PublicKey, log *slog.Logger) error {
	cache, err := os.MkdirTemp(of.data, "worker-")
	if err != nil {
		return fmt.Errorf("--data: %w", err)
	}
	defer os.RemoveAll(cache)
	if err := of.takeCache(cache); err != nil {
		log.Warn("the policy of an earlier worker cannot be used", slog.String("error", err.Error()))
	}
	var inForce atomic.Pointer[fleet.Policy]
	recorder, err := fleet.Records(nc, filepath.Join(of.data, "spool"), fleet.RecordOptions{
		Log: log, Revision: func() uint64 {
			if p := inForce.Load(); p != nil {
				return p.Revision()
			}
			return 0
		},
	})
	if err != nil {
		return err
	}
	defer recorder.Close()
	state, err := fleet.OpenState(cmd.Context(), nc, of.URL)
	if err != nil {
		log.Warn("the state of hooks stays on this host", slog.String("error", err.Error()))
	}
	metrics := fleet.NewMetrics()
	listener, err := of.listen()
	if err != nil {
		return err
	}
	ctx, end := context.WithCancel(cmd.Context())
	defer end()
	w, err := fleet.Work(ctx, nc, fleet.WorkOptions{
		Policy:    fleet.PolicyOptions{Key: key, Cache: cache, Log: log},
		Serve:     fleet.ServeOptions{Concurrency: of.concurrency, Drain: of.drain, Log: log, Metrics: metrics},
		Loads:     fleetLoads,
		System:    pipeline.Config{Log: log, Workers: of.concurrency, Warm: warm.New(warm.Config{Log: log})},
		State:     state,
		Observers: func(uint64) []pipeline.Observer { return []pipeline.Observer{recorder.Shared()} },
	})
	if err != nil {
		return err
	}
	defer func() { // after an error, too, the hooks in flight finish
		end()
		w.Wait()
	}()
	inForce.Store(w.Policy)
	remember := w.Policy.Changed(func(*fleet.Bundle) { of.keepCache(cache, log) })
	defer remember()
	of.keepCache(cache, log)
	if listener != nil {
		defer serveHTTP(listener, w.Handler(), log)()
	}
	if err := cli.Say(cmd, fmt.Sprintf("snaphook serves the fleet at %s, and accepts policies signed by the key in %s\n", nc.ConnectedUrlRedacted(), of.key)); err != nil {
		return err
	}
	<-cmd.Context().Done()
	log.Info("draining: waiting for the running hooks; a second signal ends the worker at once")
	w.Wait()
	log.Info("drained")
	return nil
}

// cached lists the files of a policy in a cache, the signature first.
var cached = []string{"policy.tar.minisig", "policy.tar"}

// takeCache uses the policy that an earlier worker of this directory has cached.
func (of *serving) takeCache(cache string) error {
	return copyFiles(cache, filepath.Join(of.data, "policy"))
}

// keepCache stores the policy for the next worker of this directory.
func (of *serving) keepCache(cache string, log *slog.Logger) {
	if err := copyFiles(filepath.Join(of.data, "policy"), cache); err != nil {
		log.Warn("the policy could not be saved for the next worker", slog.String("error", err.Error()))
	}
}

func copyFiles(to, from string) error {
	if err := os.MkdirAll(to, 0o700); err != nil {
		return err
	}
	for _, name := range cached {
		text, err := bounded.ReadFile(context.Background(), filepath.Join(from, name), fleet.MaxBundle+8<<20)
		if errors.Is(err, os.ErrNotExist) {
			return nil
		}
		if err == nil {
			err = maybe.WriteFile(filepath.Join(to, name), text, 0o600)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// listen opens the address of --http; it returns nil if the flag is not given.
func (of *serving) listen() (net.Listener, error) {
	if of.http == "" {
		return nil, nil
	}
	listener, err := net.Listen("tcp", of.http)
	if err != nil {
		return nil, fmt.Errorf("--http %s: %w; name a free address, such as 127.0.0.1:9100", of.http, err)
	}
	return listener, nil
}

// serveHTTP serves the health of the worker until end is called.
func serveHTTP(listener net.Listener, h http.Handler, log *slog.Logger) (end func()) {
	server := &http.Server{
		Handler: h, ReadHeaderTimeout: 5 * time.Second, ReadTimeout: 10 * time.Second, IdleTimeout: time.Minute,
		MaxHeaderBytes: 16 << 10, ErrorLog: slog.NewLogLogger(log.Handler(), slog.LevelDebug),
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		_ = server.Serve(listener) // returns after Shutdown
	}()
	log.Info("health and metrics are served", slog.String("address", listener.Addr().String()))
	return func() {
		ctx, cancel := context.WithTimeout(context.Background(), time.Second)
		defer cancel()
		if server.Shutdown(ctx) != nil {
			_ = server.Close()
		}
		<-done
	}
}
