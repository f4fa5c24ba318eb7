package faults

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/samber/lo"

	"github.com/snaphook-go/snaphook/events/llxprt"
	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/pipeline"
	"github.com/snaphook-go/snaphook/wire"
)

// kind is one kind of fire of the soak: the hooks of a tool.
type kind struct {
	tool       string
	commands   []string
	sequential bool
	timeout    time.Duration
	cancelled  bool // the caller gives up, at some moment
	visits     bool // the fire has its own session, which reads all settings anew, has a callback, and is closed afterwards
	share      int  // the fires of this kind, in proportion to the other kinds

	blocked bool
	message string
	failed  int // hooks that fail open
}

var kinds = []kind{
	{tool: "blocking", commands: []string{"echo no >&2; exit 2"}, share: 4, blocked: true},
	{tool: "denying", commands: []string{`cat >/dev/null; echo '{"decision":"deny","reason":"no"}'`}, share: 4, blocked: true},
	{tool: "allowing", commands: []string{`echo '{"decision":"allow"}'`}, share: 4},
	{tool: "direct", commands: []string{"/bin/cat"}, share: 8},
	{tool: "missing", commands: []string{"/no/such/program --flag"}, share: 1, failed: 1, message: "No such file"},
	{tool: "text", commands: []string{"echo hello"}, share: 4, message: "hello"},
	{tool: "silent", commands: []string{"exit 0"}, share: 2},
	{tool: "failing", commands: []string{"echo broken >&2; exit 1"}, share: 4, failed: 1, message: "Warning: broken"},
	{tool: "dying", commands: []string{"kill -KILL $$"}, share: 2, failed: 1},
	{tool: "hanging", commands: []string{"sleep 60 & wait"}, timeout: 10 * time.Millisecond, share: 2, failed: 1},
	{tool: "flooding", commands: []string{"head -c 300000 /dev/zero >&2; exec head -c 300000 /dev/zero"}, share: 1, message: "\x00\x00"},
	{tool: "drowning", commands: []string{"exec head -c 9000000 /dev/zero"}, share: 1, failed: 1},
	{tool: "orphaning", commands: []string{`sleep 0.1 & echo '{"systemMessage":"gone"}'`}, share: 2, message: "gone"},
	{tool: "chained", commands: variants(3, `cat >/dev/null; echo '{"hookSpecificOutput":{"tool_input":{"path":"safe.txt"}}}'`), sequential: true, share: 2},
	{tool: "crowded", commands: append(variants(3, "exit 1"), "echo heard >&2; exit 2"), share: 2, blocked: true, failed: 3},
	{tool: "cancelled", commands: variants(2, "sleep 60 & wait"), cancelled: true, share: 2, blocked: true, failed: 2},
	{tool: "visited", commands: []string{"exit 0"}, visits: true, share: 2, blocked: true},
}

// soakSettings have a group for each kind.
func soakSettings() string {
	groups := lo.Map(kinds, func(k kind, _ int) string {
		entries := lo.Map(k.commands, func(command string, _ int) string {
			return fmt.Sprintf(`{"type": "command", "command": %s, "timeout": %d}`, wire.Quote(command), k.timeout.Milliseconds())
		})
		return fmt.Sprintf(`{"matcher": "^%s$", "sequential": %t, "hooks": [%s]}`, k.tool, k.sequential, strings.Join(entries, ","))
	})
	return fmt.Sprintf(`{"tools": {"enableHooks": true}, "hooks": {"BeforeTool": [%s]}}`, strings.Join(groups, ","))
}

// soaked is a soak under way.
type soaked struct {
	*world
	failed atomic.Int64
}

// fires fires n events of all kinds, eight at the same time.
func (s *soaked) fires(t *testing.T, n int) {
	t.Helper()
	mixed := lo.FlatMap(kinds, func(k kind, _ int) []kind { return lo.Times(k.share, func(int) kind { return k }) })
	var next atomic.Int64
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			for i := next.Add(1); i <= int64(n) && !t.Failed(); i = next.Add(1) {
				s.one(t, mixed[int(i)%len(mixed)])
			}
		})
	}
	all.Wait()
}

func (s *soaked) one(t *testing.T, k kind) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	if k.cancelled {
		giveUp := time.AfterFunc(rand.N(10*time.Millisecond), cancel)
		defer giveUp.Stop()
	}
	ses := s.ses
	if k.visits {
		var leave func()
		ses, leave = s.visit(t)
		defer leave()
	}
	res, err := llxprt.BeforeTool.Fire(ctx, ses, &llxprt.BeforeToolInput{Name: k.tool, Input: call.Input})
	failed := lo.CountBy(res.Errs(), func(err error) bool { return err != nil })
	s.failed.Add(int64(failed))
	if errors.Is(err, context.Canceled) != k.cancelled || res.Blocked() != k.blocked || failed != k.failed || !strings.Contains(res.Message, k.message) {
		t.Errorf("%s: blocked %v, message %.80q, errors %v, %v; want %+v", k.tool, res.Blocked(), res.Message, res.Errs(), err, k)
	}
}

// visit opens a session with a callback that denies, and reads all settings anew.
func (s *soaked) visit(t *testing.T) (ses *pipeline.Session, leave func()) {
	ses, err := s.sys.NewSession(t.Context(), pipeline.SessionConfig{ID: "visit", Dir: s.dir})
	if err != nil {
		t.Error(err)
		return s.ses, func() {}
	}
	remove := llxprt.BeforeTool.On(ses, "callback", func(context.Context, llxprt.BeforeToolInput) (hook.Output[llxprt.BeforeToolOutput], error) {
		return hook.Output[llxprt.BeforeToolOutput]{Decision: hook.Deny, Reason: "a visitor"}, nil
	})
	if err := s.sys.Reload(t.Context()); err != nil {
		t.Error(err)
	}
	return ses, func() {
		remove()
		if err := ses.Close(t.Context()); err != nil {
			t.Error(err)
		}
	}
}

// An agent's day, with every kind of failure in turn, ends with the resources that it began with.
func TestASoakEndsAsItBegan(t *testing.T) {
	fires := 500
	if n, err := strconv.Atoi(os.Getenv("SNAPHOOK_SOAK")); err == nil {
		fires = n
	}
	if !alone(t) { // the soak has its own process, whose memory is measured
		return
	}
	leavesNothing(t)
	s := &soaked{world: open(t, setup{text: soakSettings()})}
	s.fires(t, 300) // fills pools and buffers before memory is measured
	s.leavesNoProcess(t)
	s.log.forget()
	before, running := memory(t), runtime.NumGoroutine()
	start := time.Now()
	s.fires(t, fires)
	took := time.Since(start)
	s.leavesNoProcess(t)
	if logged := len(s.log.failures()); s.sys.FailedOpen() != s.failed.Load() || logged == 0 {
		t.Errorf("failed open %d times, %d warnings; want %d", s.sys.FailedOpen(), logged, s.failed.Load())
	}
	s.log.forget()
	after := memory(t)
	t.Logf("%d fires in %v, %v each; %d KiB resident, before %d; %d KiB of the heap in use, before %d; %d hooks failed", fires, took,
		took/time.Duration(fires), after.resident>>10, before.resident>>10, after.live>>10, before.live>>10, s.failed.Load())
	if grown := after.live - before.live; !raced && grown > 2<<20 {
		t.Errorf("%d bytes more of the heap are in use, want less than 2 MiB", grown)
	}
	// The log of this test holds the warning of each failed hook until its end, and the runtime
	// keeps some of the memory that the warnings needed.
	most := 4<<20 + 64*s.failed.Load()
	if grown := after.resident - before.resident; !raced && grown > most {
		t.Errorf("%d bytes more in memory, want less than %d", grown, most)
	}
	if n := runtime.NumGoroutine(); n > running {
		t.Errorf("%d goroutines, before there were %d", n, running)
	}
}
