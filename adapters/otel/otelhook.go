// Package otelhook reports hooks to OpenTelemetry: a span for each fire, below the span of its
// context, a span for each hook that runs, below the span of its fire, and metrics. Commands get
// the span of their hook in TRACEPARENT and TRACESTATE, requests in their headers, and hooks in Go
// in their context.
//
//	hooks, err := snaphook.Open(snaphook.Config{Observe: []pipeline.Observer{o}})
//
// It is a separate module: programs without it download nothing of OpenTelemetry.
package otelhook

import (
	"context"
	"fmt"
	"time"

	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/metric"
	"go.opentelemetry.io/otel/trace"

	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/internal/environ"
	"github.com/snaphook-go/snaphook/pipeline"
	"github.com/snaphook-go/snaphook/wire"
)

const name = "github.com/snaphook-go/snaphook/adapters/otel"

// Config selects the providers of spans and metrics. Nil means the global providers of package
// otel.
type Config struct {
	Traces  trace.TracerProvider
	Metrics metric.MeterProvider
}

// Observer is a [pipeline.Observer]. Its methods may be called from many
// goroutines.
type Observer struct {
	tracer     trace.Tracer
	duration   metric.Float64Histogram
	fires      metric.Int64Counter
	failedOpen metric.Int64Counter
	running    metric.Int64UpDownCounter
}

var (
	_ pipeline.Observer    = (*Observer)(nil)
	_ pipeline.HookStarter = (*Observer)(nil)
)

// New returns an Observer. It returns an error if a metric cannot be created.
func New(cfg Config) (*Observer, error) {
	if cfg.Traces == nil {
		cfg.Traces = otel.GetTracerProvider()
	}
	if cfg.Metrics == nil {
		cfg.Metrics = otel.GetMeterProvider()
	}
	o, m := &Observer{tracer: cfg.Traces.Tracer(name)}, cfg.Metrics.Meter(name)
	var errs [4]error
	o.duration, errs[0] = m.Float64Histogram(
		"snaphook.hook.duration",
		metric.WithUnit("s"),
		metric.WithDescription("How long a hook ran, without its wait for a permit."),
		metric.WithExplicitBucketBoundaries(
			0.0001,
			0.001,
			0.005,
			0.01,
			0.025,
			0.05,
			0.1,
			0.25,
			0.5,
			1,
			2.5,
			5,
			10,
			30,
			60,
		),
	)
	o.fires, errs[1] = m.Int64Counter(
		"snaphook.fires",
		metric.WithUnit("{fire}"),
		metric.WithDescription("Fires that considered a hook."),
	)
	o.failedOpen, errs[2] = m.Int64Counter(
		"snaphook.failed_open",
		metric.WithUnit("{hook}"),
		metric.WithDescription("Hooks that failed while the action went ahead."),
	)
	o.running, errs[3] = m.Int64UpDownCounter(
		"snaphook.running",
		metric.WithUnit("{hook}"),
		metric.WithDescription("Hooks that run or wait for a permit to run."),
	)
	for _, err := range errs {
		if err != nil {
			return nil, fmt.Errorf("a metric of hooks: %w", err)
		}
	}
	return o, nil
}

// FireStart implements [pipeline.Observer]: it begins the fire's span.
func (o *Observer) FireStart(ctx context.Context, f *pipeline.FireInfo) context.Context {
	if caller := trace.SpanContextFromContext(ctx); caller.IsValid() {
		f.Caller = place(caller)
	} else if parent, ok := remote(f.Caller); ok {
		ctx = trace.ContextWithRemoteSpanContext(ctx, parent)
	}
	ctx, span := o.tracer.Start(ctx, "hook.fire "+f.Event, trace.WithTimestamp(f.Time))
	if span.IsRecording() {
		span.SetAttributes(attributes(f)...)
	}
	if !span.SpanContext().IsValid() {
		return ctx
	}
	f.Trace = place(span.SpanContext())
	return hook.WithTrace(ctx, f.Trace)
}

// attributes returns the attributes of a fire: those defined by the conventions for generative AI, and our own.
func attributes(f *pipeline.FireInfo) []attribute.KeyValue {
	all := []attribute.KeyValue{attribute.String("snaphook.event", f.Event)}
	add := func(key string, values ...string) {
		for _, v := range values {
			if v != "" {
				all = append(all, attribute.String(key, environ.Scrub(v)))
				return
			}
		}
	}
	add("gen_ai.conversation.id", f.Session)
	add("snaphook.subject", f.Subject)
	if text, err := f.AppendInput(nil); err == nil {
		in := wire.Object(text)
		add("gen_ai.tool.name", in.Text("tool_name"), in.Text("toolName"))
		add("gen_ai.tool.call.id", in.Text("tool_use_id"), in.Text("toolCallId"))
		add("gen_ai.agent.id", in.Text("agent_id"))
		add("gen_ai.agent.name", in.Text("agent_type"))
	}
	return all
}

// place returns a span in the form of W3C Trace Context.
func place(s trace.SpanContext) hook.Trace {
	return hook.Trace{
		Parent: "00-" + s.TraceID().String() + "-" + s.SpanID().String() + "-" + s.TraceFlags().String(),
		State:  s.TraceState().String(),
	}
}

// remote returns the span of a trace that another program began.
func remote(t hook.Trace) (s trace.SpanContext, ok bool) {
	id, span, ok := t.IDs()
	if !ok {
		return s, false
	}
	traceID, err1 := trace.TraceIDFromHex(id)
	spanID, err2 := trace.SpanIDFromHex(span)
	state, _ := trace.ParseTraceState(t.State) // an unreadable state is dropped
	flags := trace.TraceFlags(0)
	if (t.Parent[54]-'0')&1 == 1 && t.Parent[54] <= '9' || t.Parent[54] == 'b' || t.Parent[54] == 'd' ||
		t.Parent[54] == 'f' {
		flags = trace.FlagsSampled
	}
	config := trace.SpanContextConfig{
		TraceID:    traceID,
		SpanID:     spanID,
		TraceFlags: flags,
		TraceState: state,
		Remote:     true,
	}
	return trace.NewSpanContext(config), err1 == nil && err2 == nil
}

type hookKey struct{ o *Observer }

// HookStart implements [pipeline.HookStarter]: it begins the hook's span.
func (o *Observer) HookStart(ctx context.Context, f *pipeline.FireInfo, h *hook.Hook) context.Context {
	ctx, span := o.tracer.Start(ctx, "hook "+environ.Scrub(h.Label()), trace.WithAttributes(
		attribute.String("snaphook.event", f.Event),
		attribute.String("snaphook.hook.id", h.ID),
		attribute.String("snaphook.hook.type", h.Type),
		attribute.String("snaphook.hook.source", h.Source.String()),
		attribute.String("code.file.path", h.Position.String()),
	))
	o.running.Add(ctx, 1, metric.WithAttributes(attribute.String("snaphook.event", f.Event)))
	ctx = context.WithValue(ctx, hookKey{o}, span)
	if !span.SpanContext().IsValid() {
		return ctx
	}
	return hook.WithTrace(ctx, place(span.SpanContext()))
}

// HookEnd implements [pipeline.Observer]: it ends the hook's span, or adds to the fire's span why
// the hook did not run.
func (o *Observer) HookEnd(ctx context.Context, e *pipeline.Evaluation) {
	if e.SkipReason != "" {
		trace.SpanFromContext(ctx).AddEvent("hook not run", trace.WithAttributes(
			attribute.String("snaphook.hook.id", e.Hook.ID),
			attribute.String("snaphook.why", string(e.SkipReason)),
			attribute.String("snaphook.detail", environ.Scrub(e.SkipDetail)),
		))
		return
	}
	if e.Outcome == pipeline.Backgrounded {
		return // the hook continues in the background, and ends later
	}
	event := attribute.String("snaphook.event", e.Fire.Event)
	outcome := attribute.String("snaphook.hook.outcome", string(e.Outcome))
	o.running.Add(ctx, -1, metric.WithAttributes(event))
	o.duration.Record(
		ctx,
		e.Elapsed.Seconds(),
		metric.WithAttributes(event, outcome, attribute.String("snaphook.hook.id", e.Hook.ID)),
	)
	if e.FailedOpen {
		o.failedOpen.Add(
			ctx,
			1,
			metric.WithAttributes(
				event,
				attribute.String("snaphook.hook.id", e.Hook.ID),
				attribute.String("error.type", string(hook.ClassOf(e.Err))),
			),
		)
	}
	if span, ok := ctx.Value(hookKey{o}).(trace.Span); ok {
		endHook(span, e, outcome)
	}
}

func endHook(span trace.Span, e *pipeline.Evaluation, outcome attribute.KeyValue) {
	defer span.End()
	span.SetAttributes(
		outcome,
		attribute.String("snaphook.decision", string(e.Decision)),
		attribute.Float64("snaphook.queued", e.Queued.Seconds()),
		attribute.Bool("snaphook.failed_open", e.FailedOpen),
	)
	if e.Reason != "" {
		span.SetAttributes(attribute.String("snaphook.reason", environ.Scrub(e.Reason)))
	}
	if e.Reply != nil && e.Reply.Signal == nil && e.Reply.Exit >= 0 {
		span.SetAttributes(attribute.Int("process.exit.code", e.Reply.Exit))
	}
	if e.Err != nil {
		span.SetAttributes(attribute.String("error.type", string(hook.ClassOf(e.Err))))
		span.SetStatus(codes.Error, environ.Scrub(e.Err.Error()))
	}
}

// FireEnd implements [pipeline.Observer]: it ends the fire's span.
func (o *Observer) FireEnd(ctx context.Context, f *pipeline.FireInfo, r *pipeline.FireOutcome) {
	o.fires.Add(
		ctx,
		1,
		metric.WithAttributes(
			attribute.String("snaphook.event", f.Event),
			attribute.String("snaphook.decision", string(r.Decision)),
		),
	)
	span := trace.SpanFromContext(ctx)
	span.SetAttributes(
		attribute.String("snaphook.decision", string(r.Decision)),
		attribute.Bool("snaphook.stop", r.Stop),
		attribute.Bool("snaphook.rewritten", r.Rewritten),
		attribute.Int("snaphook.failed_open", r.FailedOpen),
	)
	if r.Reason != "" {
		span.SetAttributes(attribute.String("snaphook.reason", environ.Scrub(r.Reason)))
	}
	if r.Err != nil {
		span.SetStatus(codes.Error, environ.Scrub(r.Err.Error()))
	}
	span.End(trace.WithTimestamp(f.Time.Add(r.Elapsed + time.Nanosecond)))
}
