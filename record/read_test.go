package record_test

import (
	"fmt"
	"io"
	"runtime"
	"strings"
	"testing"

	"github.com/snaphook-go/snaphook/record"
)

func TestLinesThatCannotBeReadAreNamed(t *testing.T) {
	good := `{"v":1,"id":"a","time":"2026-01-31T12:00:00.5Z","event":"claude.Stop","hooks":[]}`
	tests := map[string]struct{ text, want string }{
		"nothing":                 {"", ""},
		"empty lines":             {"\n\n" + good + "\n\n", "a"},
		"no end of the last line": {good + "\n" + good, "a a"},
		"other text":              {"hello\n" + good + "\n", "1: this is not a line of a record a"},
		"a torn line":             {good + "\n" + good[:40] + "\n" + good, "a 2: the line is incomplete a"},
		"a torn last line":        {good + "\n" + good[:40], "a 2: the line is incomplete"},
		"a newer version":         {`{"v":2,"id":{},"event":[]}` + "\n" + good, "1: the line is of version 2 a"},
		"other JSON":              {`{"level":"info"}` + "\n[1]\nnull\n", "1: this is not a line of a record 2: this is not a line of a record 3: this is not a line of a record"},
		"a line that is too long": {`{"v":1,"id":"` + strings.Repeat("x", 17<<20) + `"}` + "\n" + good, "1: the line is longer than 16 MiB a"},
		"windows":                 {good + "\r\n" + good + "\r\n", "a a"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			var got []string
			for text, l := range record.Lines(strings.NewReader(test.text), func(n int, err error) {
				words := fmt.Sprint(n, ": ", err)
				for _, known := range []string{"this is not a line of a record", "the line is incomplete", "the line is of version 2", "the line is longer than 16 MiB"} {
					if at := strings.Index(words, known); at >= 0 {
						words = words[:at+len(known)]
					}
				}
				got = append(got, words)
			}) {
				if string(text) != good {
					t.Errorf("the text is %.200s", text)
				}
				got = append(got, l.ID)
			}
			if words := strings.Join(got, " "); words != test.want {
				t.Errorf("got  %s\nwant %s", words, test.want)
			}
		})
	}
}

// endless is a record of a given number of bytes.
type endless struct {
	line []byte
	left int64
	at   int
}

func (e *endless) Read(b []byte) (n int, err error) {
	if e.left <= 0 {
		return 0, io.EOF
	}
	for n < len(b) {
		c := copy(b[n:], e.line[e.at:])
		n += c
		e.at = (e.at + c) % len(e.line)
	}
	e.left -= int64(n)
	return n, nil
}

func TestALargeRecordIsReadInBoundedMemory(t *testing.T) {
	line := `{"v":1,"id":"a","time":"2026-01-31T12:00:00.5Z","event":"claude.Stop","input":{"x":"` + strings.Repeat("x", 64<<10) + `"},"hooks":[]}` + "\n"
	size := int64(2 << 30)
	if testing.Short() || raceDetector {
		size = 64 << 20
	}
	n, most := 0, uint64(0)
	var mem runtime.MemStats
	runtime.GC() // frees the garbage of other tests
	runtime.GC() // frees the contents of pools
	for range record.Lines(&endless{line: []byte(line), left: size}, nil) {
		if n++; n%1000 == 0 {
			runtime.ReadMemStats(&mem)
			most = max(most, mem.HeapAlloc)
		}
	}
	if int64(n) < size/int64(len(line)) || most > 64<<20 {
		t.Errorf("%d lines in %d MiB of memory", n, most>>20)
	}
}

func FuzzLines(f *testing.F) {
	f.Add([]byte(`{"v":1,"id":"a","time":"2026-01-31T12:00:00.5Z","event":"claude.Stop","hooks":[{"id":"x","ran":true,"ms":1}]}` + "\n"))
	f.Add([]byte("{\"v\":9}\nnull\n\n{"))
	f.Fuzz(func(t *testing.T, text []byte) {
		bad, good := 0, 0
		for raw, l := range record.Lines(strings.NewReader(string(text)), func(int, error) { bad++ }) {
			if good++; l.V != 1 || l.Event == "" || len(raw) == 0 {
				t.Errorf("%+v", l)
			}
		}
		if lines := strings.Count(string(text), "\n") + 1; bad+good > lines {
			t.Errorf("%d good and %d bad of %d lines", good, bad, lines)
		}
	})
}
