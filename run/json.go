package run

import "github.com/go-json-experiment/json/jsontext"

// Equal names and bytes that are not UTF-8 pass through, as everywhere.
var (
	equalNames = jsontext.AllowDuplicateNames(true)
	badUTF8    = jsontext.AllowInvalidUTF8(true)
)
