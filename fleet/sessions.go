package fleet

import (
	"container/list"
	"context"
	"sync"
	"time"

	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/pipeline"
)

// maxSessions limits the sessions that a worker keeps in memory, whatever ids agents send. After a session is
// dropped, its once-only hooks may run again.
const maxSessions = 4096

// maxKeyPart limits the length of the texts that identify a session.
const maxKeyPart = 4096

// SessionCache opens sessions of a system for agents, each once, and keeps the most recently used ones.
type SessionCache struct {
	State *State // state of hooks for sessions that move between hosts; nil: the state stays on this host

	sys  *pipeline.System
	base pipeline.SessionConfig
	most int

	mu     sync.Mutex
	byKey  map[Agent]*list.Element // elements hold *cachedSession
	recent list.List               // most recently used first
	ending sync.WaitGroup
}

type cachedSession struct {
	key   Agent
	ses   *pipeline.Session
	users int
}

// NewSessionCache returns a cache of sessions of sys with the configuration base; ID, AgentDir and Transcript
// come from the agents. Close the cache, and then sys.
func NewSessionCache(sys *pipeline.System, base pipeline.SessionConfig) *SessionCache {
	return &SessionCache{sys: sys, base: base, most: maxSessions, byKey: map[Agent]*list.Element{}}
}

// Session implements [Sessions].
func (c *SessionCache) Session(ctx context.Context, from Agent) (*pipeline.Session, func(), error) {
	key := from
	key.Host = ""
	if len(key.Session) > maxKeyPart || len(key.Dir) > maxKeyPart || len(key.Transcript) > maxKeyPart {
		return nil, nil, errLongName
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	at := c.byKey[key]
	if at == nil {
		cfg := c.base
		cfg.ID, cfg.AgentDir, cfg.Transcript = from.Session, from.Dir, from.Transcript
		if c.State != nil && from.Session != "" {
			cfg.States = func(source hook.Source) hook.State { return c.State.Of(from.Session, source) }
		}
		ses, err := c.sys.NewSession(ctx, cfg) // the settings are read once and kept in memory
		if err != nil {
			return nil, nil, err
		}
		at = c.recent.PushFront(&cachedSession{key: key, ses: ses})
		c.byKey[key] = at
		c.trim()
	}
	c.recent.MoveToFront(at)
	k := at.Value.(*cachedSession)
	k.users++
	return k.ses, sync.OnceFunc(func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		k.users--
	}), nil
}

// trim drops the least recently used sessions that are not in use.
func (c *SessionCache) trim() {
	for at := c.recent.Back(); at != nil && c.recent.Len() > c.most; {
		before := at.Prev()
		if k := at.Value.(*cachedSession); k.users == 0 {
			c.recent.Remove(at)
			delete(c.byKey, k.key)
			c.ending.Go(func() { end(k.ses) })
		}
		at = before
	}
}

// Close closes all sessions. None may be in use.
func (c *SessionCache) Close() {
	c.mu.Lock()
	for at := c.recent.Front(); at != nil; at = at.Next() {
		end(at.Value.(*cachedSession).ses)
	}
	c.recent.Init()
	clear(c.byKey)
	c.mu.Unlock()
	c.ending.Wait()
}

// end closes a session, and stops its background hooks after 1 s.
func end(ses *pipeline.Session) {
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	_ = ses.Close(ctx) // the engine logs hooks that it had to stop
}
