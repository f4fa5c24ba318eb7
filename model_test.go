package snaphook_test

import (
	"github.com/snaphook-go/snaphook/internal/testkit"
	"strings"
	"testing"

	"github.com/snaphook-go/snaphook"
	"github.com/snaphook-go/snaphook/wire"
)

// answers opens a session in which each text is the answer of one LLxprt hook to an event.
func answers(t *testing.T, event string, texts ...string) *snaphook.Session {
	t.Helper()
	var entries []string
	for _, text := range texts {
		script := "echo '{\"hookSpecificOutput\":" + text + "}'"
		entries = append(entries, `{"type":"command","command":`+string(wire.Quote(script))+`}`)
	}
	return open(t, snaphook.Config{}, map[string]string{
		".llxprt/settings.json": `{"tools":{"enableHooks":true},"hooks":{"` + event + `":[{"hooks":[` + strings.Join(entries, ",") + `]}]}}`,
	})
}

// If a hook of LLxprt Code answers with a part of a response, only this part is replaced.
func TestAPartOfAResponseLeavesTheRest(t *testing.T) {
	for name, test := range map[string]struct {
		says []string
		want string // the text; empty if the response stays as it is
		has  string // text that the data contains
	}{
		"nothing":               {[]string{`{}`}, "", ""},
		"counters":              {[]string{`{"llm_response":{"usageMetadata":{"totalTokenCount":7}}}`}, "the answer", `"totalTokenCount":7`},
		"a finish reason":       {[]string{`{"llm_response":{"candidates":[{"finishReason":"OTHER"}]}}`}, "the answer", `"finishReason":"OTHER"`},
		"a text":                {[]string{`{"llm_response":{"text":"redacted"}}`}, "redacted", `"parts":["redacted"]`},
		"a text, then counters": {[]string{`{"llm_response":{"text":"redacted"}}`, `{"llm_response":{"usageMetadata":{"totalTokenCount":7}}}`}, "redacted", `"totalTokenCount":7`},
		"a candidate":           {[]string{`{"llm_response":{"candidates":[{"content":{"role":"model","parts":["other"]}}]}}`}, "other", `"finishReason":"STOP"`},
	} {
		t.Run(name, func(t *testing.T) {
			s := answers(t, "AfterModel", test.says...)
			v, err := s.AfterModel(t.Context(), &snaphook.AfterModelInput{
				Response: wire.Object(`{"candidates":[{"content":{"role":"model","parts":["the answer"]},"finishReason":"STOP"}]}`),
			})
			switch {
			case err != nil || len(v.Reports) != len(test.says):
				t.Fatalf("%v, %d reports", err, len(v.Reports))
			case test.want == "" && v.Result != nil:
				t.Errorf("the result is %+v; want none", v.Result)
			case test.want != "" && (v.Result == nil || v.Result.Text != test.want || !strings.Contains(string(v.Result.Data), test.has)):
				t.Errorf("the result is %+v; want the text %q, and %s", v.Result, test.want, test.has)
			}
		})
	}
}

// A tool choice keeps the request's value for each member that hooks of LLxprt Code do not set: an
// observing hook removes no restriction.
func TestAToolChoiceLeavesTheRest(t *testing.T) {
	for name, test := range map[string]struct{ request, says, want string }{
		"nothing":                      {`{"mode":"NONE"}`, `{}`, `{"mode":"NONE"}`},
		"nothing of a request without": {``, `{}`, ``},
		"names of a host's NONE":       {`{"mode":"NONE"}`, `{"toolConfig":{"allowedFunctionNames":["read_file"]}}`, `{"mode":"NONE","allowedFunctionNames":["look"]}`},
		"a mode":                       {`{"mode":"AUTO","allowedFunctionNames":["look"]}`, `{"toolConfig":{"mode":"ANY"}}`, `{"mode":"ANY","allowedFunctionNames":["look"]}`},
		"both":                         {``, `{"toolConfig":{"mode":"ANY","allowedFunctionNames":["run_shell_command"]}}`, `{"mode":"ANY","allowedFunctionNames":["execute_command"]}`},
		"a name twice":                 {`{"mode":"AUTO"}`, `{"toolConfig":{"allowedFunctionNames":["read_file","glob","read_file"]}}`, `{"mode":"AUTO","allowedFunctionNames":["glob","look"]}`},
		"names":                        {``, `{"toolConfig":{"allowedFunctionNames":["read_file"]}}`, `{"mode":"AUTO","allowedFunctionNames":["look"]}`},
	} {
		t.Run(name, func(t *testing.T) {
			s, in := answers(t, "BeforeToolSelection", test.says), wire.Object(`{"messages":[]}`)
			if test.request != "" {
				in = in.With("toolConfig", []byte(test.request))
			}
			v, err := s.ToolChoice(t.Context(), &snaphook.ToolChoiceInput{Request: in})
			if got := string(v.Input.Get("toolConfig")); err != nil || len(v.Reports) != 1 || testkit.Canonical(got) != testkit.Canonical(test.want) {
				t.Errorf("the tools are %s, %v, after %d reports; want %s", got, err, len(v.Reports), test.want)
			}
		})
	}
}
