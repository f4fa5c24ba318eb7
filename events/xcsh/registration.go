package xcsh

import (
	"context"
	"errors"
	"slices"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/snaphook-go/snaphook/wire"
)

// Registration is something other than a hook that an extension module registers: a tool, a flag, a shortcut or a
// provider of models. The host has to implement it; [Info] lists it.
type Registration struct {
	Kind       string // "tool", "flag", "shortcut", "provider"
	Name       string
	Definition wire.Object // the module's definition, without its functions

	// Call calls a function of the definition, such as "execute", with arguments that are encoded
	// as JSON.
	Call func(ctx context.Context, function string, args ...any) (jsontext.Value, error)
}

// Register adds a registration. A later registration of the same kind and name replaces the earlier registration, and
// takes its place in the order.
func (a *API) Register(r Registration) {
	mod := a.module
	mod.mu.Lock()
	defer mod.mu.Unlock()
	if mod.closed {
		return
	}
	same := func(other Registration) bool { return other.Kind == r.Kind && other.Name == r.Name }
	if i := slices.IndexFunc(mod.others, same); i >= 0 {
		mod.others[i] = r
		return
	}
	mod.others = append(mod.others, r)
}

// Extension asks the host for a member that only the extension runtime has; see [Host.Extension]. If the host has no
// Extension function, the error is an [errors.ErrUnsupported].
func (a *API) Extension(ctx context.Context, member string, args []jsontext.Value) (jsontext.Value, error) {
	if h := a.m.host.Load(); h != nil && h.Extension != nil {
		v, err := h.Extension(ctx, member, args)
		if err == nil || !errors.Is(err, errors.ErrUnsupported) {
			return v, err
		}
	}
	return nil, lacking(member)
}

// lacking is the error for a member that the host does not implement.
type lacking string

func (l lacking) Error() string {
	return string(l) + " is not available: the host supports only hooks"
}

func (lacking) Unwrap() error { return errors.ErrUnsupported }
