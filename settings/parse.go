package settings

import (
	"bytes"
	"io"
	"slices"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/snaphook-go/snaphook/hook"
)

const (
	maxSize  = 16 << 20 // bytes; it also keeps every offset within an int32
	maxDepth = 1000     // arrays and objects within each other
)

// Parse reads JSON with // and /* */ comments and trailing commas. A byte
// order mark is skipped, and a file with nothing in it is an empty object.
// The file's name is for the positions only; data is not kept.
//
// The error is a fatal [Problem]: what is not such JSON, not UTF-8, longer
// than 16 MiB or nested deeper than 1000 levels. A name given twice is none;
// see [Value.Duplicates].
//
// The time is proportional to the length of data.
func Parse(file string, data []byte) (Value, error) { return parse(file, data, false) }

// ParseStrict is [Parse] for files in which comments and trailing commas are
// not allowed.
func ParseStrict(file string, data []byte) (Value, error) { return parse(file, data, true) }

func parse(file string, data []byte, strict bool) (Value, error) {
	if len(data) > maxSize {
		return Value{}, fatal(hook.Position{File: file}, "the file is longer than %d MiB; shorten it", maxSize>>20)
	}
	text := bytes.Clone(bytes.TrimPrefix(data, []byte("\xEF\xBB\xBF")))
	p := parser{doc: &document{file: file, text: text, lines: lineStarts(text)}, strict: strict}
	if err := p.checkUTF8(); err != nil {
		return Value{}, err
	}
	if !strict {
		blank(text)
	}
	if len(bytes.TrimSpace(text)) == 0 {
		p.doc = &document{file: file, text: []byte("{}"), lines: []int32{0}}
	}
	if err := p.read(); err != nil {
		return Value{}, err
	}
	return Value{doc: p.doc}, nil
}

// document is a parsed file. Its nodes are in the order of the text: an object
// is followed by the name and the value of each member, an array by its
// elements. Nothing is decoded before someone asks.
type document struct {
	file  string
	text  []byte // as in the file, but plain JSON
	lines []int32
	nodes []node
}

// node is a value of a document, or the name of a member.
type node struct {
	start, end int32 // in the text
	next       int32 // the first node behind it and all it contains
	parent     int32 // the object or array it is in; -1 for the root
	ordinal    int32 // its index in an array, or one of the constants below
}

const (
	isMember = -1 // the value of a member; the node before it is its name
	isName   = -2
)

func (d *document) position(offset int32) hook.Position {
	line, exact := slices.BinarySearch(d.lines, offset)
	if !exact {
		line-- // the line that starts before offset
	}
	return hook.Position{File: d.file, Line: line + 1, Column: int(offset-d.lines[line]) + 1}
}

// parser fills a document with nodes.
type parser struct {
	doc    *document
	strict bool
	open   []level // the arrays and objects around the next token
	end    int     // of the last token
}

// level is an array or object whose end was not read yet.
type level struct {
	node  int32
	count int32 // elements, or names and values, so far
}

func (p *parser) checkUTF8() error {
	text := p.doc.text
	if utf8.Valid(text) {
		return nil
	}
	if bytes.HasPrefix(text, []byte("\xFF\xFE")) || bytes.HasPrefix(text, []byte("\xFE\xFF")) {
		return fatal(p.doc.position(0), "the file is UTF-16; save it as UTF-8")
	}
	at := 0
	for {
		r, n := utf8.DecodeRune(text[at:])
		if r == utf8.RuneError && n == 1 {
			return fatal(p.doc.position(int32(at)), "byte 0x%02X is not UTF-8; save the file as UTF-8", text[at])
		}
		at += n
	}
}

func (p *parser) read() error {
	// Given a bytes.Buffer, the decoder reads the text where it is.
	d := jsontext.NewDecoder(bytes.NewBuffer(p.doc.text), jsontext.AllowDuplicateNames(true))
	for {
		token, err := d.ReadToken()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return p.explain(err)
		}
		start := p.nextStart()
		p.end = int(d.InputOffset())
		if kind := token.Kind(); kind == '}' || kind == ']' {
			p.pop()
			continue
		} else if len(p.open) == 0 && len(p.doc.nodes) > 0 {
			return fatal(p.doc.position(start), oneValue)
		} else if p.push(start); kind == '{' || kind == '[' {
			if len(p.open) == maxDepth {
				return fatal(p.doc.position(start), "nested deeper than %d levels; this cannot be meant", maxDepth)
			}
			p.open = append(p.open, level{node: int32(len(p.doc.nodes) - 1)})
		}
	}
}

// nextStart gives the offset of the token behind the last one.
func (p *parser) nextStart() int32 {
	at := p.end
	for at < len(p.doc.text) && (isSpace(p.doc.text[at]) || p.doc.text[at] == ',' || p.doc.text[at] == ':') {
		at++
	}
	return int32(at)
}

func (p *parser) push(start int32) {
	n := node{start: start, end: int32(p.end), next: int32(len(p.doc.nodes) + 1), parent: -1}
	if in := p.level(); in != nil {
		n.parent, n.ordinal = in.node, in.count
		if p.doc.text[p.doc.nodes[in.node].start] == '{' {
			n.ordinal = isMember
			if in.count%2 == 0 {
				n.ordinal = isName
			}
		}
		in.count++
	}
	p.doc.nodes = append(p.doc.nodes, n)
}

func (p *parser) pop() {
	closed := &p.doc.nodes[p.level().node]
	closed.end, closed.next = int32(p.end), int32(len(p.doc.nodes))
	p.open = p.open[:len(p.open)-1]
}

// level gives the innermost array or object, nil outside of all.
func (p *parser) level() *level {
	if len(p.open) == 0 {
		return nil
	}
	return &p.open[len(p.open)-1]
}
