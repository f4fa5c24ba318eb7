package pipeline_test

import (
	"context"
	"runtime"
	"strings"
	"testing"

	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/pipeline"
)

// seen holds the payload of the last hook.
type seen struct{ payload []byte }

func (p *seen) load() pipeline.Load {
	return loads(configured("Call", "reads", func(_ context.Context, c hook.Call) (hook.Reply, error) {
		p.payload = c.Payload
		return hook.Reply{}, nil
	}))
}

// sameHoweverLarge checks that the engine accepts an input if, and only if, it accepts the same input with so many
// blanks inside that the engine decodes it without copying its text.
func sameHoweverLarge(t *testing.T, s *pipeline.Session, text string) {
	t.Helper()
	at := strings.IndexByte(text, '{')
	if at < 0 {
		return
	}
	large := text[:at+1] + strings.Repeat(" ", 66_000) + text[at+1:]
	if json := strings.TrimLeft(text, " \t\r\n"); json == "" || json[0] != '{' {
		return // not an object: the first brace may be in a string, which blanks would change
	}
	fired, err := event.FireJSON(t.Context(), s, []byte(text))
	same, largeErr := event.FireJSON(t.Context(), s, []byte(large))
	if (err == nil) != (largeErr == nil) || (fired == nil) != (same == nil) {
		t.Errorf("%.200s: %v, and %v when it is large", text, err, largeErr)
	}
}

func TestALargeInputIsReadAsASmallOne(t *testing.T) {
	var got seen
	_, s := start(t, pipeline.Config{Load: []pipeline.Load{got.load()}})
	for _, members := range []string{
		`"tool":"x"`, `"tool":"x","input":{ "a" : 1.50 }`, `"tool":"x","input":null`, `"tool":"x","count":3,"later":[1],"more":{}`,
		`"tool":"x","tool":"y"`, `"tool":"x","a":1,"a":2`, `"tool":"\u0041\ud800"`, `"tool":"x","later":"\u00e4"`,
		`"session_id":"forged","cwd":7,"transcript_path":null,"hook_event_name":{},"tool":"x","later":1`,
		`"session\u005fid":"forged","tool":"x"`, `"session_id":1,"tool":"x"`, `"session_id":1,"later":1,"session_id":2,"tool":"x"`,
		`"tool":"x","input":[]`, `"tool":7`, `"count":1e99,"tool":"x"`, ``, `"input":{}`, `"tool":"x","input":{"a":1}}`,
	} {
		small := []byte("{" + members + "}")
		_, err := event.FireJSON(t.Context(), s, small)
		want := string(got.payload)
		got.payload = nil
		large := append([]byte("{\n"+strings.Repeat(" ", 66_000)), small[1:]...)
		_, largeErr := event.FireJSON(t.Context(), s, large)
		if err == nil && string(got.payload) != want || (err == nil) != (largeErr == nil) {
			t.Errorf("%s\ngot  %s, %v\nwant %s, %v", members, got.payload, largeErr, want, err)
		}
		sameHoweverLarge(t, s, string(small))
		got.payload = nil
	}
}

// A fire copies the text of a large input once, for hooks outside the process.
func TestTheMemoryOfALargeInput(t *testing.T) {
	const size = 16 << 20
	var got seen
	_, s := start(t, pipeline.Config{Load: []pipeline.Load{got.load()}})
	text := []byte(`{"session_id":"old","tool":"x","input":{"content":"` + strings.Repeat("a\\n", size/3) + `"}}`)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	if _, err := event.FireJSON(t.Context(), s, text); err != nil || len(got.payload) < size {
		t.Fatalf("err %v, a payload of %d bytes", err, len(got.payload))
	}
	runtime.ReadMemStats(&after)
	if took := after.TotalAlloc - before.TotalAlloc; took > 2*size {
		t.Errorf("a fire with %d MiB of text takes %d MiB, want at most twice the text", size>>20, took>>20)
	}
	runtime.ReadMemStats(&before)
	if _, err := event.PlanJSON(s, text); err != nil {
		t.Fatal(err)
	}
	runtime.ReadMemStats(&after)
	if took := after.TotalAlloc - before.TotalAlloc; took > size/8 {
		t.Errorf("a plan for %d MiB of text takes %d MiB", size>>20, took>>20)
	}
}
