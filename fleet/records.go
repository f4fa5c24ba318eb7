package fleet

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/snaphook-go/snaphook/pipeline"
	"github.com/snaphook-go/snaphook/record"
	"github.com/snaphook-go/snaphook/wire"
)

// RecordOptions configure the recording of fires.
type RecordOptions struct {
	Record   record.Config
	MaxSpool int64         // limit of the bytes on disk that wait for the server; 0 means 64 MiB
	Host     string        // host in the subject; empty means the system's host name
	Revision func() uint64 // returns the revision of the policy in force, for each line; nil: lines have no revision
	Log      *slog.Logger  // nil means [slog.Default]

	// Close limits how long the method Close waits for the server to take the remaining lines; lines that the server
	// has not taken stay on disk for the next process. 0 means 1 s.
	Close time.Duration
}

// Recorder is an observer that records fires in the JetStream subject snaphook.v1.record.HOST. Its methods may be
// called from many goroutines.
//
// A line is written to a spool on disk before the fire returns, and sent from there: it survives the end of
// the process by any signal, and an outage of the server. Acknowledged lines are removed from the spool. A
// line that is sent twice has the same Nats-Msg-Id, and the server keeps one. If the spool or the disk is
// full, lines are lost and counted, which is logged once; the fire goes on.
type Recorder struct {
	*record.Recorder
	spool *spool
	opts  RecordOptions
}

var _ pipeline.Observer = (*Recorder)(nil)

// Records returns a Recorder with a spool in a directory. Many processes may share the directory: each has
// its own part, and also sends the parts of processes that have ended. Close it.
func Records(nc *nats.Conn, dir string, opts RecordOptions) (*Recorder, error) {
	opts.Host, opts.Log = cmp.Or(opts.Host, hostname()), cmp.Or(opts.Log, slog.Default())
	opts.MaxSpool, opts.Close = cmp.Or(opts.MaxSpool, 64<<20), cmp.Or(opts.Close, time.Second)
	opts.Record.Log = cmp.Or(opts.Record.Log, opts.Log)
	if opts.Record.Revision == nil {
		opts.Record.Revision = opts.Revision
	}
	js, err := jetstream.New(nc, jetstream.WithPublishAsyncMaxPending(maxUnacknowledged))
	if err != nil {
		return nil, err
	}
	s, err := openSpool(dir, opts.MaxSpool, opts.Log)
	if err != nil {
		return nil, err
	}
	s.send = func(ctx context.Context, lines [][]byte) error {
		return publish(ctx, js, logPrefix+"."+hostToken(opts.Host), lines)
	}
	s.start()
	return &Recorder{record.New(s, opts.Record), s, opts}, nil
}

// Close writes the waiting lines, and waits up to RecordOptions.Close for the server to acknowledge them.
func (r *Recorder) Close() {
	r.Recorder.Close(r.opts.Close)
	r.spool.close(r.opts.Close)
}

// SystemEnd implements [pipeline.SystemEnder]. It closes the Recorder, which therefore belongs to one system;
// see [Recorder.Shared].
func (r *Recorder) SystemEnd() { r.Close() }

// Waiting returns the number of bytes that the server has not acknowledged.
func (r *Recorder) Waiting() int64 { return r.spool.size() }

// Shared returns an observer that several systems can use, one after another: the end of a system does not close r.
func (r *Recorder) Shared() pipeline.Observer { return sharedRecorder{r.Recorder} }

type sharedRecorder struct{ of *record.Recorder }

func (s sharedRecorder) FireStart(ctx context.Context, f *pipeline.FireInfo) context.Context {
	return s.of.FireStart(ctx, f)
}
func (s sharedRecorder) HookEnd(ctx context.Context, e *pipeline.Evaluation) { s.of.HookEnd(ctx, e) }
func (s sharedRecorder) FireEnd(ctx context.Context, f *pipeline.FireInfo, o *pipeline.FireOutcome) {
	s.of.FireEnd(ctx, f, o)
}
func (s sharedRecorder) ObservesPromptly() {}

// maxUnacknowledged limits the lines that are sent and not acknowledged.
const maxUnacknowledged = 256

// publish sends lines, and returns when the server has acknowledged all of them.
func publish(ctx context.Context, js jetstream.JetStream, subject string, lines [][]byte) error {
	var acks []jetstream.PubAckFuture
	for _, line := range lines {
		msg := nats.NewMsg(subject)
		msg.Data = line
		msg.Header.Set(nats.MsgIdHdr, wire.Object(line).Text("id"))
		ack, err := js.PublishMsgAsync(msg, jetstream.WithRetryAttempts(0))
		if err != nil {
			return err
		}
		acks = append(acks, ack)
	}
	for _, ack := range acks {
		select {
		case <-ack.Ok():
		case err := <-ack.Err():
			return err
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return nil
}

// OpenRecords reads the records of all hosts in the order in which the server got them, each line once. With
// follow the reader skips the lines that the server has, and reads new lines until ctx ends; otherwise it reads the
// lines that the server has. It returns an error if the stream does not exist or may not be read.
func OpenRecords(ctx context.Context, nc *nats.Conn, follow bool) (io.ReadCloser, error) {
	return openRecords(ctx, nc, !follow, follow)
}

// FollowRecords reads all lines that the server has, like OpenRecords, and then new ones until ctx
// ends.
func FollowRecords(ctx context.Context, nc *nats.Conn) (io.ReadCloser, error) {
	return openRecords(ctx, nc, true, true)
}

// openRecords reads the lines that the server has if past is set, and new lines if follow is set.
func openRecords(ctx context.Context, nc *nats.Conn, past, follow bool) (io.ReadCloser, error) {
	js, err := jetstream.New(nc)
	if err != nil {
		return nil, err
	}
	stream, err := js.Stream(ctx, RecordStream)
	if err != nil {
		return nil, bucketError("stream", RecordStream, err)
	}
	cfg := jetstream.OrderedConsumerConfig{DeliverPolicy: jetstream.DeliverAllPolicy}
	if !past {
		cfg.DeliverPolicy = jetstream.DeliverNewPolicy
	}
	last := stream.CachedInfo().State.LastSeq
	if !follow && stream.CachedInfo().State.Msgs == 0 {
		return io.NopCloser(eof{}), nil
	}
	consumer, err := stream.OrderedConsumer(ctx, cfg)
	if err != nil {
		return nil, fmt.Errorf("the records cannot be read: %w; the user needs the right to make consumers of %s", err, RecordStream)
	}
	messages, err := consumer.Messages()
	if err != nil {
		return nil, fmt.Errorf("the records cannot be read: %w", err)
	}
	r := &recordReader{messages: messages, last: last, follow: follow, seen: map[string]bool{}}
	r.stopped = context.AfterFunc(ctx, messages.Stop)
	return r, nil
}

type eof struct{}

func (eof) Read([]byte) (int, error) { return 0, io.EOF }

// maxSeen limits the ids that are kept to skip duplicate lines.
const maxSeen = 1 << 16

type recordReader struct {
	messages jetstream.MessagesContext
	last     uint64
	follow   bool
	rest     []byte
	ended    bool
	seen     map[string]bool
	order    []string
	stopped  func() bool
}

func (r *recordReader) Read(b []byte) (int, error) {
	for len(r.rest) == 0 {
		if r.ended {
			return 0, io.EOF
		}
		msg, err := r.messages.Next()
		if errors.Is(err, jetstream.ErrMsgIteratorClosed) {
			return 0, io.EOF
		}
		if err != nil {
			return 0, fmt.Errorf("the records cannot be read: %w", err)
		}
		at, err := msg.Metadata()
		if err != nil {
			return 0, err
		}
		r.ended = !r.follow && at.Sequence.Stream >= r.last
		if id := msg.Headers().Get(nats.MsgIdHdr); id == "" || r.isNew(id) {
			r.rest = append(msg.Data()[:len(msg.Data()):len(msg.Data())], '\n')
		}
	}
	n := copy(b, r.rest)
	r.rest = r.rest[n:]
	return n, nil
}

// isNew reports whether no line with the id has been read.
func (r *recordReader) isNew(id string) bool {
	if r.seen[id] {
		return false
	}
	r.seen[id] = true
	if r.order = append(r.order, id); len(r.order) > maxSeen {
		delete(r.seen, r.order[0])
		r.order = r.order[1:]
	}
	return true
}

func (r *recordReader) Close() error {
	r.stopped()
	r.messages.Stop()
	return nil
}

var errSpoolFull = errors.New("the spool of records is full: the server has accepted no records for too long")
