// Package sound says what a caller in this module knows of the JSON text in the input of an
// event, so that it is not read twice.
package sound

// Text is what is known of all JSON text in an input. The zero Text is one to be checked; any
// other is known to be sound.
type Text struct{ known bool }

// If makes a Text that is known to be sound, or not.
func If(known bool) Text { return Text{known} }
