// Package state stores the memory of the hooks of one session: small texts by key, in a directory of
// the session, for processes and for hooks in Go alike.
//
//	dir := state.Of(state.Home(), project, session)
//	calls, err := dir.Incr(ctx, "calls", 1) // 1, then 2, also from several processes at once
//
// A [Dir] is the state of one session, and [Dir.ForSource] that of the hooks of one source in it. [Sweep]
// removes the states of sessions that have not been used for [Stale].
//
// Every operation holds a lock on the directory: concurrent hooks lose no update. An acknowledged value
// survives a crash of the process that wrote it, because a rename replaces the old one. [ErrFull] reports
// that a value does not fit; see [Most].
package state
