package fleet

import (
	"container/list"
	"context"
	"sync"
	"time"

	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/pipeline"
)

// maxSessions is the number of sessions that a worker keeps: of a session that is dropped the hooks that run
// once may run again. An agent that makes up sessions cannot fill the memory.
const maxSessions = 4096

// maxKeyPart bounds the texts by which a session is found.
const maxKeyPart = 4096

// SessionCache makes sessions of a system for agents, each once, and keeps those that were used last.
type SessionCache struct {
	State *State // the values of hooks, for sessions that move between hosts; nil: they stay on this one

	sys  *pipeline.System
	base pipeline.SessionConfig
	most int

	mu     sync.Mutex
	byKey  map[Agent]*list.Element // of *kept
	recent list.List               // the last one used first
	ending sync.WaitGroup
}

type kept struct {
	key   Agent
	ses   *pipeline.Session
	users int
}

// NewSessionCache returns the sessions of sys with the settings of base. Its ID, AgentDir and Transcript are
// the agents'. The program closes sys, and before it the cache.
func NewSessionCache(sys *pipeline.System, base pipeline.SessionConfig) *SessionCache {
	return &SessionCache{sys: sys, base: base, most: maxSessions, byKey: map[Agent]*list.Element{}}
}

// Session is of the type [Sessions].
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
		ses, err := c.sys.NewSession(ctx, cfg) // the settings are read once, and held in memory
		if err != nil {
			return nil, nil, err
		}
		at = c.recent.PushFront(&kept{key: key, ses: ses})
		c.byKey[key] = at
		c.trim()
	}
	c.recent.MoveToFront(at)
	k := at.Value.(*kept)
	k.users++
	return k.ses, sync.OnceFunc(func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		k.users--
	}), nil
}

// trim drops the sessions that were not used for the longest time, and that nothing uses.
func (c *SessionCache) trim() {
	for at := c.recent.Back(); at != nil && c.recent.Len() > c.most; {
		before := at.Prev()
		if k := at.Value.(*kept); k.users == 0 {
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
		end(at.Value.(*kept).ses)
	}
	c.recent.Init()
	clear(c.byKey)
	c.mu.Unlock()
	c.ending.Wait()
}

// end ends a session, and its hooks in the background after a second.
func end(ses *pipeline.Session) {
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	_ = ses.Close(ctx) // hooks that had to be stopped are in the log of the engine
}
