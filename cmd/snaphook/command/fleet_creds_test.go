//go:build unix

package command

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"aead.dev/minisign"
	"github.com/nats-io/jwt/v2"
	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nkeys"

	"github.com/snaphook-go/snaphook/fleet/embedded"
	"github.com/snaphook-go/snaphook/internal/testkit"
)

// signer signs NATS claims; name is its public key.
type signer struct {
	t    *testing.T
	pair nkeys.KeyPair
	name string
}

func newSigner(t *testing.T, create func() (nkeys.KeyPair, error)) *signer {
	t.Helper()
	pair, err := create()
	if err != nil {
		t.Fatal(err)
	}
	name, err := pair.PublicKey()
	if err != nil {
		t.Fatal(err)
	}
	return &signer{t, pair, name}
}

func (s *signer) sign(c jwt.Claims) string {
	s.t.Helper()
	text, err := c.Encode(s.pair)
	if err != nil {
		s.t.Fatal(err)
	}
	return text
}

// withCredentials starts a server that knows its clients by credentials files. Each user of examples/fleet/nats.conf
// has a credentials file, with the user's grants from nats.conf.
func withCredentials(t *testing.T) (url, files string) {
	t.Helper()
	for name, value := range map[string]string{
		"LISTEN": "127.0.0.1:-1", "STORE": t.TempDir(), "ADMIN": "a", "AGENT": "b", "WORKER": "c", "READER": "d",
	} {
		t.Setenv("SNAPHOOK_"+name, value)
	}
	example, err := server.ProcessConfigFile("../../../examples/fleet/nats.conf")
	if err != nil {
		t.Fatal(err)
	}
	operator, system := newSigner(t, nkeys.CreateOperator), newSigner(t, nkeys.CreateAccount)
	account := newSigner(t, nkeys.CreateAccount)
	claims := jwt.NewAccountClaims(account.name)
	claims.Limits.JetStreamLimits = jwt.JetStreamLimits{
		MemoryStorage: jwt.NoLimit, DiskStorage: jwt.NoLimit, Streams: jwt.NoLimit, Consumer: jwt.NoLimit,
	}
	dir := t.TempDir()
	testkit.Write(t, dir, map[string]string{"nats.conf": fmt.Sprintf(
		"listen: 127.0.0.1:-1\noperator: %s\nsystem_account: %s\nresolver: MEMORY\nresolver_preload: {\n%s: %s\n%s: %s\n}\n"+
			"jetstream { store_dir: %q, max_file_store: 16GB }\n",
		operator.sign(jwt.NewOperatorClaims(operator.name)), system.name,
		system.name, operator.sign(jwt.NewAccountClaims(system.name)), account.name, operator.sign(claims), filepath.Join(dir, "store"),
	)})
	for _, user := range example.Users {
		own := newSigner(t, nkeys.CreateUser)
		c := jwt.NewUserClaims(own.name)
		if p := user.Permissions; p != nil {
			c.Pub.Allow = p.Publish.Allow
			c.Sub.Allow = p.Subscribe.Allow
			if p.Response != nil {
				c.Resp = &jwt.ResponsePermission{MaxMsgs: p.Response.MaxMsgs, Expires: p.Response.Expires}
			}
		}
		seed, err := own.pair.Seed()
		if err != nil {
			t.Fatal(err)
		}
		file, err := jwt.FormatUserConfig(account.sign(c), seed)
		if err != nil {
			t.Fatal(err)
		}
		testkit.Write(t, dir, map[string]string{user.Username + ".creds": string(file)})
	}
	s, err := embedded.Start(embedded.Options{Config: filepath.Join(dir, "nats.conf")})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	return s.ClientURL(), dir
}

// The commands of docs/fleet.md for a server with credentials work with a file for each user, and read the records.
func TestTheCommandsOfAFleetWorkWithCredentialsFiles(t *testing.T) {
	url, dir := withCredentials(t)
	as := func(user string, stdin string, args ...string) (int, string) {
		t.Helper()
		return snaphookWith(t, stdin, append(args, "--nats", url, "--creds", filepath.Join(dir, user+".creds"))...)
	}
	must := func(want int, part, user, stdin string, args ...string) string {
		t.Helper()
		status, text := as(user, stdin, args...)
		if status != want || !strings.Contains(text, part) {
			t.Fatalf("%s of %s ends with %d; want %d and %q in: %s", args[0], user, status, want, part, text)
		}
		return text
	}
	must(0, "", "admin", "", "serve", "--prepare")

	policy := t.TempDir()
	testkit.Write(t, policy, map[string]string{
		".claude/settings.json": guardSettings, "guard.sh": "#!/bin/sh\necho 'not here' >&2\nexit 2\n",
	})
	public, private, err := minisign.GenerateKey(nil)
	if err != nil {
		t.Fatal(err)
	}
	secret, err := private.MarshalText()
	if err != nil {
		t.Fatal(err)
	}
	open, err := public.MarshalText()
	if err != nil {
		t.Fatal(err)
	}
	testkit.Write(t, dir, map[string]string{"policy.key": string(secret), "policy.pub": string(open)})
	key := filepath.Join(dir, "policy")
	must(0, "revision 1", "admin", "", "fleet", "push", policy, "--key", key+".key")

	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	worker := exec.CommandContext(ctx, "snaphook", "serve", "--key", key+".pub", "--data", filepath.Join(dir, "worker"),
		"--nats", url, "--creds", filepath.Join(dir, "worker.creds"))
	worker.Stderr = os.Stderr
	if err := worker.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		cancel()
		_ = worker.Wait() // it is killed
	})
	for !strings.Contains(must(0, "", "admin", "", "fleet", "status"), "runs it") {
		if ctx.Err() != nil {
			t.Fatal("the worker does not run the policy")
		}
	}

	must(2, "not here", "agent", bashCall, "fire", "claude.PreToolUse")
	must(2, "use the credentials of an agent", "worker", bashCall, "fire", "claude.PreToolUse", "-v") // the gate is closed

	for verb, part := range map[string]string{"log": "not here", "stats": "PreToolUse", "trace": "PreToolUse", "explain": "not here"} {
		must(0, part, "reader", "", verb)
	}
	if status, text := as("agent", "", "log"); status == 0 {
		t.Errorf("an agent reads the records: %s", text)
	}
	if status, text := snaphookWith(t, "", "fleet", "status", "--nats", url); status == 0 || !strings.Contains(text, "refuses a client without credentials") {
		t.Errorf("without credentials: %d %s", status, text)
	}
}
