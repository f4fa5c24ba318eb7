package run

import "github.com/go-json-experiment/json/jsontext"

// The options accept equal names and invalid UTF-8, as the whole engine does.
var (
	equalNames = jsontext.AllowDuplicateNames(true)
	badUTF8    = jsontext.AllowInvalidUTF8(true)
)
