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

// HookOptions configure how workers are asked. The zero HookOptions ask for every event of every linked
// dialect.
type HookOptions struct {
	// Policy selects the events: workers are asked only for events with hooks in the policy, and only workers with the
	// same revision answer. Until there is a policy every event has a hook that fails. If Policy is nil, workers with
	// any policy are asked for every event.
	Policy *Policy

	// MaxInFlight limits the simultaneous requests; 0 means 64. Further requests wait, within their timeout.
	MaxInFlight int

	// Patience limits the time for which a request is repeated while there is no worker, or while all workers
	// are at their limit, as during a restart of the workers; 0 means 2 s, and a negative Patience means no
	// repetition. The hook's timeout includes this time.
	Patience time.Duration

	Host string       // name of the agent's host; empty means the system's host name
	Log  *slog.Logger // nil means [slog.Default]
}

// Type is the type of a hook that asks workers.
const Type = "remote"

// Hooks returns a Load that adds hooks of source managed and of type remote: one for each event of each linked
// dialect or, with a Policy, for each of them that has hooks in the policy. Each of them asks the workers. A request
// has the payload that the dialect gives to any hook, and the hook's timeout; the answer is the merged answer of the
// worker's hooks. The hook fails closed: with [hook.ClassRemote] if no worker has answered, and with
// [hook.ClassOversize] if the payload is larger than the server accepts. The overlays of the policy and of the
// machine can change this. If a hook of the worker failed, and the worker's answer lets the event go ahead, the
// agent's hook fails too: the agent's own failure policy then decides.
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
					Message: "the fleet has no policy yet; events that hooks could guard are blocked until it has one",
				})
			}
		}
		for _, e := range linkedEvents() {
			info := e.Info()
			if bundle != nil && !bundle.Has(info.FullName()) {
				continue
			}
			runner := &remoteHook{nc: nc, opts: opts, flight: flight, event: info.Name}
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
	errNoPolicy  = errors.New("there is no policy yet, and no worker is asked without a policy")
	errLongName  = fmt.Errorf("the session's id, directory or transcript has more than %d bytes", maxKeyPart)
	errNoWorkers = errors.New("no worker answers")
)

// remoteHook asks workers; it is the Runner of one event's hook.
type remoteHook struct {
	nc       *nats.Conn
	opts     HookOptions
	flight   chan struct{}
	event    string
	subject  string
	revision uint64
	never    error // the reason why no worker is asked; nil: workers are asked
}

// hook returns the hook of an event.
func (r *remoteHook) hook(info pipeline.Info, bundle *Bundle) *hook.Hook {
	h := &hook.Hook{
		Identity: hook.Identity{
			ID: "managed/" + info.Name + "/" + Type, Dialect: info.Dialect, Event: info.Name, Type: Type,
			Name: "the fleet's policy", Command: atRevision(r.subject, r.revision), Source: hook.Managed,
		},
		Runner: r,
	}
	h.Exits = hook.Exits{0: hook.ParseAnswer, 2: hook.ParseAndDeny, hook.OtherStatus: hook.Fail}
	h.Text, h.NoEnvFile = hook.TextIgnored, true
	h.NoPermit = true // MaxInFlight limits the requests; those that wait do not delay the agent's own hooks
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
func (r *remoteHook) Run(ctx context.Context, call hook.Call) (hook.Reply, error) {
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
			return hook.Reply{}, r.ended(ctx, call, fmt.Errorf("%d requests of this agent already wait for answers", cap(r.flight)))
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

// question returns the request of a call. Its input is the hook's payload, unchanged.
func (r *remoteHook) question(call hook.Call) *question {
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

// headerText removes the characters that end a header.
func headerText(text string) string {
	if strings.ContainsAny(text, "\r\n") {
		text = strings.NewReplacer("\r", " ", "\n", " ").Replace(text)
	}
	return text
}

// isEarly reports whether the request can be repeated: no worker has begun it, and one may be available soon.
func isEarly(response bus.Response, err error) bool {
	if err == nil {
		return response.Error != nil && slices.Contains(
			[]bus.Code{Overloaded, NoPolicy, OtherRevision}, response.Error.Code)
	}
	return errors.Is(err, nats.ErrNoResponders) || errors.Is(err, nats.ErrReconnectBufExceeded) ||
		errors.Is(err, nats.ErrConnectionReconnecting)
}

// refusal returns the error of a request that got no response, or a response with an error.
func refusal(response bus.Response, err error) error {
	switch {
	case errors.Is(err, nats.ErrNoResponders):
		return fmt.Errorf("%w: no worker runs this event with this policy", errNoWorkers)
	case errors.Is(err, nats.ErrReconnectBufExceeded), errors.Is(err, nats.ErrConnectionReconnecting):
		return fmt.Errorf("%w: there is no connection to the server", errNoWorkers)
	case err != nil:
		return err
	}
	return fmt.Errorf("the worker says %s: %.500s", response.Error.Code, response.Error.Message)
}

// ended returns the error of a request whose timeout has passed, or whose context has ended.
func (r *remoteHook) ended(ctx context.Context, call hook.Call, why error) error {
	if err := context.Cause(ctx); err != nil && ctx.Err() != nil && !errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	return classed(fmt.Errorf("%v within %v", why, call.Timeout)) // not wrapped: the class of the error is remote, and not timeout
}

// classed gives an error of a request its class.
func classed(err error) error {
	if large := new(PayloadError); errors.As(err, &large) {
		return &hook.ClassError{Class: hook.ClassOversize, Err: err}
	}
	return &hook.ClassError{Class: hook.ClassRemote, Err: errors.New(err.Error())} // without the classes of wrapped errors
}

// reply turns a response into the reply of a hook. An answer that the worker's engine has merged is decoded
// as such; the output of any other worker is decoded like the output of a hook.
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
	case len(out.Errors) > 0: // Errors is also set by a hook that denied by its exit status
		notes = []string{"a hook of the worker failed: " + failures(out.Errors)}
	}
	switch {
	case merged != nil && blocks && !hook.Decision(merged.Text("decision")).Blocks():
		return hook.Reply{}, classed(errors.New("the answer is broken: its output blocks, and its merged decision does not"))
	case merged != nil:
		return hook.Reply{Stdout: merged, Merged: true, Notes: notes}, nil
	case blocks:
		return hook.Reply{Exit: 2, Stdout: answer, Stderr: []byte(answer.Text("reason")), Notes: notes}, nil
	case answer.Get("decision") != nil && decision != hook.Allow && decision != hook.Approve:
		// This decision, such as ask, has no effect in some dialects: the call would go ahead.
		return hook.Reply{}, classed(fmt.Errorf("the decision of the worker, %.100s, cannot be read", answer.Get("decision")))
	}
	return hook.Reply{Stdout: answer, Notes: notes}, nil
}

func failures(errs []string) string {
	if len(errs) == 0 {
		return "its status says so"
	}
	return strings.Join(errs, "; ")
}

// overlay parses the overlay of a bundle; it returns nil if the overlay sets nothing.
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
