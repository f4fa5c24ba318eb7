package record

import (
	"bytes"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"testing"
	"testing/synctest"
	"time"
)

// A record whose full file cannot be renamed tries again after it has grown, and not with each line.
func TestAFileThatCannotBeRenamedIsNotTriedWithEachLine(t *testing.T) {
	path := filepath.Join(t.TempDir(), "r.jsonl")
	if err := os.MkdirAll(filepath.Join(path+".1", "in the way"), 0o700); err != nil {
		t.Fatal(err)
	}
	f, err := openFile(path, Config{MaxSize: 100, Keep: 1})
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	line := append(bytes.Repeat([]byte("x"), 99), '\n')
	for range 10 {
		if _, err := f.Write(line); err != nil {
			t.Fatal(err)
		}
		if err := os.Remove(path + ".lock"); err != nil && !os.IsNotExist(err) {
			t.Fatal(err)
		}
	}
	if _, err := f.Write(line); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(path + ".lock"); !os.IsNotExist(err) {
		t.Errorf("the lock was taken for the eleventh line too (%v)", err)
	}
	if text, err := os.ReadFile(path); err != nil || len(text) != 11*len(line) {
		t.Errorf("%d bytes, %v; want all lines", len(text), err)
	}
}

// hanging is a file whose Write blocks until goOn is closed.
type hanging struct{ goOn, closed chan struct{} }

func (h hanging) Write(b []byte) (int, error) { <-h.goOn; return len(b), nil }
func (h hanging) Close() error                { close(h.closed); return nil }

func TestAnAbandonedWriterIsClosedWhenItsLastWriteReturns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := hanging{make(chan struct{}), make(chan struct{})}
		s := newSink(io.Writer(h), slog.New(slog.DiscardHandler))
		s.put(s.line())
		s.close(time.Second)
		select {
		case <-h.closed:
			t.Error("the writer is closed during a Write")
		default:
		}
		close(h.goOn)
		synctest.Wait()
		select {
		case <-h.closed:
		default:
			t.Error("the writer stays open")
		}
	})
}
