package jsrun

import (
	"path"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json"

	"github.com/snaphook-go/snaphook/internal/lazyregexp"
)

// frame matches a position in the engine's stacks: in a file or, with <eval>, in the prelude.
var frame = lazyregexp.New(`\(?([^\s()]+):(\d+):(\d+)\)?$`)

// sourceMap converts positions in a bundle to positions in its source files.
type sourceMap struct {
	lines   [][]mapping // for each line of the bundle, in the order of the columns
	sources []string
}

// mapping maps a column of the bundle to a position in a source; all are counted from 0.
type mapping struct{ generated, source, line, column int }

// readSourceMap decodes a source map. The result is empty if the text is not one.
func readSourceMap(text []byte) (s sourceMap) {
	var file struct {
		Sources  []string `json:"sources"`
		Mappings string   `json:"mappings"`
	}
	if json.Unmarshal(text, &file) != nil {
		return s
	}
	var p mapping
	for row := range strings.SplitSeq(file.Mappings, ";") {
		var line []mapping
		p.generated = 0
		for segment := range strings.SplitSeq(row, ",") {
			if f := vlq(segment); len(f) >= 4 {
				p = mapping{p.generated + f[0], p.source + f[1], p.line + f[2], p.column + f[3]}
				line = append(line, p)
			} else if len(f) > 0 {
				p.generated += f[0]
			}
		}
		s.lines = append(s.lines, line)
	}
	for _, name := range file.Sources {
		s.sources = append(s.sources, path.Clean(name))
	}
	return s
}

// mapped returns line, in which frame has found m, with its position converted by the nearest mapping before it.
func (s sourceMap) mapped(line string, m []string) string {
	row, _ := strconv.Atoi(m[2])
	column, _ := strconv.Atoi(m[3])
	if row < 1 || row > len(s.lines) {
		return line
	}
	found := mapping{source: -1}
	for _, p := range s.lines[row-1] {
		if p.generated < column {
			found = p
		}
	}
	if found.source < 0 || found.source >= len(s.sources) {
		return line
	}
	at := s.sources[found.source] + ":" + strconv.Itoa(found.line+1) + ":" + strconv.Itoa(found.column+1)
	return strings.Replace(line, m[1]+":"+m[2]+":"+m[3], at, 1)
}

// vlq decodes numbers with five bits in each digit. The lowest bit of a number is its sign.
func vlq(text string) (numbers []int) {
	const digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
	n, shift := 0, 0
	for _, c := range []byte(text) {
		d := strings.IndexByte(digits, c)
		n |= (d & 31) << shift
		shift += 5
		if d < 32 {
			numbers = append(numbers, (n>>1)*(1-2*(n&1)))
			n, shift = 0, 0
		}
	}
	return numbers
}
