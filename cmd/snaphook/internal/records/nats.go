package records

import (
	"fmt"
	"io"
	"log/slog"
	"net/url"
	"os"
	"strings"

	"github.com/nats-io/nats.go"
	"github.com/spf13/pflag"

	"github.com/snaphook-go/snaphook/fleet"
)

// CredsVariable is the variable that names the credentials file of the server.
const CredsVariable = "SNAPHOOK_CREDS"

// NATS holds the flags of verbs that read the records of a fleet.
type NATS struct{ URL, Creds string }

// AddTo adds the flags.
func (n *NATS) AddTo(to *pflag.FlagSet) {
	to.StringVar(&n.URL, "nats", "", "Read the records of the fleet from the server `URL`: --nats nats://127.0.0.1:4222")
	to.StringVar(&n.Creds, "creds", os.Getenv(CredsVariable),
		"Use the credentials in `FILE`, such as reader.creds, for --nats; default: the file in "+CredsVariable)
}

// Path returns the path by which [ReadRecord] reads the records on the server; empty without
// --nats.
func (n *NATS) Path() string {
	if n.URL == "" || n.Creds == "" {
		return n.URL
	}
	return n.URL + "?creds=" + url.QueryEscape(n.Creds)
}

// isNATS reports whether a path is the address of a server.
func isNATS(path string) bool {
	return strings.HasPrefix(path, "nats://") || strings.HasPrefix(path, "tls://")
}

// OpenNATS opens the records of a fleet, by a path that [NATS.Path] returned. open is one of the functions of package
// fleet that read records.
func OpenNATS(path string, open func(*nats.Conn) (io.ReadCloser, error)) (io.ReadCloser, error) {
	address, query, _ := strings.Cut(path, "?")
	values, err := url.ParseQuery(query)
	if err != nil {
		return nil, fmt.Errorf("--nats %s: %w", address, err)
	}
	nc, err := fleet.Connect(address, fleet.ConnectOptions{
		Creds: values.Get("creds"), Need: true, Log: slog.New(slog.DiscardHandler),
	})
	if err != nil {
		return nil, fmt.Errorf("--nats: %w", err)
	}
	lines, err := open(nc)
	if err != nil {
		nc.Close()
		return nil, fmt.Errorf("--nats: %w", err)
	}
	return natsRecord{lines, nc.Close}, nil
}

type natsRecord struct {
	io.ReadCloser
	done func()
}

func (r natsRecord) Close() error {
	defer r.done()
	return r.ReadCloser.Close()
}
