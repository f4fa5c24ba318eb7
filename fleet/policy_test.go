package fleet

import (
	"archive/tar"
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"aead.dev/minisign"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/snaphook-go/snaphook/events/claude"
	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/internal/testkit"
	"github.com/snaphook-go/snaphook/pipeline"
)

// newKey makes a key pair.
func newKey(t testing.TB) (minisign.PublicKey, minisign.PrivateKey) {
	t.Helper()
	public, private, err := minisign.GenerateKey(nil)
	if err != nil {
		t.Fatal(err)
	}
	return public, private
}

const (
	denies  = `{"hooks": {"PreToolUse": [{"hooks": [{"type": "command", "command": "echo '{\"decision\":\"block\",\"reason\":\"%s\"}'"}]}]}}`
	dotEnv  = ".claude/settings.json"
	opened  = `{"defaults": {"gates": {"onFailure": {"remote": "open"}}}}`
	noHooks = `{"hooks": {}}`
)

// policyDir writes a policy that denies every tool with the given reason, and returns its directory.
func policyDir(t testing.TB, reason string, more ...string) string {
	t.Helper()
	dir := t.TempDir()
	files := append([]string{dotEnv, fmt.Sprintf(denies, reason)}, more...)
	for i := 0; i < len(files); i += 2 {
		name := filepath.Join(dir, files[i])
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		testkit.WriteFile(t, name, files[i+1], 0o755)
	}
	return dir
}

func push(t testing.TB, nc *nats.Conn, key minisign.PrivateKey, dir string) *Pushed {
	t.Helper()
	pushed, err := Push(t.Context(), nc, dir, key, PushOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return pushed
}

func watch(t testing.TB, nc *nats.Conn, key minisign.PublicKey, cache string) *Policy {
	t.Helper()
	p, err := Watch(t.Context(), nc, PolicyOptions{Key: key, Cache: cache, Host: "agent-1", Log: quiet})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.Close)
	return p
}

// agent is a session of an agent that is held to the policy.
func agent(t testing.TB, nc *nats.Conn, p *Policy) *pipeline.Session {
	t.Helper()
	return impatientAgent(t, nc, p, 500*time.Millisecond)
}

func impatientAgent(t testing.TB, nc *nats.Conn, p *Policy, patience time.Duration) *pipeline.Session {
	t.Helper()
	sys := system(t, pipeline.Config{Load: []pipeline.Load{Hooks(nc, HookOptions{Policy: p, Patience: patience})}})
	t.Cleanup(p.Reloads(sys))
	return session(t, sys)
}

// work runs a worker until the test ends.
func work(t testing.TB, nc *nats.Conn, key minisign.PublicKey, cache string) (*Worker, func()) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	w, err := Work(ctx, nc, WorkOptions{Policy: PolicyOptions{Key: key, Cache: cache, Host: "worker-1", Log: quiet}, Serve: ServeOptions{Log: quiet}})
	if err != nil {
		cancel()
		t.Fatal(err)
	}
	stop := sync.OnceFunc(func() {
		cancel()
		w.Wait()
	})
	t.Cleanup(stop)
	return w, stop
}

func reason(t testing.TB, s *pipeline.Session) string {
	t.Helper()
	res, err := preToolUse(t).FireJSON(t.Context(), s, []byte(bash))
	switch {
	case err != nil:
		t.Fatal(err)
	case !res.Blocked:
		return "allowed"
	case res.Reason != nil:
		return *res.Reason
	}
	return ""
}

func TestAPolicyReachesAgentsAndWorkers(t *testing.T) {
	nc := connect(t, startServer(t))
	public, private := newKey(t)
	p := watch(t, nc, public, t.TempDir())
	s := agent(t, nc, p)
	if got := reason(t, s); !strings.Contains(got, `"remote"`) {
		t.Errorf("without a policy the agent got %q; want a denial", got)
	}
	work(t, nc, public, t.TempDir())
	pushed := push(t, nc, private, policyDir(t, "first"))
	if pushed.Revision != 1 || !slices.Contains(pushed.Events, "claude.PreToolUse") {
		t.Fatalf("pushed %+v", pushed)
	}
	testkit.Eventually(t, "the first policy counts", func() bool { return reason(t, s) == "first" })
	push(t, nc, private, policyDir(t, "second"))
	testkit.Eventually(t, "the second policy counts", func() bool { return reason(t, s) == "second" })

	// An event without a hook in the policy costs no request.
	for _, h := range s.Hooks() {
		if h.Type == Type && !slices.Contains(pushed.Events, h.Dialect+"."+h.Event) {
			t.Errorf("%s.%s has a remote hook, and the policy has none", h.Dialect, h.Event)
		}
	}
	requests, err := nc.SubscribeSync(FirePrefix + ">")
	if err != nil {
		t.Fatal(err)
	}
	for name, input := range map[string]string{"UserPromptSubmit": `{"prompt":"go"}`, "PreToolUse": bash} {
		want := name == "PreToolUse"
		fire(t, event(t, claude.Dialect, name), s, input)
		if err := nc.Flush(); err != nil {
			t.Fatal(err)
		}
		if n, _, err := requests.Pending(); err != nil || n > 0 != want {
			t.Errorf("a fire of %s sent %d requests, %v; want some: %v", name, n, err, want)
		}
		for n, _, _ := requests.Pending(); n > 0; n-- {
			_, _ = requests.NextMsg(time.Second)
		}
	}
	testkit.Eventually(t, "the status has both", func() bool {
		status, err := ReadStatus(t.Context(), nc)
		return err == nil && status.Revision == 2 && len(status.Hosts) == 2 &&
			status.Hosts[0].Revision == 2 && status.Hosts[1].Revision == 2 && status.Hosts[1].Role == "worker" &&
			status.Hosts[0].Activated != nil
	})
}

func TestTwoPushesAtTheSameTimeHaveRevisionsOfTheirOwn(t *testing.T) {
	nc := connect(t, startServer(t))
	public, private := newKey(t)
	revisions := make(chan uint64, 8)
	dir := policyDir(t, "x")
	var all sync.WaitGroup
	for range cap(revisions) {
		all.Go(func() {
			pushed, err := Push(t.Context(), nc, dir, private, PushOptions{})
			if err != nil {
				t.Error(err)
				return
			}
			revisions <- pushed.Revision
		})
	}
	all.Wait()
	close(revisions)
	seen := map[uint64]bool{}
	for r := range revisions {
		if seen[r] {
			t.Errorf("two pushes have revision %d", r)
		}
		seen[r] = true
	}
	p := watch(t, nc, public, t.TempDir())
	testkit.Eventually(t, "the last one counts", func() bool { return p.Revision() == 8 })
}

// forge puts bytes into the object store as a revision of the policy.
func forge(t testing.TB, nc *nats.Conn, revision uint64, text []byte, signature string) {
	t.Helper()
	js, err := jetstream.New(nc)
	if err != nil {
		t.Fatal(err)
	}
	store, err := js.ObjectStore(t.Context(), PolicyBucket)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := store.Put(t.Context(), jetstream.ObjectMeta{
		Name: objectName(revision), Metadata: map[string]string{"minisig": signature},
	}, bytes.NewReader(text)); err != nil {
		t.Fatal(err)
	}
}

// archive makes a bundle with any names.
func archive(t testing.TB, revision uint64, entries ...tar.Header) []byte {
	t.Helper()
	var b bytes.Buffer
	w := tar.NewWriter(&b)
	head := fmt.Sprintf(`{"v":1,"revision":%d,"events":["claude.PreToolUse"]}`, revision)
	write := func(h tar.Header, text string) {
		h.Size, h.Mode = int64(len(text)), 0o755
		if h.Typeflag == 0 {
			h.Typeflag = tar.TypeReg
		}
		if h.Typeflag != tar.TypeReg {
			h.Size, text = 0, ""
		}
		if err := w.WriteHeader(&h); err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write([]byte(text)); err != nil {
			t.Fatal(err)
		}
	}
	write(tar.Header{Name: manifestName}, head)
	write(tar.Header{Name: filesPrefix + dotEnv}, fmt.Sprintf(denies, "forged"))
	for _, e := range entries {
		write(e, "text")
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// Each row is an object in the store. The last good policy stays in force,
// and the status gives the reason.
func TestABadPolicyIsRefusedAndTheLastGoodOneStays(t *testing.T) {
	public, private := newKey(t)
	_, stranger := newKey(t)
	sign := func(text []byte) string { return string(minisign.Sign(private, text)) }
	good := archive(t, 9)
	escape := func(name string) []byte { return archive(t, 9, tar.Header{Name: name}) }
	for name, tt := range map[string]struct {
		text      []byte
		signature string
		says      string
	}{
		"unsigned":            {good, "", "no signature"},
		"of a stranger":       {good, string(minisign.Sign(stranger, good)), "was not made with the key"},
		"changed":             {append(bytes.Clone(good), 0), sign(good), "was not made with the key"},
		"a broken signature":  {good, "untrusted comment: x\noops", "was not made with the key"},
		"an older one":        {archive(t, 1), sign(archive(t, 1)), "revision 1 is in force"},
		"an equal one":        {archive(t, 1), sign(archive(t, 1)), "revision 1 is in force"},
		"out of the dir":      {escape("files/../../evil.sh"), sign(escape("files/../../evil.sh")), "outside"},
		"out by a name":       {escape("files/a/../../evil.sh"), sign(escape("files/a/../../evil.sh")), "outside"},
		"absolute":            {escape("/etc/cron.d/evil"), sign(escape("/etc/cron.d/evil")), "outside"},
		"absolute below":      {escape("files//etc/evil"), sign(escape("files//etc/evil")), "outside"},
		"with a backslash":    {escape(`files/..\evil`), sign(escape(`files/..\evil`)), "outside"},
		"a link":              {archive(t, 9, tar.Header{Name: "files/l", Typeflag: tar.TypeSymlink, Linkname: "/etc"}), "", "not a regular file"},
		"a hard link":         {archive(t, 9, tar.Header{Name: "files/l", Typeflag: tar.TypeLink, Linkname: "/etc/passwd"}), "", "not a regular file"},
		"a device":            {archive(t, 9, tar.Header{Name: "files/l", Typeflag: tar.TypeChar}), "", "not a regular file"},
		"a name twice":        {archive(t, 9, tar.Header{Name: "files/a"}, tar.Header{Name: "files/a"}), "", "twice"},
		"no archive":          {[]byte("oops"), sign([]byte("oops")), "broken"},
		"nothing":             {nil, sign(nil), "empty"},
		"no manifest":         {[]byte{}, "", ""},
		"8 MiB and one byte":  {bytes.Repeat([]byte("x"), maxPacked+1), "", "8 MiB"},
		"a wildcard event":    {manifest(t, `{"v":1,"revision":9,"events":["claude.*"]}`), "", "pattern"},
		"a broken manifest":   {manifest(t, `{"v":1`), "", "manifest"},
		"a later format":      {manifest(t, `{"v":2,"revision":9}`), "", "version 2"},
		"broken settings":     {archive(t, 9, tar.Header{Name: "files/.llxprt/settings.json"}), "", "settings.json"},
		"a broken overlay":    {archive(t, 9, tar.Header{Name: "files/.snaphook.json"}), "", "overlay"},
		"an unknown dialect":  {manifest(t, `{"v":1,"revision":9,"events":["acme.Deploy","claude.PreToolUse"]}`), "", "acme.Deploy"},
		"a revision of zero":  {manifest(t, `{"v":1,"revision":0}`), "", "revision 0"},
		"a manifest of 2 MiB": {manifest(t, `{"v":1,"revision":9,"events":["`+strings.Repeat("x", 2<<20)+`"]}`), "", "8 MiB"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			nc := connect(t, startServer(t))
			push(t, nc, private, policyDir(t, "good"))
			w, _ := work(t, nc, public, t.TempDir())
			p := watch(t, nc, public, t.TempDir())
			s := agent(t, nc, p)
			testkit.Eventually(t, "the good policy counts", func() bool { return reason(t, s) == "good" })
			if tt.signature == "" && tt.says != "no signature" {
				tt.signature = sign(tt.text)
			}
			forge(t, nc, 9, tt.text, tt.signature)
			testkit.Eventually(t, "the worker refuses it", func() bool {
				errs := w.Policy.Errors()
				return len(errs) > 0 && strings.Contains(errs[0], tt.says)
			})
			if got := reason(t, s); got != "good" && p.Revision() != 9 {
				t.Errorf("the agent got %q; want the good policy", got)
			}
			if p.Revision() == 9 && reason(t, s) == "allowed" { // an agent does not load the settings, and may accept the policy
				t.Error("the agent has no guard any more")
			}
			push(t, nc, private, policyDir(t, "better"))
			testkit.Eventually(t, "status has the refusal", func() bool {
				status, err := ReadStatus(t.Context(), nc)
				return err == nil && slices.ContainsFunc(status.Hosts, func(h HostStatus) bool {
					return h.Role == "worker" && (len(h.Errors) > 0 || h.Revision == 2)
				})
			})
		})
	}
}

// manifest makes a bundle of a manifest alone.
func manifest(t testing.TB, text string) []byte {
	t.Helper()
	var b bytes.Buffer
	w := tar.NewWriter(&b)
	if err := w.WriteHeader(&tar.Header{Name: manifestName, Typeflag: tar.TypeReg, Size: int64(len(text)), Mode: 0o644}); err != nil {
		t.Fatal(err)
	}
	if _, err := w.Write([]byte(text)); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// Every row combines a start of an agent, a state of the server and a policy. The call never goes ahead, unless the
// policy itself opens its gates. With the policy "cached" the server has lost its policy, and the worker runs the one
// in its cache.
func TestThereIsNeverAWindowWithoutGuards(t *testing.T) {
	public, private := newKey(t)
	_, stranger := newKey(t)
	for _, start := range []string{
		"empty cache", "good cache", "forged cache", "torn cache", "old cache", "cache of tomorrow", "cache of 1970",
	} {
		for _, server := range []string{"none", "up", "no worker", "no policy", "comes later", "swaps", "forged"} {
			for _, policy := range []string{"closed", "open", "cached"} {
				dated := strings.HasPrefix(start, "cache of")
				if policy == "cached" && (server == "none" || server == "swaps" || server == "forged") || dated && server != "none" && server != "up" {
					continue // "cached" needs a server without a policy; the date of the cache matters only with "none" and "up"
				}
				t.Run(start+", server "+server+", policy "+policy, func(t *testing.T) {
					t.Parallel()
					var more []string
					if policy == "open" {
						more = []string{overlayName, opened}
					}
					dir, cache := policyDir(t, "guarded", more...), t.TempDir()
					fill(t, start, cache, dir, private, stranger)
					url, nc, admin := "nats://127.0.0.1:1", (*nats.Conn)(nil), (*nats.Conn)(nil)
					addWorker := func() {}
					if server != "none" {
						url = startServer(t)
						admin = connect(t, url)
						if server != "no policy" && policy != "cached" {
							for range 3 { // the server has revision 3, like a good cache; an old cache has revision 2
								push(t, admin, private, dir)
							}
						}
						addWorker = func() {
							workers := t.TempDir()
							if policy == "cached" {
								fill(t, "good cache", workers, dir, private, stranger)
							}
							work(t, admin, public, workers)
						}
						if server != "no worker" && server != "comes later" {
							addWorker()
						}
					}
					var err error
					if nc, err = Connect(url, ConnectOptions{Wait: -1, Log: quiet}); err != nil {
						t.Fatal(err)
					}
					t.Cleanup(nc.Close)
					p := watch(t, nc, public, cache)
					s := impatientAgent(t, nc, p, 50*time.Millisecond)
					cached := start != "empty cache" && start != "forged cache" && start != "torn cache"
					guarded := func() {
						t.Helper()
						got := reason(t, s)
						opens := policy == "open" && (p.Current() != nil || cached)
						if got == "allowed" && !opens {
							t.Fatal("the call went ahead")
						}
						if server == "none" && policy == "open" && cached && got != "allowed" {
							t.Fatalf("the policy opens its gates, and the agent got %q", got)
						}
					}
					for range 3 { // one call while the agent connects, and two after
						guarded()
					}
					switch server {
					case "comes later":
						addWorker()
					case "swaps":
						for range 5 {
							push(t, admin, private, dir)
							guarded()
						}
						testkit.Eventually(t, "the last policy counts", func() bool { guarded(); return p.Revision() == 8 })
					case "forged":
						text := archive(t, 9)
						forge(t, admin, 9, text, string(minisign.Sign(stranger, text)))
						testkit.Eventually(t, "the agent refuses it", func() bool { guarded(); return len(p.Errors()) > 0 })
					}
					has := policy != "cached" && server != "no policy" || policy == "cached" && cached && start != "old cache"
					if has && server != "none" && server != "no worker" {
						testkit.Eventually(t, "the worker answers", func() bool { return reason(t, s) == "guarded" })
					}
				})
			}
		}
	}
}

// A newer revision that is refused stays in the status, even if an older revision is accepted later.
func TestARefusedRevisionStaysInTheStatus(t *testing.T) {
	public, private := newKey(t)
	_, stranger := newKey(t)
	nc := connect(t, startServer(t))
	push(t, nc, private, policyDir(t, "guarded"))
	text := archive(t, 9)
	forge(t, nc, 9, text, string(minisign.Sign(stranger, text)))
	p := watch(t, nc, public, t.TempDir())
	testkit.Eventually(t, "the older revision counts", func() bool { return p.Revision() == 1 })
	testkit.Eventually(t, "the refusal is in the status", func() bool {
		return strings.Contains(strings.Join(p.Errors(), ""), "revision 9 of the policy is refused")
	})
}

// The clock of the machine decides nothing: the package reads it for durations, and in a status for people.
func TestNoDecisionGoesByAClock(t *testing.T) {
	names, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	// A time that comes from another process, or without its monotonic part, depends on the wall clock.
	wall := regexp.MustCompile(`time\.(Unix|UnixMilli|Parse|Date)\(|\.(Unix|UnixMilli|UnixNano|UTC|Format|ModTime|After|Equal)\(|\.ModTime|\.Expires`)
	may := map[string]string{"status.go": "now := time.Now().UTC()"}
	for _, name := range names {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(string(text)) {
			line = strings.TrimSpace(line)
			if wall.MatchString(line) && line != may[name] && !strings.HasPrefix(line, "//") {
				t.Errorf("%s: %s: it goes by the clock", name, line)
			}
		}
	}
}

// fill makes the cache of an agent.
func fill(t testing.TB, start, cache, dir string, key, stranger minisign.PrivateKey) {
	t.Helper()
	if start == "empty cache" {
		return
	}
	files, err := collect(dir)
	if err != nil {
		t.Fatal(err)
	}
	revision := uint64(3)
	if start == "old cache" {
		revision = 2
	}
	text, err := pack(Manifest{V: 1, Revision: revision, Events: []string{"claude.PreToolUse"}}, files)
	if err != nil {
		t.Fatal(err)
	}
	signature := minisign.Sign(key, text)
	switch start {
	case "forged cache":
		signature = minisign.Sign(stranger, text)
	case "torn cache":
		text = text[:len(text)/2]
	}
	testkit.WriteFile(t, filepath.Join(cache, cachedBundle), string(text), 0o600)
	testkit.WriteFile(t, filepath.Join(cache, cachedSignature), string(signature), 0o600)
	at := map[string]time.Time{"cache of tomorrow": time.Now().Add(24 * time.Hour), "cache of 1970": time.Unix(0, 0)}[start]
	for _, name := range []string{cachedBundle, cachedSignature} {
		if err := os.Chtimes(filepath.Join(cache, name), at, at); err != nil && !at.IsZero() {
			t.Fatal(err)
		}
	}
}

func TestADirectoryThatIsNoPolicyIsNotPushed(t *testing.T) {
	nc := connect(t, startServer(t))
	_, private := newKey(t)
	large := policyDir(t, "x", "big.bin", strings.Repeat("x", MaxBundle+1))
	linked := policyDir(t, "x")
	if err := os.Symlink("/etc/passwd", filepath.Join(linked, "link")); err != nil {
		t.Fatal(err)
	}
	for name, tt := range map[string]struct{ dir, says string }{
		"nothing":         {t.TempDir(), "no hooks"},
		"no hooks":        {policyDir(t, "x", dotEnv, noHooks), "no hooks"},
		"no such dir":     {filepath.Join(t.TempDir(), "gone"), "no such file"},
		"a file":          {filepath.Join(policyDir(t, "x"), dotEnv), "is not a directory"},
		"8 MiB and a bit": {large, "8 MiB"},
		"a link":          {linked, "is a link"},
		"broken settings": {policyDir(t, "x", dotEnv, `{"hooks": `), "settings.json:1:"},
		"a broken hook":   {policyDir(t, "x", dotEnv, `{"hooks": {"PreToolUse": [{"hooks": [{"type": "comand"}]}]}}`), "settings.json:1:"},
		"an overlay":      {policyDir(t, "x", overlayName, `{"hooks": [{"mode": "sometimes"}]}`), ".snaphook.json:1:"},
	} {
		pushed, err := Push(t.Context(), nc, tt.dir, private, PushOptions{})
		if err == nil || !strings.Contains(err.Error(), tt.says) {
			t.Errorf("%s: pushed %+v, %v; want an error with %q", name, pushed, err, tt.says)
		}
	}
	if _, err := Push(t.Context(), nc, policyDir(t, "x", "fits.bin", strings.Repeat("x", MaxBundle-1000)), private, PushOptions{}); err != nil {
		t.Errorf("a policy within the limit: %v", err)
	}
	_, err := Push(t.Context(), nc, policyDir(t, "x"), private, PushOptions{Check: func(context.Context, string) error { return errors.New("line 3: fi") }})
	if err == nil || !strings.Contains(err.Error(), "line 3") {
		t.Errorf("a broken script: %v", err)
	}
}

// Agents send no request to a worker with another revision.
func TestAnotherRevisionIsNeverAsked(t *testing.T) {
	nc := connect(t, startServer(t))
	asked := make(chan string, 100)
	worker := system(t, pipeline.Config{Load: []pipeline.Load{hooked("claude", "PreToolUse", runner(func(context.Context, hook.Call) (hook.Reply, error) {
		asked <- "seven"
		return hook.Reply{Stdout: []byte(`{"decision":"block","reason":"seven"}`)}, nil
	}))}})
	server := serve(t, nc, nil, ServeOptions{})
	if err := server.Swap(7, sessionsOf(t, worker), nil); err != nil {
		t.Fatal(err)
	}
	public, private := newKey(t)
	files, err := collect(policyDir(t, "x"))
	if err != nil {
		t.Fatal(err)
	}
	for _, revision := range []uint64{8, 7} {
		text, err := pack(Manifest{V: 1, Revision: revision, Events: []string{"claude.PreToolUse"}}, files)
		if err != nil {
			t.Fatal(err)
		}
		cache := t.TempDir()
		testkit.WriteFile(t, filepath.Join(cache, cachedBundle), string(text), 0o600)
		testkit.WriteFile(t, filepath.Join(cache, cachedSignature), string(minisign.Sign(private, text)), 0o600)
		s := agent(t, nc, watch(t, nc, public, cache))
		got := reason(t, s)
		if revision == 7 && got != "seven" {
			t.Errorf("the worker with the same revision said %q", got)
		}
		if revision == 8 && (!strings.Contains(got, `"remote"`) || len(asked) > 0) {
			t.Errorf("an agent with another revision got %q, and %d workers were asked", got, len(asked))
		}
	}
}
