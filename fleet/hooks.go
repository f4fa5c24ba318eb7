package fleet

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/snaphook-go/snaphook/bus"
	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/pipeline"
	"github.com/snaphook-go/snaphook/policy"
	"github.com/snaphook-go/snaphook/settings"
	"github.com/snaphook-go/snaphook/wire"
)

// HookOptions say how workers are asked. The zero HookOptions ask for every event of every linked dialect.
type HookOptions struct {
	// Policy says which events have hooks: workers are asked for those alone, and only workers that run the
	// same revision. Until there is a policy every event has a hook that fails. Nil: workers are asked for
	// every event, whatever their policy.
	Policy *Policy

	// MaxInFlight is the number of requests that may be under way at the same time; 0 means 64. More wait
	// for their turn, within their time.
	MaxInFlight int

	// Patience is how long a request goes on asking where no worker is there, or each is at its limit, as
	// while workers are replaced; 0 means 2 s, and a negative Patience not at all. It is a part of the hook's time.
	Patience time.Duration

	Host string       // of the agent; empty means the name that the system has
	Log  *slog.Logger // nil means [slog.Default]
}

// Type is the type of a hook that asks workers.
const Type = "remote"

// Hooks returns a Load that adds hooks of source managed and of type remote: one for each event of each linked
// dialect, which asks the workers. Its payload is the one that the dialect gives to any hook, its time that of the
// hook, and its answer what the hooks of the worker have decided together. It fails closed, with
// [hook.ClassRemote] where no worker has answered, and [hook.ClassOversize] where the payload is larger than
// the server takes; the overlay of the policy may say otherwise, as may the machine's. A worker of which a hook
// failed, while the event went ahead there, is a failure too: in doubt the agent's own policy decides.
func Hooks(nc *nats.Conn, opts HookOptions) pipeline.Load {
	opts.Patience = cmp.Or(opts.Patience, 2*time.Second)
	opts.Host, opts.Log = cmp.Or(opts.Host, hostname()), cmp.Or(opts.Log, slog.Default())
	flight := make(chan struct{}, cmp.Or(opts.MaxInFlight, 64))
	return func(context.Context, pipeline.Workspace) (pipeline.Loaded, error) {
		var loaded pipeline.Loaded
		var bundle *Bundle
		if opts.Policy != nil {
			if bundle = opts.Policy.Current(); bundle == nil {
				loaded.Problems = append(loaded.Problems, settings.Problem{
					Message: "there is no policy of the fleet yet; what it could guard is blocked until there is one",
				})
			}
		}
		for _, e := range linkedEvents() {
			info := e.Info()
			if bundle != nil && !bundle.Has(info.FullName()) {
				continue
			}
			runner := &remote{nc: nc, opts: opts, flight: flight, event: info.Name}
			var err error
			if runner.subject, err = Subject(info.Dialect, info.Name); err != nil {
				runner.never = err
			}
			switch {
			case bundle != nil:
				runner.revision = bundle.Revision
			case opts.Policy != nil:
				runner.never = errNoPolicy
			}
			loaded.Hooks = append(loaded.Hooks, runner.hook(info, bundle))
		}
		if bundle != nil {
			for _, name := range bundle.Events {
				if !slices.ContainsFunc(loaded.Hooks, func(h *hook.Hook) bool { return h.Dialect+"."+h.Event == name }) {
					loaded.Problems = append(loaded.Problems, settings.Problem{Message: fmt.Sprintf(
						"revision %d of the policy has hooks for %s, an event that this program does not know", bundle.Revision, name)})
				}
			}
		}
		return loaded, nil
	}
}

var (
	errNoPolicy  = errors.New("there is no policy yet, and no worker is asked without one")
	errLongName  = fmt.Errorf("the session's id, directory or transcript has more than %d bytes", maxKeyPart)
	errNoWorkers = errors.New("no worker answers")
)

// remote asks workers; it is the Runner of one event's hook.
type remote struct {
	nc       *nats.Conn
	opts     HookOptions
	flight   chan struct{}
	event    string
	subject  string
	revision uint64
	never    error // why it is not asked
}

// hook returns the hook of an event.
func (r *remote) hook(info pipeline.Info, bundle *Bundle) *hook.Hook {
	h := &hook.Hook{
		Identity: hook.Identity{
			ID: "managed/" + info.Name + "/" + Type, Dialect: info.Dialect, Event: info.Name, Type: Type,
			Name: "the fleet's policy", Command: atRevision(r.subject, r.revision), Source: hook.Managed,
		},
		Runner: r,
	}
	h.Exits = hook.Exits{0: hook.ParseAnswer, 2: hook.ParseAndDeny, hook.OtherStatus: hook.Fail}
	h.Text, h.NoEnvFile = hook.TextIgnored, true
	closed := true
	if bundle != nil && bundle.Overlay != nil {
		demanded := bundle.Overlay.Effective(h, pipeline.PolicyEvent(info))
		closed = !demanded.Decided[hook.ClassRemote] || demanded.OnFailure[hook.ClassRemote] != hook.FailOpen
		h.Timeout = demanded.Timeout
	}
	h.FailClosed = closed
	return h
}

// Run implements [hook.Runner].
func (r *remote) Run(ctx context.Context, call hook.Call) (hook.Reply, error) {
	if r.never != nil {
		return hook.Reply{}, classed(r.never)
	}
	began := time.Now()
	limited := context.Context(ctx)
	if call.Timeout > 0 {
		var cancel context.CancelFunc
		limited, cancel = context.WithTimeout(ctx, call.Timeout)
		defer cancel()
	}
	select {
	case r.flight <- struct{}{}:
		defer func() { <-r.flight }()
	default:
		select {
		case r.flight <- struct{}{}:
			defer func() { <-r.flight }()
		case <-limited.Done():
			return hook.Reply{}, r.ended(ctx, call, fmt.Errorf("%d requests of this agent are under way", cap(r.flight)))
		}
	}
	ask := r.question(call)
	for wait := 2 * time.Millisecond; ; wait = min(2*wait, 200*time.Millisecond) {
		if call.Timeout > 0 {
			ask.timeout = call.Timeout - time.Since(began)
		}
		response, merged, err := ask.send(limited, r.nc)
		switch again := isEarly(response, err); {
		case !again && err == nil:
			return reply(response, merged)
		case limited.Err() != nil:
			return hook.Reply{}, r.ended(ctx, call, errNoWorkers)
		case !again, time.Since(began)+wait > r.opts.Patience:
			return hook.Reply{}, classed(refusal(response, err))
		}
		timer := time.NewTimer(wait)
		select {
		case <-timer.C:
		case <-limited.Done():
			timer.Stop()
			return hook.Reply{}, r.ended(ctx, call, refusal(response, err))
		}
	}
}

// question makes the request of a call. Its input is the payload of the hook, byte by byte.
func (r *remote) question(call hook.Call) *question {
	id := newID()
	b := make([]byte, 0, len(call.Payload)+len(r.event)+96)
	b = append(append(append(b, `{"correlationId":"`...), id...), `","eventName":`...)
	b = append(append(append(b, wire.Quote(r.event)...), `,"input":`...), call.Payload...)
	header := nats.Header{
		SessionHeader: {headerText(call.Session)}, HostHeader: {headerText(r.opts.Host)}, DirHeader: {headerText(call.Dir)},
		MergedHeader: {"1"},
	}
	if r.revision > 0 {
		header[RevisionHeader] = []string{strconv.FormatUint(r.revision, 10)}
	}
	if call.Trace.Parent != "" {
		header["traceparent"], header["tracestate"] = []string{call.Trace.Parent}, []string{call.Trace.State}
	}
	return &question{subject: atRevision(r.subject, r.revision), id: id, text: append(b, '}'), header: header}
}

// headerText is a text without the characters that end a header.
func headerText(text string) string {
	if strings.ContainsAny(text, "\r\n") {
		text = strings.NewReplacer("\r", " ", "\n", " ").Replace(text)
	}
	return text
}

// isEarly reports whether no worker has begun with the request, and one may soon.
func isEarly(response bus.Response, err error) bool {
	if err == nil {
		return response.Error != nil && slices.Contains(
			[]bus.Code{Overloaded, NoPolicy, OtherRevision}, response.Error.Code)
	}
	return errors.Is(err, nats.ErrNoResponders) || errors.Is(err, nats.ErrReconnectBufExceeded) ||
		errors.Is(err, nats.ErrConnectionReconnecting)
}

// refusal is the error of a request that was not answered, or with an error.
func refusal(response bus.Response, err error) error {
	switch {
	case errors.Is(err, nats.ErrNoResponders):
		return fmt.Errorf("%w: none is there for the event and the policy", errNoWorkers)
	case errors.Is(err, nats.ErrReconnectBufExceeded), errors.Is(err, nats.ErrConnectionReconnecting):
		return fmt.Errorf("%w: there is no connection to the server", errNoWorkers)
	case err != nil:
		return err
	}
	return fmt.Errorf("the worker says %s: %.500s", response.Error.Code, response.Error.Message)
}

// ended is the error of a request whose time is over, or whose caller has given up.
func (r *remote) ended(ctx context.Context, call hook.Call, why error) error {
	if err := context.Cause(ctx); err != nil && ctx.Err() != nil && !errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	return classed(fmt.Errorf("%v within %v", why, call.Timeout)) // its class is remote, and not timeout
}

// classed gives an error of a request its class.
func classed(err error) error {
	if large := new(PayloadError); errors.As(err, &large) {
		return &hook.ClassError{Class: hook.ClassOversize, Err: err}
	}
	return &hook.ClassError{Class: hook.ClassRemote, Err: errors.New(err.Error())} // whatever it wraps
}

// reply turns a response into the reply of a hook. The answer that an engine has merged is read as such; that
// of any other worker is read as if a hook had printed it.
func reply(response bus.Response, merged wire.Object) (hook.Reply, error) {
	if response.Error != nil {
		return hook.Reply{}, classed(refusal(response, nil))
	}
	out := response.Output
	var answer wire.Object
	if out.FinalOutput != nil {
		answer = *out.FinalOutput
	}
	decision := hook.Decision(answer.Text("decision"))
	blocks := decision.Blocks()
	var notes []string
	switch broken := !response.Success || !out.Success; {
	case broken && !blocks:
		return hook.Reply{}, classed(fmt.Errorf("a hook of the worker failed: %.500s", failures(out.Errors)))
	case len(out.Errors) > 0: // a denial by status alone is no success either
		notes = []string{"a hook of the worker failed: " + failures(out.Errors)}
	}
	switch {
	case merged != nil && blocks && !hook.Decision(merged.Text("decision")).Blocks():
		return hook.Reply{}, classed(errors.New("the answer is broken: its two forms do not agree"))
	case merged != nil:
		return hook.Reply{Stdout: merged, Merged: true, Notes: notes}, nil
	case blocks:
		return hook.Reply{Exit: 2, Stdout: answer, Stderr: []byte(answer.Text("reason")), Notes: notes}, nil
	case answer.Get("decision") != nil && decision != hook.Allow && decision != hook.Approve:
		// Not every dialect reads another decision, such as ask, at this place: the call would go ahead.
		return hook.Reply{}, classed(fmt.Errorf("the worker decides %.100s, which cannot be read", answer.Get("decision")))
	}
	return hook.Reply{Stdout: answer, Notes: notes}, nil
}

func failures(errs []string) string {
	if len(errs) == 0 {
		return "its status says so"
	}
	return strings.Join(errs, "; ")
}

// overlay reads the overlay of a bundle; nil if it demands nothing.
func overlay(file string, text []byte) (*policy.Set, error) {
	o, problems := policy.Parse(policy.Machine, file, text)
	if len(problems) > 0 {
		return nil, problems[0]
	}
	set, problems := policy.Source{Overlays: []policy.Overlay{*o}}.Load("", false)
	if len(problems) > 0 {
		return nil, problems[0]
	}
	return set, nil
}
