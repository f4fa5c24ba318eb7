package fleet

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/gofrs/flock"

	"github.com/snaphook-go/snaphook/internal/bounded"
)

const (
	segmentBytes = 1 << 20 // size of a segment; a segment is removed when the server has all its lines
	batchLines   = 128
	mostLine     = 512 << 10 // limit of a line; lines of records are shorter
	lockName     = "lock"
	sentName     = "sent"
	segmentExt   = ".jsonl"
)

// spool keeps lines on disk until the server has them. It is an [io.Writer] of lines.
type spool struct {
	dir  string // directory of this process, below the shared one
	most int64
	log  *slog.Logger
	lock *flock.Flock
	send func(context.Context, [][]byte) error

	mu      sync.Mutex
	file    *os.File // the current segment
	number  uint64   // the number of the current segment
	written int64    // bytes in the current segment
	total   int64    // unsent bytes in all segments
	closed  bool

	news   chan struct{}
	cancel context.CancelFunc
	done   chan struct{}
}

func openSpool(shared string, most int64, log *slog.Logger) (*spool, error) {
	if err := os.MkdirAll(shared, 0o700); err != nil {
		return nil, fmt.Errorf("the spool of records: %w", err)
	}
	var failed error
	for range 16 {
		dir, err := os.MkdirTemp(shared, "process-")
		if err != nil {
			return nil, fmt.Errorf("the spool of records: %w", err)
		}
		s := &spool{dir: dir, most: most, log: log, news: make(chan struct{}, 1), done: make(chan struct{})}
		s.lock = lockOf(dir)
		locked, err := s.lock.TryLock()
		if locked {
			if _, err = os.Stat(s.lock.Path()); err == nil {
				return s, nil
			}
			_ = s.lock.Unlock()
		}
		// Another process has renamed the new directory, as it does with directories of ended processes.
		failed = fmt.Errorf("the spool of records %s cannot be locked: %w", dir, cmp.Or(err, errSpoolTaken))
	}
	return nil, failed
}

var errSpoolTaken = errors.New("another process holds the lock")

// start begins to send: first the lines of ended processes, then new lines.
func (s *spool) start() {
	ctx, cancel := context.WithCancel(context.Background())
	s.cancel = cancel
	go func() {
		defer close(s.done)
		s.run(ctx)
	}()
}

// Write appends a line to the spool. When it returns, the line is in the kernel, and survives the end of the
// process.
func (s *spool) Write(line []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return 0, fs.ErrClosed
	}
	if s.total+int64(len(line)) > s.most {
		return 0, errSpoolFull
	}
	if s.file == nil || s.written >= segmentBytes {
		if err := s.next(); err != nil {
			return 0, err
		}
	}
	n, err := s.file.Write(line)
	s.written += int64(n)
	s.total += int64(n)
	if err != nil && n > 0 { // a part of the line was written: begin a new segment
		_ = s.file.Truncate(s.written - int64(n))
		s.total -= int64(n)
		s.written = segmentBytes
	}
	signal(s.news, struct{}{})
	return n, err
}

// next begins a new segment.
func (s *spool) next() error {
	name := filepath.Join(s.dir, fmt.Sprintf("%016d%s", s.number+1, segmentExt))
	f, err := os.OpenFile(name, os.O_CREATE|os.O_EXCL|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		return fmt.Errorf("the spool of records: %w", err)
	}
	if s.file != nil {
		_ = s.file.Close() // all lines were written
	}
	s.file, s.written = f, 0
	s.number++
	return nil
}

func (s *spool) size() int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.total
}

// run sends lines until ctx ends.
func (s *spool) run(ctx context.Context) {
	s.adopt(ctx)
	orphans := time.NewTicker(10 * time.Second)
	defer orphans.Stop()
	for wait := 50 * time.Millisecond; ; {
		err := s.flush(ctx, s.dir, true)
		switch {
		case ctx.Err() != nil:
			return
		case err != nil:
			s.log.Debug("records wait for the server", slog.String("error", err.Error()))
			timer := time.NewTimer(wait)
			select {
			case <-timer.C:
			case <-ctx.Done():
				timer.Stop()
				return
			}
			wait = min(2*wait, 2*time.Second)
			continue
		}
		wait = 50 * time.Millisecond
		select {
		case <-s.news:
		case <-orphans.C:
			s.adopt(ctx)
		case <-ctx.Done():
			return
		}
	}
}

// lockOf returns the lock of a process's directory. The lock's file is opened for writing: opening then does not block,
// even if a hook has replaced the file by a pipe.
func lockOf(dir string) *flock.Flock {
	return flock.New(filepath.Join(dir, lockName), flock.SetFlag(os.O_CREATE|os.O_RDWR), flock.SetPermissions(0o600))
}

// adopt sends the lines of ended processes.
func (s *spool) adopt(ctx context.Context) {
	shared := filepath.Dir(s.dir)
	entries, err := os.ReadDir(shared)
	if err != nil {
		return
	}
	for _, e := range entries {
		dir := filepath.Join(shared, e.Name())
		id, alive := strings.CutPrefix(e.Name(), "process-")
		if !e.IsDir() || !alive && !strings.HasPrefix(e.Name(), "ended-") || dir == s.dir {
			continue
		}
		lock := lockOf(dir)
		if locked, err := lock.TryLock(); err != nil || !locked {
			continue // its process is running
		}
		// Rename the directory first: a process that is about to lock it must not find it under the old name.
		if ended := filepath.Join(shared, "ended-"+id); alive && os.Rename(dir, ended) == nil {
			dir = ended
		}
		if s.flush(ctx, dir, false) == nil {
			_ = os.RemoveAll(dir) // the server has all its lines
		}
		_ = lock.Unlock()
	}
}

// segments lists the segments of a directory, the oldest first.
func segments(dir string) (names []string, err error) {
	entries, err := os.ReadDir(dir)
	for _, e := range entries {
		if strings.HasSuffix(e.Name(), segmentExt) {
			names = append(names, e.Name())
		}
	}
	slices.Sort(names)
	return names, err
}

// flush sends all lines of a directory, and removes the segments that the server has.
func (s *spool) flush(ctx context.Context, dir string, own bool) error {
	names, err := segments(dir)
	if err != nil {
		return err
	}
	for i, name := range names {
		sent, err := s.flushSegment(ctx, dir, name, own)
		if err != nil {
			return err
		}
		s.mu.Lock()
		writing := own && i == len(names)-1 && (s.file != nil && filepath.Base(s.file.Name()) == name)
		if writing && s.written > 0 && sent == s.written && !s.closed && s.written >= segmentBytes/4 {
			writing = false // all lines of the current segment are sent: the next line begins a new segment
			_ = s.file.Close()
			s.file = nil
		}
		s.mu.Unlock()
		if !writing {
			if err := os.Remove(filepath.Join(dir, name)); err != nil && !errors.Is(err, fs.ErrNotExist) {
				return err
			}
		}
	}
	return nil
}

// flushSegment sends the lines of one segment, from the end of the previous flush, and returns the offset up
// to which the server has it.
func (s *spool) flushSegment(ctx context.Context, dir, name string, own bool) (sent int64, err error) {
	f, _, err := bounded.Open(filepath.Join(dir, name))
	if err != nil {
		return 0, err
	}
	defer f.Close()
	sent = readSent(dir, name)
	for {
		lines, end, err := readLines(f, sent)
		if err != nil || len(lines) == 0 {
			return sent, err
		}
		limited, cancel := context.WithTimeout(ctx, 10*time.Second)
		err = s.send(limited, lines)
		cancel()
		if err != nil {
			return sent, err
		}
		if own {
			s.mu.Lock()
			s.total -= end - sent
			s.mu.Unlock()
		}
		sent = end
		writeSent(dir, name, sent)
	}
}

// readLines reads some whole lines from an offset, and returns the offset of their end.
func readLines(f *os.File, from int64) (lines [][]byte, end int64, err error) {
	b := make([]byte, 128<<10)
	n, err := f.ReadAt(b, from)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, from, err
	}
	if n == len(b) && bytes.IndexByte(b, '\n') < 0 { // a long line
		b = make([]byte, mostLine)
		if n, err = f.ReadAt(b, from); err != nil && !errors.Is(err, io.EOF) {
			return nil, from, err
		}
	}
	end = from
	for b = b[:n]; len(lines) < batchLines; {
		line, rest, whole := bytes.Cut(b, []byte("\n"))
		if !whole {
			break // a line without an end: its process was killed, or is still writing
		}
		if b, end = rest, end+int64(len(line))+1; len(line) > 0 {
			lines = append(lines, line)
		}
	}
	return lines, end, nil
}

// readSent returns the offset up to which the server has a segment.
func readSent(dir, name string) int64 {
	text, err := bounded.ReadFile(context.Background(), filepath.Join(dir, sentName), 256)
	if err != nil {
		return 0
	}
	of, digits, _ := strings.Cut(strings.TrimSpace(string(text)), " ")
	at, err := strconv.ParseInt(digits, 10, 64)
	if of != name || err != nil {
		return 0
	}
	return at
}

// writeSent stores the offset that readSent reads. If the offset is lost, lines are sent again, and the server drops
// them by their ids.
func writeSent(dir, name string, at int64) {
	_ = os.WriteFile(filepath.Join(dir, sentName), []byte(name+" "+strconv.FormatInt(at, 10)+"\n"), 0o600)
}

// Close does nothing: the recorder closes its writer before the spool has sent all lines.
func (s *spool) Close() error { return nil }

// close waits until the server has acknowledged the remaining lines, but no longer than within. Lines that it has not
// acknowledged stay on disk.
func (s *spool) close(within time.Duration) {
	s.mu.Lock()
	if s.closed {
		s.mu.Unlock()
		return
	}
	s.closed = true
	s.mu.Unlock()
	due := time.NewTimer(within)
	defer due.Stop()
	tick := time.NewTicker(2 * time.Millisecond)
	defer tick.Stop()
wait:
	for s.size() > 0 {
		signal(s.news, struct{}{})
		select {
		case <-tick.C:
		case <-due.C:
			break wait
		}
	}
	s.cancel()
	<-s.done
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.file != nil {
		_ = s.file.Close()
	}
	if s.total == 0 {
		_ = os.RemoveAll(s.dir)
	}
	_ = s.lock.Unlock()
}
