package hooktest

import (
	"flag"
	"fmt"
	"os"
	"runtime"
	"strings"
	"sync"
	"testing"

	"go.uber.org/goleak"
)

// Tests that expect a failure need inputs that cause it. Therefore the tests draw the same inputs in every run.
func TestMain(m *testing.M) {
	settings := map[string]string{"rapid.nofailfile": "true", "rapid.shrinktime": "1s", "rapid.seed": "1"}
	for name, value := range settings {
		if err := flag.Set(name, value); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	}
	flag.Parse()
	goleak.VerifyTestMain(m)
}

// recorder is a testing.TB that records failures.
type recorder struct {
	testing.TB
	mu       sync.Mutex
	messages []string
	failed   bool
	cleanups []func()
}

// failures runs a test, with its cleanups, and returns the failures that it reports.
func failures(t *testing.T, test func(testing.TB)) string {
	t.Helper()
	r := &recorder{TB: t}
	done := make(chan struct{})
	go func() { // FailNow ends this goroutine
		defer close(done)
		defer func() {
			for i := len(r.cleanups) - 1; i >= 0; i-- {
				r.cleanups[i]()
			}
		}()
		test(r)
	}()
	<-done
	if r.failed {
		return "failed: " + strings.Join(r.messages, "\n")
	}
	return ""
}

func (r *recorder) note(failed bool, text string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.failed = r.failed || failed
	r.messages = append(r.messages, text)
}

func (r *recorder) Helper()                      {}
func (r *recorder) Cleanup(f func())             { r.cleanups = append(r.cleanups, f) }
func (r *recorder) Log(args ...any)              { r.note(false, fmt.Sprint(args...)) }
func (r *recorder) Logf(text string, a ...any)   { r.note(false, fmt.Sprintf(text, a...)) }
func (r *recorder) Error(args ...any)            { r.note(true, fmt.Sprint(args...)) }
func (r *recorder) Errorf(text string, a ...any) { r.note(true, fmt.Sprintf(text, a...)) }
func (r *recorder) Fail()                        { r.note(true, "") }
func (r *recorder) FailNow()                     { r.note(true, ""); runtime.Goexit() }
func (r *recorder) Fatal(args ...any)            { r.Error(args...); runtime.Goexit() }
func (r *recorder) Fatalf(text string, a ...any) { r.Errorf(text, a...); runtime.Goexit() }

func (r *recorder) Failed() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.failed
}

// wantFailure fails unless the test fails with a message that contains words.
func wantFailure(t *testing.T, words string, test func(testing.TB)) {
	t.Helper()
	got := failures(t, test)
	if got == "" || !strings.Contains(got, words) {
		t.Errorf("got %.1500q; want a failure with %q", got, words)
	}
}
