package jsrun

import (
	"path"
	"regexp"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json"
)

// frame matches a position in the engine's stacks: in a file or, with <eval>, in the prelude.
var frame = regexp.MustCompile(`\(?([^\s()]+):(\d+):(\d+)\)?$`)

// stack converts a stack of the engine: it maps positions to the source files, and leaves out the frames of the
// prelude.
func (b *bundle) stack(text string) string {
	if text == "" {
		return ""
	}
	places, sources := b.places()
	var kept []string
	own := 0 // number of lines to keep; the frames below them belong to the prelude
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\n")
		m := frame.FindStringSubmatch(line)
		switch {
		case m == nil:
			kept = append(kept, line)
		case m[1] == b.name || b.program != "" && path.Base(m[1]) == b.name:
			kept = append(kept, mapped(line, m, places, sources))
			own = len(kept)
		}
	}
	return strings.Join(kept[:own], "\n")
}

// mapped returns line with its position converted by the nearest mapping before it.
func mapped(line string, m []string, places [][]mapping, sources []string) string {
	row, _ := strconv.Atoi(m[2])
	column, _ := strconv.Atoi(m[3])
	if row < 1 || row > len(places) {
		return line
	}
	found := mapping{source: -1}
	for _, p := range places[row-1] {
		if p.generated < column {
			found = p
		}
	}
	if found.source < 0 || found.source >= len(sources) {
		return line
	}
	at := sources[found.source] + ":" + strconv.Itoa(found.line+1) + ":" + strconv.Itoa(found.column+1)
	return strings.Replace(line, m[1]+":"+m[2]+":"+m[3], at, 1)
}

// mapping maps a column of the bundle to a position in a source; all are counted from 0.
type mapping struct{ generated, source, line, column int }

// places decodes the source map, line by line.
func (b *bundle) places() (lines [][]mapping, sources []string) {
	var file struct {
		Sources  []string `json:"sources"`
		Mappings string   `json:"mappings"`
	}
	if json.Unmarshal(b.lines, &file) != nil {
		return nil, nil
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
		lines = append(lines, line)
	}
	for i := range file.Sources {
		file.Sources[i] = path.Clean(file.Sources[i])
	}
	return lines, file.Sources
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
