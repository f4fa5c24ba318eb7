package command

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/snaphook-go/snaphook/cmd/snaphook/internal/cli"
	rec "github.com/snaphook-go/snaphook/record"
)

// hostile is a text that moves cursors, ends elements and begins formulas.
const hostile = "=1+1\x1b]0;title\a\x1b[31m\u202e</script><script>alert(1)</script>\n\r\u2028\u009b31m"

// fill sets every string of v to the hostile text.
func fill(v reflect.Value) {
	switch v.Kind() {
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		fill(v.Elem())
	case reflect.Struct:
		if _, isTime := v.Interface().(time.Time); !isTime {
			for i := range v.NumField() {
				fill(v.Field(i))
			}
		}
	case reflect.Slice:
		if v.Type().Elem().Kind() != reflect.Uint8 {
			v.Set(reflect.MakeSlice(v.Type(), 2, 2))
			fill(v.Index(0))
			fill(v.Index(1))
		}
	case reflect.String:
		v.SetString(hostile)
	case reflect.Bool:
		v.SetBool(true)
	}
}

// Every verb that prints or writes records escapes every hostile text of a line, also in members
// that are added to lines later.
func TestNoTextOfALineDoesAnything(t *testing.T) {
	var all bytes.Buffer
	for _, change := range []func(*rec.Line){
		func(*rec.Line) {},
		func(l *rec.Line) { l.Late = "" },
		func(l *rec.Line) { l.Late, l.Hooks[0].Ran, l.Hooks[0].Background = "", false, nil },
		func(l *rec.Line) { l.Late, l.Hooks[0].Mode, l.Hooks[0].Matcher = "", "shadow", "x" },
		func(l *rec.Line) { l.Late, l.Event = "", "claude.PreToolUse" },
		func(l *rec.Line) { l.Late, l.Event = "", "claude.SubagentStart" },
		func(l *rec.Line) { l.Late, l.Event = "", "claude.UserPromptSubmit" },
	} {
		l := &rec.Line{Time: time.Date(2026, 1, 31, 12, 0, 0, 5e8, time.UTC), Input: []byte(`{"a":"\u001b</script>"}`)}
		fill(reflect.ValueOf(l).Elem())
		if l.V = 1; reflect.ValueOf(*l).FieldByName("Would").IsNil() {
			t.Fatal("the line is not filled")
		}
		change(l)
		text, err := json.Marshal(l)
		if err != nil {
			t.Fatal(err)
		}
		all.Write(append(bytes.ReplaceAll(text, []byte(`"input":`), []byte(`"Input":`)), '\n'))
	}
	dir := t.TempDir()
	path := filepath.Join(dir, "r.jsonl")
	if err := os.WriteFile(path, all.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	html, chrome, otlp := filepath.Join(dir, "a.html"), filepath.Join(dir, "a.json"), filepath.Join(dir, "b.json")
	for _, args := range [][]string{{"log", path}, {"log", path, "--csv"}, {"stats", path}, {"stats", path, "--csv"}, {"stats", path, "--json"}, {"trace", path}, {"trace", path, "--html", html, "--chrome", chrome, "--otlp", otlp}} {
		var out bytes.Buffer
		ran(t, nil, &out, args...)
		harmless(t, fmt.Sprint(args[0], args[2:]), out.String())
		if args[len(args)-1] == "--csv" && strings.Contains("\n"+out.String(), "\n=") || strings.Contains(out.String(), ",=") || strings.Contains(out.String(), `"=`) && args[len(args)-1] == "--csv" {
			t.Errorf("%q has a formula:\n%s", args, out.String())
		}
	}
	for _, name := range []string{html, chrome, otlp} {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if name == html {
			if text = text[bytes.Index(text, []byte(`id="data">`))+10:]; bytes.Count(text[:bytes.Index(text, []byte("</script>"))], []byte("<")) > 0 {
				t.Error("the data of the page has a <")
			}
			text = text[:bytes.Index(text, []byte("</script>"))]
		}
		harmless(t, filepath.Base(name), string(text))
	}
}

// zeros is a file of zeros without an end.
type zeros struct{ read func() }

func (z zeros) Read(b []byte) (int, error) {
	z.read()
	clear(b)
	return len(b), nil
}

func TestReadingWhatHasNoEndEndsWithAnInterrupt(t *testing.T) {
	for _, verb := range []string{"log", "stats", "trace"} {
		ctx, cancel := context.WithCancel(t.Context())
		root, reads := newRoot(&cli.Global{}), 0
		root.SetArgs([]string{verb, "-"})
		root.SetIn(zeros{func() {
			if reads++; reads == 200 {
				cancel()
			}
		}})
		root.SetOut(io.Discard)
		root.SetErr(io.Discard)
		root.SilenceUsage, root.SilenceErrors = true, true
		if err := root.ExecuteContext(ctx); err == nil || reads != 200 {
			t.Errorf("%s: %v after %d reads", verb, err, reads)
		}
	}
}

// harmless fails for characters that a terminal interprets. In JSON and HTML it fails only for control characters.
func harmless(t *testing.T, what, text string) {
	t.Helper()
	bad := "\x1b\a\r\u202e\u2028\u009b"
	if strings.HasSuffix(what, "json") || strings.HasSuffix(what, "json]") || strings.HasSuffix(what, "html") {
		bad = "\x1b\a\r"
	}
	if at := strings.IndexAny(text, bad); at >= 0 {
		t.Errorf("%s has %q", what, text[max(0, at-40):min(len(text), at+20)])
	}
}
