package jq

import (
	"bytes"
	"cmp"
	"errors"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// value is nil, a bool, a number, a string, a []value or an *object.
type value any

// number is a number of JSON. It is exact if every version of jq reads and prints it alike.
type number struct {
	f     float64
	exact bool
}

// object keeps the members in the order in which they were added, as jq does.
type object struct {
	keys   []string
	values []value
}

// get returns a member, or nil.
func (o *object) get(key string) (v value, ok bool) {
	if at := slices.Index(o.keys, key); at >= 0 {
		return o.values[at], true
	}
	return nil, false
}

// with returns the object with a member added or replaced.
func (o *object) with(key string, v value) *object {
	at := slices.Index(o.keys, key)
	if at < 0 {
		return &object{append(slices.Clip(o.keys), key), append(slices.Clip(o.values), v)}
	}
	values := slices.Clone(o.values)
	values[at] = v
	return &object{o.keys, values}
}

// Limits for JSON. A text with deeper nesting, or with more members in an object, is left to the installed jq; numbers
// from mostExact are not exact.
const (
	mostDepth   = 60
	mostMembers = 256 // in one object; members are searched one by one
	mostExact   = 1e15
)

var (
	errDepth  = errors.New("JSON that is nested deep")
	errValues = errors.New("several values of JSON that are not objects or arrays")
	errWide   = errors.New("an object with many members")
	errZero   = errors.New("a text with a zero character")
)

// decode reads the values of a text; all of them have to be strictly valid.
func decode(text []byte) (all []value, err error) {
	d := jsontext.NewDecoder(bytes.NewBuffer(text))
	for {
		v, err := decodeValue(d, 0)
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, err
		}
		all = append(all, v)
	}
	if len(all) > 1 {
		for _, v := range all {
			switch v.(type) {
			case []value, *object:
			default:
				return nil, errValues
			}
		}
	}
	return all, nil
}

func decodeValue(d *jsontext.Decoder, depth int) (value, error) {
	if depth > mostDepth {
		return nil, errDepth
	}
	token, err := d.ReadToken()
	if err != nil {
		if depth > 0 && errors.Is(err, io.EOF) {
			err = io.ErrUnexpectedEOF
		}
		return nil, err
	}
	switch token.Kind() {
	case 'n':
		return nil, nil
	case 't', 'f':
		return token.Bool(), nil
	case '0':
		return decodeNumber(token.String())
	case '"':
		return decodeString(token.String())
	case '[':
		return decodeArray(d, depth)
	}
	return decodeObject(d, depth)
}

func decodeString(s string) (value, error) {
	if strings.IndexByte(s, 0) >= 0 {
		return nil, errZero
	}
	return s, nil
}

func decodeNumber(text string) (value, error) {
	f, err := strconv.ParseFloat(text, 64)
	if err != nil {
		return nil, err
	}
	integer := strconv.FormatFloat(f, 'f', -1, 64) == text && strings.IndexByte(text, '.') < 0
	return number{f, integer && math.Abs(f) < mostExact && text != "-0"}, nil
}

func decodeArray(d *jsontext.Decoder, depth int) (value, error) {
	all := []value{}
	for d.PeekKind() != ']' {
		v, err := decodeValue(d, depth+1)
		if err != nil {
			return nil, err
		}
		all = append(all, v)
	}
	_, err := d.ReadToken()
	return all, err
}

func decodeObject(d *jsontext.Decoder, depth int) (value, error) {
	o := &object{}
	for d.PeekKind() != '}' {
		key, err := decodeValue(d, depth+1)
		if err != nil {
			return nil, err
		}
		v, err := decodeValue(d, depth+1)
		if err != nil {
			return nil, err
		}
		o.keys, o.values = append(o.keys, key.(string)), append(o.values, v)
		if len(o.keys) > mostMembers {
			return nil, errWide
		}
	}
	_, err := d.ReadToken()
	return o, err
}

// encode appends the JSON of a value; indent is negative for the compact form.
func encode(to []byte, v value, indent int) []byte {
	switch v := v.(type) {
	case nil:
		return append(to, "null"...)
	case bool:
		return strconv.AppendBool(to, v)
	case number:
		if !v.exact || v.f != math.Trunc(v.f) || math.Abs(v.f) >= mostExact || v.f == 0 && math.Signbit(v.f) {
			panic(unsure("a number that versions of jq print in different ways"))
		}
		return strconv.AppendInt(to, int64(v.f), 10)
	case string:
		return encodeString(to, v)
	case []value:
		return encodeList(to, '[', ']', len(v), indent, func(to []byte, i int) []byte {
			return encode(to, v[i], deeper(indent))
		})
	}
	o := v.(*object)
	return encodeList(to, '{', '}', len(o.keys), indent, func(to []byte, i int) []byte {
		to = append(encodeString(to, o.keys[i]), ':')
		if indent >= 0 {
			to = append(to, ' ')
		}
		return encode(to, o.values[i], deeper(indent))
	})
}

// deeper returns the indent of the members of a value. For the compact form it is negative, and counts the
// levels downwards.
func deeper(indent int) int {
	if indent > mostPrinted || indent < -mostPrinted {
		panic(unsure("a value that is nested deep"))
	}
	if indent < 0 {
		return indent - 1
	}
	return indent + 1
}

// mostPrinted limits the levels of a value that is printed; versions of jq have limits of their own.
const mostPrinted = 200

func encodeList(to []byte, open, end byte, n, indent int, each func(to []byte, i int) []byte) []byte {
	to = append(to, open)
	for i := range n {
		if i > 0 {
			to = append(to, ',')
		}
		to = each(newline(to, deeper(indent)), i)
	}
	if n > 0 {
		to = newline(to, indent)
	}
	return append(to, end)
}

func newline(to []byte, indent int) []byte {
	if indent < 0 {
		return to
	}
	to = append(to, '\n')
	for range indent {
		to = append(to, "  "...)
	}
	return to
}

func encodeString(to []byte, s string) []byte {
	to = append(to, '"')
	for i := range len(s) {
		switch b := s[i]; {
		case b == '"' || b == '\\':
			to = append(to, '\\', b)
		case b >= ' ' && b != 0x7f:
			to = append(to, b)
		case strings.IndexByte("\b\f\n\r\t", b) >= 0:
			to = append(to, '\\', "btnvfr"[b-'\b'])
		default:
			const hex = "0123456789abcdef"
			to = append(to, '\\', 'u', '0', '0', hex[b>>4], hex[b&15])
		}
	}
	return append(to, '"')
}

// truthy reports whether a value is neither null nor false.
func truthy(v value) bool { return v != nil && v != false }

// kind returns the place of a value's type in the order of jq.
func kind(v value) int {
	switch v := v.(type) {
	case nil:
		return 0
	case bool:
		if v {
			return 2
		}
		return 1
	case number:
		return 3
	case string:
		return 4
	case []value:
		return 5
	}
	return 6
}

func typeName(v value) string {
	return []string{"null", "boolean", "boolean", "number", "string", "array", "object"}[kind(v)]
}

// compare orders two values as jq does.
func compare(a, b value) int {
	if c := cmp.Compare(kind(a), kind(b)); c != 0 {
		return c
	}
	switch a := a.(type) {
	case number:
		b := b.(number)
		if (!a.exact || !b.exact) && (math.Abs(a.f) > mostExact || math.Abs(b.f) > mostExact) {
			panic(unsure("a number that versions of jq compare in different ways"))
		}
		return cmp.Compare(a.f, b.f)
	case string:
		return strings.Compare(a, b.(string))
	case []value:
		return slices.CompareFunc(a, b.([]value), func(x, y value) int { return compare(x, y) })
	case *object:
		return a.compare(b.(*object))
	}
	return 0
}

func (o *object) compare(other *object) int {
	mine, theirs := o.sorted(), other.sorted()
	if c := slices.Compare(mine, theirs); c != 0 {
		return c
	}
	for _, key := range mine {
		a, _ := o.get(key)
		b, _ := other.get(key)
		if c := compare(a, b); c != 0 {
			return c
		}
	}
	return 0
}

// sorted returns the keys in order.
func (o *object) sorted() []string { return slices.Sorted(slices.Values(o.keys)) }
