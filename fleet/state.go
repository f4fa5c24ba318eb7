package fleet

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"log/slog"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/state"
)

// State keeps the state of hooks in the KV bucket snaphook-state, for sessions that move between hosts.
type State struct {
	keys    jetstream.KeyValue
	address string
}

// OpenState opens the bucket. address is the server's URL for hooks in other processes, which open the state with
// [StateNamed]; if address is empty, these hooks have no state.
func OpenState(ctx context.Context, nc *nats.Conn, address string) (*State, error) {
	js, err := jetstream.New(nc)
	if err != nil {
		return nil, err
	}
	keys, err := js.KeyValue(ctx, StateBucket)
	if err != nil {
		return nil, bucketError("bucket", StateBucket, err)
	}
	return &State{keys, address}, nil
}

// Of returns the values of the hooks of one source in a session, the same on every host. All values of a
// source are limited to 512 KiB together. Each change is a compare-and-set: simultaneous changes from any
// host are not lost. A change costs two round trips to the server, and two more for each simultaneous change that was
// faster; Get costs one.
func (s *State) Of(session string, source hook.Source) hook.State {
	sum := sha256.Sum256([]byte(session))
	own := &sourceState{s.keys, hex.EncodeToString(sum[:16]) + "." + hostToken(source.String())}
	if s.address == "" {
		return own
	}
	return &namedState{own, s.address + "#" + own.key}
}

// namedState is a state with a name: processes get the name in the variable SNAPHOOK_STATE.
type namedState struct {
	*sourceState
	name string
}

// Name returns the name for [StateNamed].
func (s *namedState) Name() string { return s.name }

// IsStateName reports whether a value of SNAPHOOK_STATE is for [StateNamed], and not a directory.
func IsStateName(name string) bool {
	return strings.Contains(name, "://") && strings.Contains(name, "#")
}

// StateNamed opens the state of a name, with a credentials file; creds may be empty. done closes the
// connection.
func StateNamed(ctx context.Context, name, creds string) (s hook.State, done func(), err error) {
	address, key, _ := strings.Cut(name, "#")
	nc, err := Connect(address, ConnectOptions{Creds: creds, Need: true, Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		return nil, nil, err
	}
	all, err := OpenState(ctx, nc, "")
	if err != nil {
		nc.Close()
		return nil, nil, err
	}
	return &sourceState{all.keys, key}, nc.Close, nil
}

// mostState limits the bytes of one source's values, which are one message.
const mostState = 512 << 10

// mostTries limits the attempts of a change that loses to simultaneous changes.
const mostTries = 256

type sourceState struct {
	keys jetstream.KeyValue
	key  string
}

// Get implements [hook.State].
func (s *sourceState) Get(ctx context.Context, key string) (value string, ok bool, err error) {
	values, _, err := s.read(ctx)
	value, ok = values[key]
	return value, ok, err
}

// Set implements [hook.State].
func (s *sourceState) Set(ctx context.Context, key, value string) error {
	return s.change(ctx, func(values map[string]string) (bool, error) {
		values[key] = value
		return true, nil
	})
}

// CompareAndSwap implements [hook.State].
func (s *sourceState) CompareAndSwap(ctx context.Context, key, old, new string) (swapped bool, err error) {
	err = s.change(ctx, func(values map[string]string) (bool, error) {
		was, ok := values[key]
		if swapped = ok && was == old; swapped {
			values[key] = new
		}
		return swapped, nil
	})
	return swapped && err == nil, err
}

// Incr implements [hook.State].
func (s *sourceState) Incr(ctx context.Context, key string, by int64) (sum int64, err error) {
	err = s.change(ctx, func(values map[string]string) (bool, error) {
		n := int64(0)
		if text, ok := values[key]; ok {
			if n, err = strconv.ParseInt(text, 10, 64); err != nil {
				return false, fmt.Errorf("the value of %q is %.40q, which is not a number", key, text)
			}
		}
		if sum = n + by; (by > 0) != (sum > n) && by != 0 {
			return false, fmt.Errorf("the value of %q, %d, and %d are too large together", key, n, by)
		}
		values[key] = strconv.FormatInt(sum, 10)
		return true, nil
	})
	return sum, err
}

// Delete implements [hook.State].
func (s *sourceState) Delete(ctx context.Context, key string) error {
	return s.change(ctx, func(values map[string]string) (bool, error) {
		_, ok := values[key]
		delete(values, key)
		return ok, nil
	})
}

func (s *sourceState) read(ctx context.Context) (values map[string]string, revision uint64, err error) {
	entry, err := s.keys.Get(ctx, s.key)
	if errors.Is(err, jetstream.ErrKeyNotFound) {
		return map[string]string{}, 0, nil
	}
	if err != nil {
		return nil, 0, fmt.Errorf("the state: %w", err)
	}
	values = map[string]string{}
	if err := json.Unmarshal(entry.Value(), &values); err != nil {
		return nil, 0, fmt.Errorf("the state in %s: %w", s.key, err)
	}
	return values, entry.Revision(), nil
}

// change applies f to the values, and repeats this if another client has changed them meanwhile.
func (s *sourceState) change(ctx context.Context, f func(map[string]string) (changed bool, err error)) error {
	for range mostTries {
		values, revision, err := s.read(ctx)
		if err != nil {
			return err
		}
		if changed, err := f(values); err != nil || !changed {
			return err
		}
		text, err := json.Marshal(values, json.Deterministic(true))
		if err != nil {
			return err
		}
		if len(text) > mostState {
			return fmt.Errorf("%w: the limit in a fleet is 512 KiB", state.ErrFull)
		}
		if revision == 0 {
			_, err = s.keys.Create(ctx, s.key, text)
		} else {
			_, err = s.keys.Update(ctx, s.key, text, revision)
		}
		if err == nil || !errors.Is(err, jetstream.ErrKeyExists) {
			return err
		}
	}
	return errors.New("other processes keep changing the state; try again")
}
