// Package explain derives from a line of a record why a call was denied, changed or allowed.
//
//	for _, line := range record.Lines(file, nil) {
//		e := explain.Of(line)
//		fmt.Println(e.Outcome, e.Because)
//	}
//
// An [Explanation] has one [Step] for each hook that was considered, with the reason why it ran or did
// not and its answer; the [Rule] by which the answers were merged; each [Rewrite] of the input; and the
// texts that reached the model and the user.
//
// A line contains only the members that its record keeps: the texts for the model and the user are the
// reason of the decision, and with [record.Full] the texts of kept answers. Functions are pure, and may be
// called from many goroutines at once.
package explain
