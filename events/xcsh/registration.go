package xcsh

import (
	"context"
	"errors"

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

// lacking is the error for a member that the host does not implement.
type lacking string

func (l lacking) Error() string {
	return string(l) + " is not available: the host supports only hooks"
}

func (lacking) Unwrap() error { return errors.ErrUnsupported }
