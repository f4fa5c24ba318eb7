package fleet

import (
	"context"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/snaphook-go/snaphook/bus"
	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/pipeline"
)

// seconds lists the bounds of the histograms: from the time of a hook in Go to the time of a hook that asks
// a model.
var seconds = []float64{.0001, .00025, .0005, .001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10, 30, 60}

// Metrics counts the work of a worker or an agent, for Prometheus. It is an observer of package pipeline too, for the
// times of fires and hooks. Register it once. In ServeOptions a nil Metrics counts nothing.
type Metrics struct {
	requests, refusals, errors *prometheus.CounterVec
	request, fires, hooks      *prometheus.HistogramVec
	decisions, failed          *prometheus.CounterVec
}

// NewMetrics returns Metrics with all counters at 0.
func NewMetrics() *Metrics {
	counter := func(name, help string, labels ...string) *prometheus.CounterVec {
		return prometheus.NewCounterVec(prometheus.CounterOpts{Name: "snaphook_" + name, Help: help}, labels)
	}
	histogram := func(name, help string, labels ...string) *prometheus.HistogramVec {
		return prometheus.NewHistogramVec(prometheus.HistogramOpts{Name: "snaphook_" + name, Help: help, Buckets: seconds}, labels)
	}
	return &Metrics{
		requests:  counter("requests_total", "Requests that were served.", "event"),
		refusals:  counter("requests_refused_total", "Requests that were refused at once, at the limit of the worker."),
		errors:    counter("request_errors_total", "Requests that were answered with an error object.", "code"),
		request:   histogram("request_seconds", "Time from the arrival of a request to its response.", "event"),
		fires:     histogram("fire_seconds", "Time of a fire.", "event"),
		hooks:     histogram("hook_seconds", "Time of one hook.", "event", "hook"),
		decisions: counter("decisions_total", "Decisions of fires.", "event", "decision"),
		failed:    counter("hook_failures_total", "Hooks that failed.", "event", "hook", "class", "open"),
	}
}

func (m *Metrics) all() []prometheus.Collector {
	return []prometheus.Collector{m.requests, m.refusals, m.errors, m.request, m.fires, m.hooks, m.decisions, m.failed}
}

// Describe implements [prometheus.Collector].
func (m *Metrics) Describe(to chan<- *prometheus.Desc) {
	for _, c := range m.all() {
		c.Describe(to)
	}
}

// Collect implements [prometheus.Collector].
func (m *Metrics) Collect(to chan<- prometheus.Metric) {
	for _, c := range m.all() {
		c.Collect(to)
	}
}

// answered counts a request, unless the worker has no such event: the event is a label, and clients can send any name.
func (m *Metrics) answered(r *request, took time.Duration) {
	if m == nil || !r.known {
		return
	}
	event := r.dialect + "." + r.event
	m.requests.WithLabelValues(event).Inc()
	m.request.WithLabelValues(event).Observe(took.Seconds())
}

func (m *Metrics) refused(*request) {
	if m != nil {
		m.refusals.WithLabelValues().Inc()
	}
}

func (m *Metrics) errored(code bus.Code) {
	if m != nil {
		m.errors.WithLabelValues(string(code)).Inc()
	}
}

// FireStart implements [pipeline.Observer].
func (m *Metrics) FireStart(ctx context.Context, _ *pipeline.FireInfo) context.Context { return ctx }

// HookEnd implements [pipeline.Observer].
func (m *Metrics) HookEnd(_ context.Context, e *pipeline.Evaluation) {
	if e.SkipReason != "" {
		return
	}
	m.hooks.WithLabelValues(e.Fire.Event, e.Hook.ID).Observe(e.Elapsed.Seconds())
	if e.Err != nil {
		open := "false"
		if e.FailedOpen {
			open = "true"
		}
		m.failed.WithLabelValues(e.Fire.Event, e.Hook.ID, string(hook.ClassOf(e.Err)), open).Inc()
	}
}

// FireEnd implements [pipeline.Observer].
func (m *Metrics) FireEnd(_ context.Context, f *pipeline.FireInfo, o *pipeline.FireOutcome) {
	m.fires.WithLabelValues(f.Event).Observe(o.Elapsed.Seconds())
	word := string(o.Decision)
	if word == "" {
		word = "none"
	}
	m.decisions.WithLabelValues(f.Event, word).Inc()
}

// ObservesPromptly implements [pipeline.PromptObserver].
func (m *Metrics) ObservesPromptly() {}
