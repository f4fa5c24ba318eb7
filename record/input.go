package record

import (
	"bytes"
	"sync"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/snaphook-go/snaphook/pipeline"
)

// refs lists the members of inputs that connect events, such as ids. A record keeps them whatever its Input.
var refs = map[string]bool{
	`"tool_use_id"`: true, `"toolCallId"`: true, `"agent_id"`: true, `"agent_type"`: true,
}

// maxShape limits the size, in bytes, of inputs whose memory is reused.
const maxShape = 1 << 20

// maxRef limits the text of one ref, in bytes.
const maxRef = 256

// inputShape converts an input for a line.
type inputShape struct {
	own    []byte // the unchanged input
	reader bytes.Buffer
	dec    *jsontext.Decoder
	out    []byte
	refs   []byte
	mode   Input
	most   int // bytes of out
}

var shapes = sync.Pool{New: func() any { return &inputShape{dec: jsontext.NewDecoder(new(bytes.Buffer))} }}

// appendInput appends the input, and its refs.
func appendInput(b []byte, f *pipeline.FireInfo, cfg *Config) []byte {
	s := shapes.Get().(*inputShape)
	defer shapes.Put(s)
	s.out, s.refs, s.mode, s.most = s.out[:0], s.refs[:0], cfg.Input, cfg.MaxInput
	own, err := f.AppendInput(s.own[:0])
	if s.own = own; cap(own) > maxShape {
		s.own = nil // do not keep a large buffer for the next input
	}
	if err == nil {
		s.reader = *bytes.NewBuffer(own) // the decoder reads it in place
		s.dec.Reset(&s.reader, jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
		err = s.value(0, false)
	}
	s.reader = bytes.Buffer{}
	s.dec.Reset(&s.reader)
	b = append(b, `,"input":`...)
	if err != nil || s.mode == None {
		b = append(b, "null"...)
	} else {
		b = append(b, s.out...)
	}
	b = append(b, `,"refs":`...)
	if err != nil || len(s.refs) == 0 {
		return append(b, "null"...)
	}
	return append(append(append(b, '{'), s.refs...), '}')
}

// value appends the next value. If ref is true, it also appends the value to the refs.
func (s *inputShape) value(depth int, ref bool) error {
	switch s.dec.PeekKind() {
	case '{':
		return s.object(depth)
	case '[':
		return s.array(depth)
	}
	v, err := s.dec.ReadValue()
	if err != nil {
		return err
	}
	if ref {
		s.ref(v)
	}
	s.leaf(v)
	return nil
}

func (s *inputShape) object(depth int) error {
	if _, err := s.dec.ReadToken(); err != nil {
		return err
	}
	s.out = append(s.out, '{')
	for s.dec.PeekKind() != '}' {
		name, err := s.dec.ReadValue()
		if err != nil {
			return err
		}
		ref := depth == 0 && refs[string(name)] && s.dec.PeekKind() == '"'
		if len(s.out)+len(name) > s.most && !ref {
			if err := s.dec.SkipValue(); err != nil {
				return err
			}
			continue
		}
		if ref {
			s.refName(name)
		}
		s.comma()
		s.out = append(append(s.out, name...), ':')
		if err := s.value(depth+1, ref); err != nil {
			return err
		}
	}
	_, err := s.dec.ReadToken()
	s.out = append(s.out, '}')
	return err
}

func (s *inputShape) array(depth int) error {
	if _, err := s.dec.ReadToken(); err != nil {
		return err
	}
	s.out = append(s.out, '[')
	for s.dec.PeekKind() != ']' {
		if len(s.out) > s.most {
			if err := s.dec.SkipValue(); err != nil {
				return err
			}
			continue
		}
		s.comma()
		if err := s.value(depth+1, false); err != nil {
			return err
		}
	}
	_, err := s.dec.ReadToken()
	s.out = append(s.out, ']')
	return err
}

// comma separates a value from the one before it.
func (s *inputShape) comma() {
	if last := s.out[len(s.out)-1]; last != '{' && last != '[' {
		s.out = append(s.out, ',')
	}
}

// leaf appends a value that is neither an object nor an array.
func (s *inputShape) leaf(v jsontext.Value) {
	if s.mode == Keys {
		s.out = append(s.out, typeNames[v.Kind()]...)
		return
	}
	most := max(0, s.most-len(s.out))
	switch {
	case v.Kind() == '"':
		s.out = quote(s.out, unquote(v, most), most)
	case len(v) <= max(most, len("false")):
		s.out = append(s.out, v...)
	default: // a number that is too long
		s.out = quote(s.out, window(v, most), most)
	}
}

// unquote returns as much of a JSON string as [quote] needs.
func unquote(v jsontext.Value, most int) string {
	const longest = 6 // bytes of JSON for one byte of text: \u0020
	if end := longest * (most + around + 1); len(v) > end {
		cut := 1
		for cut < end { // do not cut an escape in two
			at := cut
			if cut++; v[at] == '\\' {
				cut++
				if v[at+1] == 'u' {
					cut += 4
				}
			}
		}
		v = append(v[:cut:cut], '"')
	}
	text, _ := jsontext.AppendUnquote(nil, v)
	return string(text[:min(len(text), most+around+1)])
}

func (s *inputShape) refName(name jsontext.Value) {
	if len(s.refs) > 0 {
		s.refs = append(s.refs, ',')
	}
	s.refs = append(append(s.refs, name...), ':')
}

func (s *inputShape) ref(v jsontext.Value) {
	s.refs = quote(s.refs, unquote(v, maxRef), maxRef)
}

var typeNames = map[jsontext.Kind]string{
	'"': `"string"`,
	'0': `"number"`,
	't': `"boolean"`,
	'f': `"boolean"`,
	'n': `"null"`,
}
