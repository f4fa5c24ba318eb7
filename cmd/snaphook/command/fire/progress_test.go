package fire

import (
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/pipeline"
)

func TestTheStatusLineShowsWhatRuns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var text sharedText
		p := &progress{to: &text, width: func() int { return 60 }, stop: make(chan struct{}), done: make(chan struct{})}
		go p.run()
		lint, guard := &hook.Hook{Identity: hook.Identity{Command: "lint.sh"}, Execution: hook.Execution{Status: "Linting\x1b[31m"}}, &hook.Hook{Identity: hook.Identity{Command: "guard.sh --with " + strings.Repeat("x", 50)}}
		p.HookStart(t.Context(), nil, lint)
		time.Sleep(300 * time.Millisecond)
		p.HookStart(t.Context(), nil, guard)
		p.HookEnd(t.Context(), &pipeline.Evaluation{Hook: &hook.Hook{}, SkipReason: hook.NotMatched})
		if synctest.Wait(); text.String() != "" {
			t.Errorf("already it shows %q", text.String())
		}
		time.Sleep(700 * time.Millisecond)
		synctest.Wait()
		last := text.String()[strings.LastIndex(text.String(), "\r"):]
		if want := "\r\x1b[K2 hooks: Linting\\u001b[31m 1.0s, guard.sh --with xxx…xxxxx…"; last != want {
			t.Errorf("it shows %q, want %q", last, want)
		}
		p.HookEnd(t.Context(), &pipeline.Evaluation{Hook: guard, Outcome: pipeline.Success})
		p.HookEnd(t.Context(), &pipeline.Evaluation{Hook: lint, Outcome: pipeline.Backgrounded})
		time.Sleep(100 * time.Millisecond)
		synctest.Wait()
		if last = text.String()[strings.LastIndex(text.String(), "\r"):]; last != "\r\x1b[K1 hook: Linting\\u001b[31m 1.1s" {
			t.Errorf("then it shows %q", last)
		}
		p.HookEnd(t.Context(), &pipeline.Evaluation{Hook: lint, Outcome: pipeline.Success, Late: true})
		p.close()
		if !strings.HasSuffix(text.String(), "\r\x1b[K") {
			t.Errorf("in the end it shows %q", text.String())
		}
	})
}

func TestHooksThatAreQuickShowNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var text sharedText
		p := &progress{to: &text, width: func() int { return 60 }, stop: make(chan struct{}), done: make(chan struct{})}
		go p.run()
		p.HookStart(t.Context(), nil, &hook.Hook{Identity: hook.Identity{Command: "quick"}})
		time.Sleep(progressAfter - 1)
		if p.close(); text.String() != "" {
			t.Errorf("it shows %q", text.String())
		}
	})
}

// sharedText is a text that one goroutine writes while another reads it.
type sharedText struct {
	mu   sync.Mutex
	text strings.Builder
}

func (s *sharedText) Write(b []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.text.Write(b)
}

func (s *sharedText) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.text.String()
}
