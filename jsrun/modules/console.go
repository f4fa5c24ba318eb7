package modules

import (
	"context"
	"log/slog"
	"strings"
	"sync"
)

// The limits of the output that a top level prints before there is a logger: lines, and bytes of
// each line.
const most, longest = 100, 16 << 10

// console is the console of a module, which writes to the module's logger.
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
