// Package state stores values of the hooks of one session: small texts by key, in a directory of the session, for
// processes and for hooks in Go alike.
//
//	dir := state.Of(state.Home(), project, session)
//	calls, err := dir.Incr(ctx, "calls", 1) // 1, then 2, also from several processes at once
//
// A [Dir] is the state of one session, and [Dir.ForSource] returns the state of the hooks of one source in it. [Sweep]
// removes the states of sessions that have not been used for the time [Stale].
//
// Every operation locks the directory, so that concurrent hooks lose no update. A value is replaced by a rename: once
// stored, it survives a crash of the process that wrote it. [ErrFull] reports that a value does not fit; see [Most].
package state
