// Package reducers has reducers, which merge the answers of several hooks into one.
//
//		pipeline.Spec[Compaction, Nothing]{
//			Name:   "PreCompact",
//			Reduce: reducers.Last[Nothing], // the last answer in plan order
//		}
//
//	  - [BlockWins] is for events that guard an action: an answer that blocks is never lost.
//	  - In [Replace] a later answer overrides an earlier one.
//	  - [Last], [LastWhole] and [FirstWhole] use one answer alone.
//	  - [Gather] collects the events' own parts.
//	  - [Ignore] is for events whose hooks only observe.
//	  - [KeepCommon] adds the common members to a reducer that merges only the event's own part.
//
// Each is a loop you can read; copy one to write your own, and check it with [hooktest.Reducer]. Answers come in plan
// order. Reducers keep nothing between calls and may be used from many goroutines at once.
//
// [hooktest.Reducer]: https://pkg.go.dev/github.com/snaphook-go/snaphook/hooktest#Reducer
package reducers
