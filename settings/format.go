package settings

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"github.com/snaphook-go/snaphook/hook"
)

// Converted is the content of a file in another format, as JSON.
type Converted struct {
	JSON      []byte
	Positions []ValuePosition // positions of the values in the file, sorted by Offset
	Blank     bool            // the file has only comments and white space
}

// ValuePosition is the position of a value in the converted file.
type ValuePosition struct{ Offset, Line, Column int } // Offset is the offset of the value in the JSON

// FormatError reports why a file cannot be read. Line and Column count from 1, columns in bytes; Line is 0 if the
// position is unknown.
type FormatError struct {
	Line, Column int
	Err          error
}

func (e *FormatError) Error() string { return e.Err.Error() }

// Unwrap returns Err.
func (e *FormatError) Unwrap() error { return e.Err }

// convert parses a file in another format. The values keep their positions in that file.
func (l Layer) convert(text []byte) (Value, error) {
	if len(text) > maxSize {
		return Value{}, tooLong(l.File)
	}
	made, err := l.Format(text)
	if err != nil {
		at := hook.Position{File: l.File}
		if placed, ok := errors.AsType[*FormatError](err); ok {
			at.Line, at.Column = placed.Line, placed.Column
		}
		return Value{}, fatal(at, "%v", err)
	}
	v, err := parse(l.File, made.JSON, true)
	if err != nil {
		return Value{}, fatal(hook.Position{File: l.File}, "%v", fmt.Errorf("its JSON form: %w", err))
	}
	v.doc.places, v.doc.blank = made.Positions, made.Blank
	return v, nil
}

// placed returns the position, in the converted file, of the last value that starts at or before an offset.
func (d *document) placed(offset int) hook.Position {
	byOffset := func(p ValuePosition, at int) int { return cmp.Compare(p.Offset, at) }
	i, exact := slices.BinarySearchFunc(d.places, offset, byOffset)
	if !exact {
		i--
	}
	if i < 0 {
		return hook.Position{File: d.file, Line: 1, Column: 1}
	}
	return hook.Position{File: d.file, Line: d.places[i].Line, Column: d.places[i].Column}
}
