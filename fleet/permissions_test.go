package fleet

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/snaphook-go/snaphook/events/claude"
	"github.com/snaphook-go/snaphook/fleet/embedded"
	"github.com/snaphook-go/snaphook/internal/testkit"
	"github.com/snaphook-go/snaphook/pipeline"
)

var users = []string{"admin", "agent", "worker", "reader"}

// secured starts a server with the configuration of the example.
func secured(t *testing.T) (as func(user string) *nats.Conn) {
	t.Helper()
	free, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := free.Addr().String()
	free.Close()
	t.Setenv("SNAPHOOK_LISTEN", address)
	t.Setenv("SNAPHOOK_STORE", t.TempDir())
	for _, user := range users {
		t.Setenv("SNAPHOOK_"+strings.ToUpper(user), "secret-"+user)
	}
	s, err := embedded.Start(embedded.Options{Config: "../examples/fleet/nats.conf"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	return func(user string) *nats.Conn {
		return connect(t, fmt.Sprintf("nats://%s:secret-%s@%s", user, user, address))
	}
}

// Every user of the server in examples/fleet tries each operation. docs/fleet.md has the same table.
func TestEachCredentialMayDoItsOwnWorkAlone(t *testing.T) {
	as := secured(t)
	if err := Prepare(t.Context(), as("admin"), 1, Retention{}); err != nil {
		t.Fatal(err)
	}
	worker := as("worker")
	if _, err := worker.QueueSubscribe("snaphook.v1.fire.claude.*", Service, func(m *nats.Msg) { _ = m.Respond([]byte("ok")) }); err != nil {
		t.Fatal(err)
	}
	if err := worker.Flush(); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		what, subject string
		by            string // the users that may do the operation
	}{
		{"fire an event", "snaphook.v1.fire.claude.Stop", "admin agent"},
		{"write a record", "snaphook.v1.record.h", "admin agent worker"},
		{"tell a status", "$KV.snaphook-hosts.h.agent.i", "admin agent worker"},
		{"change the state of hooks", "$KV.snaphook-state.k", "admin worker"},
		{"look at the policy", "$JS.API.STREAM.INFO.OBJ_snaphook-policy", "admin agent worker"},
		{"look at the records", "$JS.API.STREAM.INFO.SNAPHOOK_RECORDS", "admin reader"},
		{"take a revision", "$KV.snaphook-policy.revision", "admin"},
		{"write a policy", "$O.snaphook-policy.M.cG9saWN5Ljk=", "admin"},
		{"purge the policy", "$JS.API.STREAM.PURGE.OBJ_snaphook-policy", "admin"},
		{"purge the records", "$JS.API.STREAM.PURGE.SNAPHOOK_RECORDS", "admin"},
		{"delete a record", "$JS.API.STREAM.MSG.DELETE.SNAPHOOK_RECORDS", "admin"},
		{"change the records' stream", "$JS.API.STREAM.UPDATE.SNAPHOOK_RECORDS", "admin"},
		{"make a stream", "$JS.API.STREAM.CREATE.OTHER", "admin"},
		{"list the streams", "$JS.API.STREAM.NAMES", "admin"},
		{"delete the state", "$JS.API.STREAM.PURGE.KV_snaphook-state", "admin"},
		{"delete the stream of records", "$JS.API.STREAM.DELETE.SNAPHOOK_RECORDS", "admin"},
	} {
		for i := len(users) - 1; i >= 0; i-- { // the administrator comes last, because it deletes
			user := users[i]
			denied := make(chan error, 4)
			nc := as(user)
			ctx, cancel := context.WithTimeout(t.Context(), 250*time.Millisecond)
			nc.SetErrorHandler(func(_ *nats.Conn, _ *nats.Subscription, err error) { signal(denied, err); cancel() })
			_, err := nc.RequestWithContext(ctx, tt.subject, nil)
			cancel()
			if user == "admin" && err != nil && !errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("%s: the administrator: %v", tt.what, err)
			}
			_ = nc.Flush()
			refused := false
			select {
			case err := <-denied:
				refused = strings.Contains(strings.ToLower(err.Error()), "permissions violation")
			default:
			}
			if may := strings.Contains(tt.by, user); may == refused {
				t.Errorf("%s as %s: refused %v; want %v", tt.what, user, refused, !may)
			}
		}
	}
}

// A whole fleet works with the credentials of the example.
func TestAFleetRunsWithTheExamplesCredentials(t *testing.T) {
	as := secured(t)
	admin := as("admin")
	if err := Prepare(t.Context(), admin, 1, Retention{}); err != nil {
		t.Fatal(err)
	}
	public, private := newKey(t)
	push(t, admin, private, policyDir(t, "by credentials"))
	work(t, as("worker"), public, t.TempDir())
	nc := as("agent")
	s := agent(t, nc, watch(t, nc, public, t.TempDir()))
	testkit.Eventually(t, "the worker answers the agent", func() bool { return reason(t, s) == "by credentials" })
	r, err := Records(nc, t.TempDir(), RecordOptions{Log: quiet})
	if err != nil {
		t.Fatal(err)
	}
	fire(t, event(t, claude.Dialect, "PreToolUse"), session(t, system(t, pipeline.Config{
		Load: []pipeline.Load{hooked("claude", "PreToolUse", says(""))}, Observe: []pipeline.Observer{r.Shared()},
	})), bash)
	testkit.Eventually(t, "the record is taken", func() bool { return r.Waiting() == 0 })
	r.Close()
	if lines := recorded(t, as("reader")); len(lines) != 1 {
		t.Errorf("the reader sees %d records; want 1", len(lines))
	}
	testkit.Eventually(t, "the status has both", func() bool {
		status, err := ReadStatus(t.Context(), admin)
		return err == nil && len(status.Hosts) == 2
	})
}
