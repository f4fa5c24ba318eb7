// Package wire implements the JSON that hooks exchange.
//
//	call := wire.Object(`{"command": "ls", "timeout": 9007199254740993}`)
//	call.Text("command")                         // "ls"
//	call.With("command", wire.Quote("ls -l"))    // the other members stay as they are
//
// An [Object] is the text of one JSON object. It preserves the order of members, unknown members and numbers that a
// float64 cannot represent. It is never changed in place: methods such as [Object.With] return a new one. [Of] makes an
// Object from a Go value, and [Object.Into] decodes it into one.
//
// [Answer] finds the object in the output of a hook. [Read] decodes it to a [hook.Output], with a note for each member
// of the wrong type; [Decode] does the same for an answer that was already found, and [Encode] writes one.
//
// Functions that parse text, such as Of, return an error for invalid JSON. Functions and Objects may be used from many
// goroutines at once. Reading one member scans the whole text.
package wire
