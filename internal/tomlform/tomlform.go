// Package tomlform converts TOML to JSON and keeps the position of every value in the TOML text: settings in
// TOML are read, and their mistakes reported, like those in JSON.
package tomlform

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/pelletier/go-toml/v2"
	"github.com/pelletier/go-toml/v2/unstable"

	"github.com/snaphook-go/snaphook/settings"
)

// deepest limits the nesting of brackets, and the parts of a dotted key.
const deepest = 100

// Convert is a Format of [settings.Layer]. It refuses text that TOML 1.0 does not allow, such as a key that is
// given twice, and brackets or dotted keys nested deeper than 100 levels.
//
// Dates become strings, and so do inf and nan, which JSON does not have.
func Convert(text []byte) (settings.Converted, error) {
	text = bytes.TrimPrefix(text, []byte("\xEF\xBB\xBF"))
	if at := tooDeep(text); at >= 0 {
		return settings.Converted{}, placed(text, at, fmt.Errorf("nested deeper than %d levels; write fewer", deepest))
	}
	root, empty, err := read(text)
	if err != nil {
		return settings.Converted{}, err
	}
	if err := toml.Unmarshal(text, new(map[string]any)); err != nil {
		return settings.Converted{}, explained(err)
	}
	w := jsonWriter{lines: lineStarts(text)}
	w.value(root)
	return settings.Converted{JSON: w.json, Positions: w.places, Blank: empty}, nil
}

// explained adds the position to an error of the parser.
func explained(err error) error {
	wrong, ok := errors.AsType[*toml.DecodeError](err)
	if !ok {
		return err
	}
	line, column := wrong.Position()
	return &settings.FormatError{
		Line: line, Column: column, Err: fmt.Errorf("not TOML: %s", strings.TrimPrefix(wrong.Error(), "toml: ")),
	}
}

func placed(text []byte, at int, err error) error {
	before := text[:min(at, len(text))]
	return &settings.FormatError{
		Line: bytes.Count(before, []byte("\n")) + 1, Column: len(before) - bytes.LastIndexByte(before, '\n'), Err: err,
	}
}

// tooDeep returns the offset of the bracket at which the nesting is too deep, or -1. It runs before the parser, which
// is recursive.
func tooDeep(text []byte) int {
	open := 0
	for at := 0; at < len(text); at++ {
		switch c := text[at]; c {
		case '#':
			if end := bytes.IndexByte(text[at:], '\n'); end >= 0 {
				at += end
			} else {
				return -1
			}
		case '"', '\'':
			at = quoted(text, at, c)
		case '[', '{':
			if open++; open > deepest {
				return at
			}
		case ']', '}':
			open = max(0, open-1)
		}
	}
	return -1
}

// quoted returns the offset of the last byte of the string that begins at an offset.
func quoted(text []byte, at int, quote byte) int {
	end := []byte{quote}
	if triple := bytes.Repeat(end, 3); bytes.HasPrefix(text[at:], triple) {
		end = triple
	}
	for i := at + len(end); i < len(text); i++ {
		switch {
		case text[i] == '\\' && quote == '"':
			i++
		case len(end) == 1 && text[i] == '\n':
			return i // not a string: the parser reports the mistake
		case bytes.HasPrefix(text[i:], end):
			return i + len(end) - 1
		}
	}
	return len(text)
}

// tomlValue is one value.
type tomlValue struct {
	at       int // offset in the TOML text
	names    map[string]int
	members  []tableMember // of a table
	elements []*tomlValue  // of an array
	tables   bool          // the array of an array table, [[…]]
	json     []byte        // JSON text of any other value
}

type tableMember struct {
	name string
	at   int
	*tomlValue
}

// read parses the text into a tree; empty reports that the text has no expression.
func read(text []byte) (root *tomlValue, empty bool, err error) {
	var p unstable.Parser
	p.Reset(text)
	root = table(0)
	in, empty := root, true
	for p.NextExpression() {
		e := p.Expression()
		switch e.Kind {
		case unstable.Table, unstable.ArrayTable:
			keys, err := path(text, e.Key())
			if err != nil {
				return nil, false, err
			}
			if in = root.header(keys, e.Kind == unstable.ArrayTable); in == nil {
				return nil, false, invalid(text)
			}
			empty = false
		case unstable.KeyValue:
			if err := in.set(text, e); err != nil {
				return nil, false, err
			}
			empty = false
		}
	}
	if p.Error() != nil {
		return nil, false, invalid(text)
	}
	return root, empty, nil
}

// invalid returns the error that the library has for a text which cannot be read.
func invalid(text []byte) error {
	if err := toml.Unmarshal(text, new(map[string]any)); err != nil {
		return explained(err)
	}
	return errors.New("not TOML")
}

func table(at int) *tomlValue { return &tomlValue{at: at, names: map[string]int{}} }

// key is one part of a dotted key.
type key struct {
	name    string
	at, end int
}

func path(text []byte, parts unstable.Iterator) (keys []key, err error) {
	for parts.Next() {
		n := parts.Node()
		at := int(n.Raw.Offset)
		if keys = append(keys, key{string(n.Data), at, at + int(n.Raw.Length)}); len(keys) > deepest {
			return nil, placed(text, at, fmt.Errorf("a key of more than %d parts; write fewer", deepest))
		}
	}
	return keys, nil
}

// child returns the value of a key; if the table has none, child adds made.
func (n *tomlValue) child(k key, made *tomlValue) *tomlValue {
	if i, there := n.names[k.name]; there {
		return n.members[i].tomlValue
	}
	n.names[k.name] = len(n.members)
	n.members = append(n.members, tableMember{k.name, k.at, made})
	return made
}

// header returns the table that a header opens; nil if the header contradicts the text before it.
func (n *tomlValue) header(keys []key, array bool) *tomlValue {
	for i, k := range keys {
		if n.names == nil {
			return nil
		}
		if i == len(keys)-1 && array {
			n = n.child(k, &tomlValue{at: k.at, tables: true})
			if !n.tables {
				return nil
			}
			n.elements = append(n.elements, table(k.at))
		} else {
			n = n.child(k, table(k.at))
		}
		if n.tables && len(n.elements) > 0 {
			n = n.elements[len(n.elements)-1]
		}
	}
	if n.names == nil {
		return nil
	}
	return n
}

// set adds a key and its value.
func (n *tomlValue) set(text []byte, e *unstable.Node) error {
	keys, err := path(text, e.Key())
	if err != nil {
		return err
	}
	last := keys[len(keys)-1]
	for _, k := range keys[:len(keys)-1] {
		if n = n.child(k, table(k.at)); n.names == nil {
			return invalid(text)
		}
	}
	value, err := valueOf(text, e.Value(), valueAt(text, last.end))
	if err != nil {
		return err
	}
	n.child(last, value)
	return nil
}

// valueAt returns the offset of the value whose key ends at an offset.
func valueAt(text []byte, at int) int {
	return at + len(text[at:]) - len(bytes.TrimLeft(text[at:], " \t="))
}

// valueOf reads one value. at is its offset if the parser does not report one.
func valueOf(text []byte, v *unstable.Node, at int) (*tomlValue, error) {
	if v.Raw.Length > 0 {
		at = int(v.Raw.Offset)
	}
	n := &tomlValue{at: at}
	switch children := v.Children(); v.Kind {
	case unstable.InlineTable:
		n.names = map[string]int{}
		for children.Next() {
			if e := children.Node(); e.Kind == unstable.KeyValue {
				if err := n.set(text, e); err != nil {
					return nil, err
				}
			}
		}
	case unstable.Array:
		n.elements = []*tomlValue{}
		for children.Next() {
			if children.Node().Kind == unstable.Comment {
				continue
			}
			element, err := valueOf(text, children.Node(), at)
			if err != nil {
				return nil, err
			}
			n.elements = append(n.elements, element)
		}
	case unstable.Bool:
		n.json = []byte(strings.TrimSpace(string(v.Data)))
	case unstable.Integer, unstable.Float:
		n.json = number(string(v.Data))
	default: // strings and dates
		n.json = quote(string(v.Data))
	}
	return n, nil
}

// number writes a number of TOML as JSON.
func number(text string) []byte {
	plain := strings.ReplaceAll(text, "_", "")
	if i, err := strconv.ParseInt(strings.TrimPrefix(plain, "+"), 0, 64); err == nil {
		return strconv.AppendInt(nil, i, 10)
	}
	f, err := strconv.ParseFloat(plain, 64)
	if err != nil || math.IsInf(f, 0) || math.IsNaN(f) {
		return quote(text)
	}
	return []byte(strings.TrimPrefix(plain, "+"))
}

func quote(text string) []byte {
	quoted, _ := jsontext.AppendQuote(nil, strings.ToValidUTF8(text, "\uFFFD"))
	return quoted
}

// jsonWriter writes a tree as JSON, with the places of its names and values.
type jsonWriter struct {
	json   []byte
	places []settings.ValuePosition
	lines  []int
}

func lineStarts(text []byte) []int {
	lines := []int{0}
	for at, c := range text {
		if c == '\n' {
			lines = append(lines, at+1)
		}
	}
	return lines
}

// mark records the position in the TOML text of the name or value that is written next; at is its offset.
func (w *jsonWriter) mark(at int) {
	low, high := 0, len(w.lines)
	for high-low > 1 {
		if middle := (low + high) / 2; w.lines[middle] <= at {
			low = middle
		} else {
			high = middle
		}
	}
	w.places = append(w.places, settings.ValuePosition{Offset: len(w.json), Line: low + 1, Column: at - w.lines[low] + 1})
}

func (w *jsonWriter) value(n *tomlValue) {
	w.mark(n.at)
	switch {
	case n.names != nil:
		w.json = append(w.json, '{')
		for i, m := range n.members {
			w.comma(i)
			w.mark(m.at)
			w.json = append(append(w.json, quote(m.name)...), ':')
			w.value(m.tomlValue)
		}
		w.json = append(w.json, '}')
	case n.elements != nil || n.tables:
		w.json = append(w.json, '[')
		for i, element := range n.elements {
			w.comma(i)
			w.value(element)
		}
		w.json = append(w.json, ']')
	default:
		w.json = append(w.json, n.json...)
	}
}

func (w *jsonWriter) comma(i int) {
	if i > 0 {
		w.json = append(w.json, ',')
	}
}
