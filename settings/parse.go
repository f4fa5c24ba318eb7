package settings

import (
	"bytes"
	"sort"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/tailscale/hujson"

	"github.com/snaphook-go/snaphook/hook"
)

const (
	maxSize  = 1 << 20 // bytes
	maxDepth = 1000    // arrays and objects within each other
)

// Parse reads JSON with // and /* */ comments and trailing commas. A byte order mark is skipped, and a file with
// nothing in it is an empty object. Lines end with LF or CRLF, and so do // comments. The file's name is only used for
// positions; data is not kept.
//
// The error is a fatal [Problem]: data is not such JSON, not UTF-8, longer than 1 MiB or nested deeper than 1000
// levels. A repeated name is not an error; see [Value.Duplicates].
//
// The time is proportional to the length of data.
func Parse(file string, data []byte) (Value, error) { return parse(file, data, false) }

// ParseStrict is [Parse] for files in which comments and trailing commas are
// not allowed.
func ParseStrict(file string, data []byte) (Value, error) { return parse(file, data, true) }

func parse(file string, data []byte, strict bool) (Value, error) {
	if len(data) > maxSize {
		return Value{}, tooLong(file)
	}
	data = bytes.TrimPrefix(data, []byte("\xEF\xBB\xBF"))
	d := &document{file: file, size: len(data), lines: make([]int, 1, bytes.Count(data, []byte("\n"))+2)}
	d.text = append(bytes.Clone(data), '\n') // hujson needs a line feed after a line comment
	for at, c := range string(d.text) {
		if c == '\n' {
			d.lines = append(d.lines, at+1)
		} else if c == utf8.RuneError && !bytes.HasPrefix(d.text[at:], []byte("\uFFFD")) {
			return Value{}, fatal(d.position(at), "byte 0x%02X is not UTF-8; save the file as UTF-8", d.text[at])
		}
	}
	if hujson.Extra(d.text).IsValid() { // comments and white space only
		d.blank = true
		d.text = append(d.text, "{}"...)
	}
	if err := d.read(strict); err != nil {
		return Value{}, err
	}
	return Value{doc: d, node: &d.root}, nil
}

// blank reports whether v is the root of a file with only comments and white space.
func (v Value) blank() bool { return v.doc != nil && v.doc.blank }

func tooLong(file string) error {
	return fatal(hook.Position{File: file}, "the file is longer than %d MiB; shorten it", maxSize>>20)
}

// document is a parsed file.
type document struct {
	file   string
	size   int             // size of the file
	text   []byte          // the file and a line feed
	lines  []int           // the offset of every line
	blank  bool            // only comments and white space
	places []ValuePosition // positions of values in a file of another format; nil for JSON
	root   hujson.Value
}

func (d *document) position(offset int) hook.Position {
	if d.places != nil {
		return d.placed(offset)
	}
	offset = min(offset, d.size)
	line := sort.SearchInts(d.lines, offset+1) // number of lines that start at offset or before
	return hook.Position{File: d.file, Line: line, Column: offset - d.lines[line-1] + 1}
}

func (d *document) read(strict bool) (err error) {
	open := unclosed(d.text)
	if len(open) > maxDepth {
		return fatal(d.position(open[maxDepth]), "nested deeper than %d levels; write fewer", maxDepth)
	}
	if d.root, err = hujson.Parse(d.text); err != nil {
		return d.explain(err, open)
	}
	if jsontext.Value(d.text).IsValid(jsontext.AllowDuplicateNames(true)) {
		return nil // there are no comments to replace
	}
	plain := d.text
	if !strict {
		d.root.Standardize() // Standardize keeps all offsets
		plain = d.root.Pack()
	}
	return d.checkPlain(0, plain) // hujson accepts half a surrogate pair
}

// unclosed returns the offsets of brackets, and of the string or comment, that text does not close. It stops at the
// first bracket deeper than maxDepth; such text must not be passed to hujson, which is recursive.
func unclosed(text []byte) (open []int) {
	end := "" // the end of the string or comment that contains at
	for at := 0; at < len(text) && (len(open) <= maxDepth || end != ""); at++ {
		c, rest := text[at], text[at:]
		switch {
		case end == `"` && c == '\\':
			at++
		case end != "":
			if bytes.HasPrefix(rest, []byte(end)) {
				at += len(end) - 1
				end, open = "", open[:len(open)-1]
			}
		case c == '{' || c == '[':
			open = append(open, at)
		case c == '}' || c == ']':
			open = open[:max(0, len(open)-1)]
		case c == '"':
			end, open = `"`, append(open, at)
		case bytes.HasPrefix(rest, []byte("//")):
			end, open = "\n", append(open, at)
		case bytes.HasPrefix(rest, []byte("/*")):
			end, open = "*/", append(open, at)
			at++ // the star that begins a comment does not end it
		}
	}
	return open
}
