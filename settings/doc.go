// Package settings reads settings files: JSON with comments and trailing commas. Every value has a position, for errors
// with file, line and column.
//
//	v, err := settings.Parse("hooks.json", text)
//	…
//	timeout := v.Get("hooks").Get("timeout")
//	fmt.Println(timeout.Position().Line)
//
// A [Layer] is one of several files that are merged, and [Read] reads them all. A [Value] is a part of a file, which
// may be absent; [Parse] reads one text, and [ParseStrict] one without comments. A [Problem] is a mistake with its
// position and, if one is known, the correction.
//
// The package does not interpret hooks; the dialects read their groups and entries from its Values. Values are
// immutable, and may be used from many goroutines at once. The size and the nesting of a file are limited.
package settings
