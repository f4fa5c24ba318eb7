package wire

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// scan does the same as walk for ordinary objects, without the cost of a decoder. It handles names in ASCII without
// escapes, and values with little nesting; it stops at anything else. given is the number of members that scan has
// yielded. done reports whether scan has read the whole object, or yield has returned false; otherwise the decoder
// reads on and reports mistakes.
func (o Object) scan(by reader, yield func(name []byte, value jsontext.Value) bool) (given int, done bool) {
	i := space(o, 0)
	if i == len(o) || o[i] != '{' {
		return 0, false
	}
	i = space(o, i+1)
	if i < len(o) && o[i] == '}' {
		return 0, space(o, i+1) == len(o)
	}
	for {
		start, end, ok := member(o, i)
		if !ok {
			return given, false
		}
		after := by.value(o, start, deepest)
		if after == bad {
			return given, false
		}
		given++
		if !yield(o[i+1:end], jsontext.Value(o[start:after:after])) {
			return given, true
		}
		switch i = space(o, after); {
		case i == len(o):
			return given, false
		case o[i] == '}':
			return given, space(o, i+1) == len(o)
		case o[i] != ',':
			return given, false
		}
		i = space(o, i+1)
	}
}

const (
	deepest = 16 // limit of nesting
	bad     = -1 // returned in place of an offset if the caller has to use the decoder
)

// member reads the name at i and the colon after it. start is the offset of the value, and end the offset of the quote
// that ends the name.
func member(b []byte, i int) (start, end int, ok bool) {
	if i == len(b) || b[i] != '"' {
		return 0, 0, false
	}
	end = i + 1
	for end < len(b) && plain[b[end]] && b[end] <= '~' {
		end++
	}
	if end == len(b) || b[end] != '"' {
		return 0, 0, false
	}
	if start = space(b, end+1); start >= len(b) || b[start] != ':' {
		return 0, 0, false
	}
	return space(b, start+1), end, true
}

// space returns the offset after white space.
func space(b []byte, i int) int {
	for i < len(b) && (b[i] == ' ' || b[i] == '\n' || b[i] == '\r' || b[i] == '\t') {
		i++
	}
	return min(i, len(b))
}

// reader finds the ends of values.
type reader struct {
	trusting bool // the text is JSON: the characters of strings need no check
}

// value returns the offset after the value at i.
func (r reader) value(b []byte, i, depth int) int {
	if i >= len(b) || depth == 0 {
		return bad
	}
	switch b[i] {
	case '"':
		if r.trusting {
			return quoteAfter(b, i+1)
		}
		return text(b, i+1)
	case '{', '[':
		return r.nested(b, i, depth)
	case 't':
		return literal(b, i, "true")
	case 'f':
		return literal(b, i, "false")
	case 'n':
		return literal(b, i, "null")
	}
	return number(b, i)
}

func literal(b []byte, i int, word string) int {
	if end := i + len(word); end <= len(b) && string(b[i:end]) == word {
		return end
	}
	return bad
}

// text returns the offset after the string whose opening quote is before i.
func text(b []byte, i int) int {
	for {
		i = afterPlain(b, i)
		switch {
		case i == len(b) || b[i] < ' ':
			return bad
		case b[i] == '"':
			return i + 1
		case i+1 == len(b) || !escapes[b[i+1]]:
			return bad
		}
		i += 2
	}
}

// block is the number of bytes of a string that allPlain checks at once, and shortText the number of bytes that are
// read in smaller steps before.
const (
	block     = 512
	shortText = 64
)

// quoteAfter does the same as text for JSON: it looks for a quote after an even number of backslashes.
func quoteAfter(b []byte, i int) int {
	for start := i; ; {
		n := bytes.IndexByte(b[i:], '"')
		if n < 0 {
			return bad
		}
		before := i + n
		for before > start && b[before-1] == '\\' {
			before--
		}
		if backslashes := i + n - before; backslashes%2 == 0 {
			return i + n + 1
		}
		i += n + 1
	}
}

// afterPlain returns the offset after the bytes from i that need no escape in a string.
func afterPlain(b []byte, i int) int {
	for short := i + shortText; i+8 <= len(b) && oddBytes(binary.LittleEndian.Uint64(b[i:])) == 0; {
		if i += 8; i < short {
			continue
		}
		for i+block <= len(b) && allPlain((*[block]byte)(b[i:])) {
			i += block
		}
		short = len(b)
	}
	for i < len(b) && plain[b[i]] {
		i++
	}
	return i
}

// allPlain reports whether a block of a string has no control character, quote or backslash. For long strings it is
// several times as fast as oddBytes, because bytes.IndexByte reads 32 bytes at a time.
func allPlain(b *[block]byte) bool {
	if bytes.IndexByte(b[:], '"') >= 0 || bytes.IndexByte(b[:], '\\') >= 0 {
		return false
	}
	var odd uint64
	for rest := b[:]; len(rest) >= 32; rest = rest[32:] {
		p := (*[32]byte)(rest)
		w, x := binary.LittleEndian.Uint64(p[:8]), binary.LittleEndian.Uint64(p[8:16])
		y, z := binary.LittleEndian.Uint64(p[16:24]), binary.LittleEndian.Uint64(p[24:])
		odd |= (w-ones*' ')&^w | (x-ones*' ')&^x | (y-ones*' ')&^y | (z-ones*' ')&^z
	}
	return odd&highs == 0
}

const (
	ones  = 0x0101010101010101 // each byte is 1
	highs = 0x8080808080808080 // the highest bit of each byte
)

// oddBytes is 0 unless one of eight bytes is a control character, a quote or a backslash.
func oddBytes(eight uint64) uint64 {
	control, quote, backslash := eight-ones*' ', (eight^ones*'"')-ones, (eight^ones*'\\')-ones
	return (control | quote | backslash) &^ eight & highs
}

// plain marks the bytes that need no escape in a string.
var plain = func() (all [256]bool) {
	for c := range all {
		all[c] = c >= ' ' && c != '"' && c != '\\'
	}
	return all
}()

// escapes marks the characters that may follow a backslash, except u.
var escapes = [256]bool{'"': true, '\\': true, '/': true, 'b': true, 'f': true, 'n': true, 'r': true, 't': true}

// number returns the offset after a number.
func number(b []byte, i int) int {
	if i < len(b) && b[i] == '-' {
		i++
	}
	if i < len(b) && b[i] == '0' {
		i++
	} else if i = digits(b, i); i == bad {
		return bad
	}
	if i < len(b) && b[i] == '.' {
		if i = digits(b, i+1); i == bad {
			return bad
		}
	}
	if i < len(b) && b[i]|0x20 == 'e' {
		if i++; i < len(b) && (b[i] == '+' || b[i] == '-') {
			i++
		}
		i = digits(b, i)
	}
	return i
}

// digits returns the offset after one or more digits.
func digits(b []byte, i int) int {
	start := i
	for i < len(b) && '0' <= b[i] && b[i] <= '9' {
		i++
	}
	if i == start {
		return bad
	}
	return i
}

// nested returns the offset after the object or array at i.
func (r reader) nested(b []byte, i, depth int) int {
	object := b[i] == '{'
	end := b[i] + 2 // the code of a closing bracket is greater by 2 than the code of the opening bracket
	i = space(b, i+1)
	if i < len(b) && b[i] == end {
		return i + 1
	}
	for {
		if object {
			start, _, ok := member(b, i)
			if !ok {
				return bad
			}
			i = start
		}
		if i = r.value(b, i, depth-1); i == bad {
			return bad
		}
		switch i = space(b, i); {
		case i == len(b):
			return bad
		case b[i] == end:
			return i + 1
		case b[i] != ',':
			return bad
		}
		i = space(b, i+1)
	}
}

// Check returns nil if o is nil or the text of exactly one JSON object; otherwise the error describes the mistake,
// with the position if o is not JSON. For an object it allocates nothing.
func (o Object) Check() error {
	if len(o) == 0 {
		return nil
	}
	all := func([]byte, jsontext.Value) bool { return true }
	if given, done := o.scan(reader{}, all); done || o.IsObject() && o.decode(given, all) == nil {
		return nil
	}
	if kind := jsontext.Value(o).Kind(); kind != '{' && jsontext.Value(o).IsValid(asJavaScript) {
		return fmt.Errorf("got %s, want an object", KindName(kind))
	}
	return CheckValue(jsontext.Value(o))
}

// CheckValue returns nil if v is the text of exactly one JSON value; otherwise the error has the position of the
// mistake.
func CheckValue(v jsontext.Value) error {
	if v.IsValid(asJavaScript) {
		return nil
	}
	var read jsontext.Value
	err := json.Unmarshal(v, &read, asJavaScript)
	if wrong := new(jsontext.SyntacticError); errors.As(err, &wrong) {
		if errors.Is(wrong.Err, io.ErrUnexpectedEOF) {
			return fmt.Errorf("%s: not JSON: the text ends inside a value", Position(v, int(wrong.ByteOffset)))
		}
		return fmt.Errorf("%s: not JSON: %w", Position(v, int(wrong.ByteOffset)), wrong.Err)
	}
	return err
}

// Position returns the position of an offset for messages: "line 1, column 5".
func Position(text []byte, offset int) string {
	before := text[:min(offset, len(text))]
	return fmt.Sprintf(
		"line %d, column %d",
		1+bytes.Count(before, []byte("\n")),
		len(before)-bytes.LastIndexByte(before, '\n'),
	)
}
