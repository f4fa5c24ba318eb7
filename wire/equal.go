package wire

import (
	"bytes"

	"github.com/go-json-experiment/json/jsontext"
)

// Equal reports whether two values are the same JSON, whatever the order of members and the spelling. Nil means no
// value and equals only nil. Invalid JSON equals only itself.
func Equal(a, b jsontext.Value) bool {
	if bytes.Equal(a, b) || len(a) == 0 || len(b) == 0 {
		return bytes.Equal(a, b)
	}
	return bytes.Equal(canonical(a), canonical(b))
}

func canonical(value jsontext.Value) []byte {
	v := value.Clone()
	if v.Canonicalize(
		jsontext.AllowInvalidUTF8(true), jsontext.AllowDuplicateNames(true),
		jsontext.CanonicalizeRawInts(false), // otherwise numbers beyond 2⁵³ would be rounded
	) != nil {
		return value
	}
	return v
}
