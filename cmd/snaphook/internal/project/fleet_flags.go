package project

import (
	"fmt"
	"log/slog"
	"os"

	"github.com/nats-io/nats.go"
	"github.com/spf13/pflag"

	"github.com/snaphook-go/snaphook/cmd/snaphook/internal/records"
	"github.com/snaphook-go/snaphook/fleet"
	"github.com/snaphook-go/snaphook/pipeline"
)

// FleetFlags holds the flags for the connection to the server of a fleet.
type FleetFlags struct {
	URL, creds string
	nc         *nats.Conn
}

// AddTo adds the flags --nats and --creds. about is the help text of --nats.
func (f *FleetFlags) AddTo(to *pflag.FlagSet, about string) {
	to.StringVar(&f.URL, "nats", "", about)
	to.StringVar(&f.creds, "creds", os.Getenv(records.CredsVariable),
		"Use the credentials in `FILE`, such as agent.creds, for --nats; default: the file in "+records.CredsVariable)
}

// Connect connects to the server. An unreachable server is an error only if the options set Need.
func (f *FleetFlags) Connect(log *fleet.ConnectOptions) (*nats.Conn, error) {
	options := *log
	options.Creds = f.creds
	nc, err := fleet.Connect(f.URL, options)
	if err != nil {
		return nil, fmt.Errorf("--nats: %w", err)
	}
	return nc, nil
}

// load returns the hooks that ask workers; none without --nats. An unreachable server is not an error here, but makes
// the hooks deny.
func (f *FleetFlags) load() ([]pipeline.Load, error) {
	if f.URL == "" {
		return nil, nil
	}
	if f.nc == nil {
		nc, err := f.Connect(&fleet.ConnectOptions{Log: QuietLog})
		if err != nil {
			return nil, err
		}
		f.nc = nc
	}
	return []pipeline.Load{fleet.Hooks(f.nc, fleet.HookOptions{Log: QuietLog})}, nil
}

// Close closes the connection that the hooks use.
func (f *FleetFlags) Close() {
	if f.nc != nil {
		f.nc.Close()
	}
}

// QuietLog drops the log, for verbs that print their errors themselves.
var QuietLog = slog.New(slog.DiscardHandler)
