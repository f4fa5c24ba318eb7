package fleet

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/snaphook-go/snaphook/state"
)

// noKeys is a bucket without keys.
type noKeys struct{ jetstream.KeyValue }

func (noKeys) Get(context.Context, string) (jetstream.KeyValueEntry, error) {
	return nil, jetstream.ErrKeyNotFound
}

func TestAFullStateOfAFleetNamesTheLimitOfAFleet(t *testing.T) {
	own := &sourceState{noKeys{}, "k"}
	err := own.Set(t.Context(), "big", strings.Repeat("x", mostState))
	if !errors.Is(err, state.ErrFull) || !strings.Contains(err.Error(), "512 KiB") {
		t.Errorf("err %v, want ErrFull with 512 KiB", err)
	}
}
