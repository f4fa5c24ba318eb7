package run

import (
	"bytes"
	"math"
	"strconv"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// maxMarker limits the length of a line that is meant for the engine, with its end.
const maxMarker = 64 << 10

// asJavaScript makes the decoder accept equal names and invalid UTF-8, as JavaScript does.
var asJavaScript = json.JoinOptions(jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))

// asyncMarker checks the first line of an output, which may declare that the process continues in the background. The
// zero asyncMarker has seen no output.
type asyncMarker struct {
	searched int  // number of bytes without a line end
	done     bool // the first line is complete, or is not a declaration
}

// scan looks for a declaration on the first line of output. Callers pass the output, or its first maxMarker bytes,
// whenever it grows. A declaration is reported once.
func (h *asyncMarker) scan(output []byte) (wish time.Duration, declared bool) {
	if h.done {
		return 0, false
	}
	size := bytes.IndexByte(output[h.searched:], '\n')
	if size < 0 {
		h.searched = len(output)
		h.done = len(output) >= maxMarker || !maybeObject(output)
		return 0, false
	}
	h.done = true
	return declaration(output[:h.searched+size])
}

// declaration reads {"async": true} and returns its member asyncTimeout, which is in milliseconds, as wish; wish is 0
// without that member.
func declaration(line []byte) (wish time.Duration, ok bool) {
	if len(line) >= maxMarker || !bytes.Contains(line, []byte(`"async"`)) {
		return 0, false // avoids decoding most answers twice
	}
	var said struct {
		Async   jsontext.Value `json:"async"`
		Timeout jsontext.Value `json:"asyncTimeout"`
	}
	if json.Unmarshal(line, &said, asJavaScript) != nil || said.Async.Kind() != 't' {
		return 0, false
	}
	ms, err := strconv.ParseFloat(string(said.Timeout), 64)
	if err != nil || !(ms > 0) {
		return 0, true
	}
	return time.Duration(min(ms*float64(time.Millisecond), math.MaxInt64/2)), true
}

// maybeObject reports whether a text could be the beginning of an object.
func maybeObject(text []byte) bool {
	text = bytes.TrimLeft(text, " \t\r")
	return len(text) == 0 || text[0] == '{'
}
