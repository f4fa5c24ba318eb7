package modules

import (
	"context"
	"log/slog"
	"strings"
	"sync"
)

// The lines of a top level that are kept until there is a logger, and the bytes of one.
const most, longest = 100, 16 << 10

// console is the console of a module, and writes to its logger.
type console struct {
	to func(level, text string) // nil: the logger

	mu    sync.Mutex
	log   *slog.Logger // nil until the factory runs
	lines [][2]string
}

var levels = map[string]slog.Level{
	"debug": slog.LevelDebug,
	"warn":  slog.LevelWarn,
	"error": slog.LevelError,
} // others are Info

func (c *console) write(level, text string) {
	if c.to != nil {
		c.to(level, text)
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.log == nil {
		if len(c.lines) < most {
			if len(text) > longest {
				text = strings.ToValidUTF8(text[:longest], "") + " …"
			}
			c.lines = append(c.lines, [2]string{level, text})
		}
		return
	}
	c.log.Log(context.Background(), levels[level], text)
}

// attach sets the console's logger, and logs the lines written before.
func (c *console) attach(log *slog.Logger) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.log = log
	for _, line := range c.lines {
		log.Log(context.Background(), levels[line[0]], line[1])
	}
	c.lines = nil
}
