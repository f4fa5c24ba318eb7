package otelhook_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"testing"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/exporters/otlp/otlpmetric/otlpmetrichttp"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracehttp"
	sdkmetric "go.opentelemetry.io/otel/sdk/metric"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"
	"go.opentelemetry.io/otel/trace"
	metricscollector "go.opentelemetry.io/proto/otlp/collector/metrics/v1"
	collector "go.opentelemetry.io/proto/otlp/collector/trace/v1"
	"go.uber.org/goleak"
	"google.golang.org/protobuf/proto"

	"github.com/snaphook-go/snaphook/adapters/otel"
	"github.com/snaphook-go/snaphook/events/claude"
	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/hooktest"
	"github.com/snaphook-go/snaphook/pipeline"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// session opens a session with the hooks of a Claude settings file.
func session(t *testing.T, cfg otelhook.Config, settings string) *pipeline.Session {
	t.Helper()
	o, err := otelhook.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("HOME", t.TempDir())
	return hooktest.Session(t,
		hooktest.Settings(".claude/settings.json", settings, claude.Settings{}.Load),
		hooktest.Configure(func(cfg *pipeline.Config, s *pipeline.SessionConfig) {
			cfg.Observe, s.ID = []pipeline.Observer{o}, "s-1"
		}))
}

const callText = `{"tool_name":"Bash","tool_use_id":"toolu_1","agent_id":"a1","agent_type":"Explore","tool_input":{"command":"ls"}}`

func fire(t *testing.T, ctx context.Context, s *pipeline.Session) *pipeline.JSONResult {
	t.Helper()
	fired, err := claude.PreToolUse.FireJSON(ctx, s, []byte(callText))
	if err != nil {
		t.Fatal(err)
	}
	return fired
}

// attributesOf returns the attributes of a span by their keys.
func attributesOf(all []attribute.KeyValue) map[string]string {
	by := map[string]string{}
	for _, a := range all {
		by[string(a.Key)] = a.Value.Emit()
	}
	return by
}

func TestSpansNestBelowTheCallersAndAboveTheChilds(t *testing.T) {
	python, err := exec.LookPath("python3")
	if err != nil {
		t.Skip("there is no python3 for the hook")
	}
	spans := tracetest.NewSpanRecorder()
	provider := sdktrace.NewTracerProvider(sdktrace.WithSpanProcessor(spans))
	s := session(t, otelhook.Config{Traces: provider}, `{"hooks": {"PreToolUse": [
		{"matcher": "Read", "hooks": [{"type": "command", "command": "true"}]},
		{"hooks": [{"type": "command", "command": "`+python+` -c 'import os,sys; sys.stderr.write(os.environ[\"TRACEPARENT\"]); sys.exit(2)'"}]}]}}`)
	ctx, caller := provider.Tracer("test").Start(t.Context(), "caller")
	fired := fire(t, ctx, s)
	caller.End()
	ended := map[string]sdktrace.ReadOnlySpan{}
	for _, span := range spans.Ended() {
		ended[strings.Fields(span.Name())[0]] = span
	}
	of, run := ended["hook.fire"], ended["hook"]
	if len(spans.Ended()) != 3 || of == nil || run == nil {
		t.Fatalf("the spans are %v", spans.Ended())
	}
	if of.Name() != "hook.fire claude.PreToolUse" || of.Parent().SpanID() != caller.SpanContext().SpanID() || run.Parent().SpanID() != of.SpanContext().SpanID() {
		t.Errorf("%s is below %s, %s below %s", of.Name(), of.Parent().SpanID(), run.Name(), run.Parent().SpanID())
	}
	want := "00-" + caller.SpanContext().TraceID().String() + "-" + run.SpanContext().SpanID().String() + "-01"
	if fired.Reason == nil || *fired.Reason != want {
		t.Errorf("the hook has TRACEPARENT %v, want %s", fired.Reason, want)
	}
	attrs := attributesOf(of.Attributes())
	for key, want := range map[string]string{"gen_ai.conversation.id": "s-1", "gen_ai.tool.name": "Bash", "gen_ai.tool.call.id": "toolu_1", "gen_ai.agent.id": "a1", "gen_ai.agent.name": "Explore", "snaphook.event": "claude.PreToolUse", "snaphook.decision": "deny"} {
		if attrs[key] != want {
			t.Errorf("%s is %q, want %q", key, attrs[key], want)
		}
	}
	if events := of.Events(); len(events) != 1 || attributesOf(events[0].Attributes)["snaphook.why"] != "matcher" {
		t.Errorf("the events of the fire are %v", events)
	}
	if attrs := attributesOf(run.Attributes()); attrs["snaphook.hook.outcome"] != "blocking" || attrs["process.exit.code"] != "2" || run.Status().Code == codes.Error {
		t.Errorf("the hook's span has %v, %v", attrs, run.Status())
	}
}

func TestAHookThatFailsIsAnErrorOfItsSpan(t *testing.T) {
	spans, reader := tracetest.NewSpanRecorder(), sdkmetric.NewManualReader()
	s := session(t, otelhook.Config{Traces: sdktrace.NewTracerProvider(sdktrace.WithSpanProcessor(spans)), Metrics: sdkmetric.NewMeterProvider(sdkmetric.WithReader(reader))},
		`{"hooks": {"PreToolUse": [{"hooks": [{"type": "command", "command": "exit 1"}, {"type": "command", "command": "true"}]}]}}`)
	ctx := hook.WithTrace(t.Context(), hook.Trace{Parent: "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"})
	fire(t, ctx, s)
	failed := 0
	for _, span := range spans.Ended() {
		if span.SpanContext().TraceID().String() != "4bf92f3577b34da6a3ce929d0e0e4736" {
			t.Errorf("%s is in another trace", span.Name())
		}
		if span.Status().Code == codes.Error {
			failed++
			if got := attributesOf(span.Attributes())["error.type"]; got != "exit" || span.Name() != "hook exit 1" {
				t.Errorf("%s has the error %q", span.Name(), got)
			}
		}
	}
	if failed != 1 || len(spans.Ended()) != 3 {
		t.Errorf("%d of %d spans are errors", failed, len(spans.Ended()))
	}
	var all metricdata.ResourceMetrics
	if err := reader.Collect(t.Context(), &all); err != nil {
		t.Fatal(err)
	}
	got := map[string]string{}
	for _, m := range all.ScopeMetrics[0].Metrics {
		switch data := m.Data.(type) {
		case metricdata.Histogram[float64]:
			n := uint64(0)
			for _, p := range data.DataPoints {
				n += p.Count
			}
			got[m.Name] = m.Unit + " " + string(rune('0'+n))
		case metricdata.Sum[int64]:
			n := int64(0)
			for _, p := range data.DataPoints {
				n += p.Value
			}
			got[m.Name] = m.Unit + " " + string(rune('0'+n))
		}
	}
	for name, want := range map[string]string{"snaphook.hook.duration": "s 2", "snaphook.fires": "{fire} 1", "snaphook.failed_open": "{hook} 1", "snaphook.running": "{hook} 0"} {
		if got[name] != want {
			t.Errorf("%s is %q, want %q", name, got[name], want)
		}
	}
}

// received is a collector of OTLP/HTTP. It records the names of spans, and the names of metrics
// with their units.
type received struct {
	mu             sync.Mutex
	spans, metrics []string
}

func (c *received) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err == nil {
		err = c.take(r.URL.Path, body)
	}
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	w.Header().Set("Content-Type", "application/x-protobuf")
}

func (c *received) take(path string, body []byte) error {
	var traces collector.ExportTraceServiceRequest
	var metrics metricscollector.ExportMetricsServiceRequest
	into := map[string]proto.Message{"/v1/traces": &traces, "/v1/metrics": &metrics}[path]
	if into == nil {
		return fmt.Errorf("nothing is collected at %s", path)
	}
	if err := proto.Unmarshal(body, into); err != nil {
		return err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, resource := range traces.ResourceSpans {
		for _, scope := range resource.ScopeSpans {
			for _, span := range scope.Spans {
				c.spans = append(c.spans, span.Name)
			}
		}
	}
	for _, resource := range metrics.ResourceMetrics {
		for _, scope := range resource.ScopeMetrics {
			for _, m := range scope.Metrics {
				c.metrics = append(c.metrics, m.Name+" "+m.Unit)
			}
		}
	}
	return nil
}

func TestSpansAndMetricsReachACollector(t *testing.T) {
	got := new(received)
	server := httptest.NewServer(got)
	defer server.Close()
	spans, err := otlptracehttp.New(t.Context(), otlptracehttp.WithEndpointURL(server.URL+"/v1/traces"))
	if err != nil {
		t.Fatal(err)
	}
	metrics, err := otlpmetrichttp.New(t.Context(), otlpmetrichttp.WithEndpointURL(server.URL+"/v1/metrics"))
	if err != nil {
		t.Fatal(err)
	}
	traced := sdktrace.NewTracerProvider(sdktrace.WithBatcher(spans))
	measured := sdkmetric.NewMeterProvider(sdkmetric.WithReader(sdkmetric.NewPeriodicReader(metrics)))
	s := session(t, otelhook.Config{Traces: traced, Metrics: measured},
		`{"hooks": {"PreToolUse": [{"hooks": [{"type": "command", "command": "true"}]}]}}`)
	fire(t, t.Context(), s)
	if err := errors.Join(traced.Shutdown(context.Background()), measured.Shutdown(context.Background())); err != nil {
		t.Fatal(err)
	}
	got.mu.Lock()
	defer got.mu.Unlock()
	if names := strings.Join(got.spans, ", "); names != "hook true, hook.fire claude.PreToolUse" {
		t.Errorf("the collector has the spans %s", names)
	}
	slices.Sort(got.metrics)
	if names := strings.Join(got.metrics, ", "); names != "snaphook.fires {fire}, snaphook.hook.duration s, snaphook.running {hook}" {
		t.Errorf("the collector has the metrics %s", names)
	}
}

// stuck is an exporter whose collector does not answer.
type stuck chan struct{}

func (s stuck) ExportSpans(context.Context, []sdktrace.ReadOnlySpan) error { <-s; return nil }
func (stuck) Shutdown(context.Context) error                               { return nil }

// The answers stay the same if the collector hangs and the exporter waits for it.
func TestACollectorThatHangsHoldsUpNoAnswer(t *testing.T) {
	hangs := make(stuck)
	defer close(hangs)
	provider := sdktrace.NewTracerProvider(sdktrace.WithSyncer(hangs))
	s := session(t, otelhook.Config{Traces: provider}, `{"hooks": {"PreToolUse": [{"hooks": [{"type": "command", "command": "exit 2"}]}]}}`)
	for range 3 {
		if fired := fire(t, t.Context(), s); !fired.Blocked {
			t.Errorf("the answer is %+v", fired)
		}
	}
}

// A session without a provider gives its answers, and the hooks get no trace.
func TestWithoutAProviderNothingIsTraced(t *testing.T) {
	s := session(t, otelhook.Config{}, `{"hooks": {"PreToolUse": [{"hooks": [{"type": "command", "command": "test -z \"$TRACEPARENT\" || exit 2"}]}]}}`)
	if fired := fire(t, trace.ContextWithSpan(t.Context(), nil), s); fired.Blocked {
		t.Errorf("the hook has a trace: %+v", fired.Reason)
	}
}
