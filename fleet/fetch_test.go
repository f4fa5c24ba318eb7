package fleet

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"testing"
	"time"

	"github.com/nats-io/nats.go/jetstream"
	"go.uber.org/goleak"
)

func TestAnObjectIsReadChunkByChunk(t *testing.T) {
	nc := connect(t, startServer(t))
	js, err := jetstream.New(nc)
	if err != nil {
		t.Fatal(err)
	}
	store, err := js.ObjectStore(t.Context(), PolicyBucket)
	if err != nil {
		t.Fatal(err)
	}
	p := &Policy{nc: nc}
	infos := map[string]*jetstream.ObjectInfo{}
	texts := map[string][]byte{"empty": nil, "one byte": {1}, "several chunks": make([]byte, 300_000)}
	_, _ = rand.Read(texts["several chunks"])
	for name, text := range texts { // one after the other in one stream
		if infos[name], err = store.PutBytes(t.Context(), name, text); err != nil {
			t.Fatal(err)
		}
	}
	for name, text := range texts {
		if got, err := p.fetch(t.Context(), infos[name]); err != nil || !bytes.Equal(got, text) {
			t.Errorf("%s: %d bytes, %v; want the %d bytes that were put", name, len(got), err, len(text))
		}
	}

	before := goleak.IgnoreCurrent()
	many := infos["several chunks"]
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := p.fetch(ended, many); !errors.Is(err, context.Canceled) {
		t.Errorf("with an ended context: %v", err)
	}
	short, cancel := context.WithTimeout(t.Context(), time.Microsecond)
	defer cancel()
	if _, err := p.fetch(short, many); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("without time: %v", err)
	}
	if err := store.Delete(t.Context(), "several chunks"); err != nil {
		t.Fatal(err)
	}
	var refused *jetstream.APIError
	if text, err := p.fetch(t.Context(), many); !errors.As(err, &refused) {
		t.Errorf("a deleted object: %d bytes, %v; want the server's error", len(text), err)
	}
	if err := goleak.Find(before); err != nil {
		t.Error(err)
	}
}
