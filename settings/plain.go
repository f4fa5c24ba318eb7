package settings

import "bytes"

// blank overwrites comments and trailing commas with spaces, which leaves
// plain JSON in which everything is where it was. It needs no valid JSON, and
// what is not valid stays as it is: a comment that does not end, a comma that
// follows nothing.
func blank(text []byte) {
	comma := -1     // a comma behind which only white space was seen
	last := byte(0) // the last byte that was neither white space nor comment
	for i := 0; i < len(text); {
		switch c := text[i]; {
		case c == '/':
			n := commentLen(text[i:])
			if n == 0 {
				return
			}
			blankLines(text[i : i+n])
			i += n
			continue
		case c == '"':
			i += stringLen(text[i:])
			last, comma = c, -1
			continue
		case c == ',':
			comma = -1
			if last != 0 && !bytes.ContainsRune([]byte("[{,:"), rune(last)) {
				comma = i
			}
			last = c
		case c == '}' || c == ']':
			if comma >= 0 {
				text[comma] = ' '
			}
			last, comma = c, -1
		case !isSpace(c):
			last, comma = c, -1
		}
		i++
	}
}

// commentLen is the length of the comment at the start of b, without the end
// of its line; 0 if there is none, or if it does not end.
func commentLen(b []byte) int {
	switch {
	case bytes.HasPrefix(b, []byte("//")):
		if end := bytes.IndexAny(b, "\r\n"); end >= 0 {
			return end
		}
		return len(b)
	case bytes.HasPrefix(b, []byte("/*")):
		if end := bytes.Index(b[2:], []byte("*/")); end >= 0 {
			return end + 4
		}
	}
	return 0
}

// stringLen is the length of the string at the start of b. A string ends with
// its line at the latest: what follows one that is not closed is not part of it.
func stringLen(b []byte) int {
	for i := 1; i < len(b); i++ {
		switch b[i] {
		case '\\':
			i++
		case '"':
			return i + 1
		case '\n':
			return i
		}
	}
	return len(b)
}

func blankLines(b []byte) {
	for i, c := range b {
		if !isSpace(c) {
			b[i] = ' '
		}
	}
}

func isSpace(c byte) bool { return c == ' ' || c == '\t' || c == '\r' || c == '\n' }

// lineStarts gives the offset of every line. Lines end with LF, CRLF or CR.
func lineStarts(text []byte) []int32 {
	starts := []int32{0}
	for i, c := range text {
		if c == '\n' || c == '\r' && (i+1 == len(text) || text[i+1] != '\n') {
			starts = append(starts, int32(i+1))
		}
	}
	return starts
}
