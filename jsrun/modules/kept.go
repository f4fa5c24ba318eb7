package modules

import (
	"context"
	"fmt"

	"github.com/snaphook-go/snaphook/jsrun"
)

// Limits of the objects that the host keeps for a module, such as handlers, commands, tools and flags, with their
// texts. They use memory of the host, to which the module's own limit does not apply.
const (
	MaxRegistrations = 2000
	MaxRegistered    = 8 << 20 // bytes
)

// kept wraps a function of pi whose arguments the host keeps. Beyond the limits it throws an error and logs it, because
// a module that catches the error lacks a handler.
func kept(register jsrun.Func) jsrun.Func {
	return func(ctx context.Context, this any, args jsrun.Args) (any, error) {
		m := this.(*boundModule)
		if err := m.keep(args); err != nil {
			m.tooMuch.Do(func() { m.api.Logger().Warn("a module registers too much", "error", err.Error()) })
			return nil, err
		}
		return register(ctx, this, args)
	}
}

func (m *boundModule) keep(args jsrun.Args) error {
	size := 0
	for _, arg := range args {
		size += len(arg)
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.entries >= MaxRegistrations || size > MaxRegistered-m.bytes {
		return fmt.Errorf(
			"a module can register %d handlers, commands and tools, of %d bytes in all; this one has %d of %d",
			MaxRegistrations, MaxRegistered, m.entries, m.bytes,
		)
	}
	m.entries++
	m.bytes += size
	return nil
}
