// Package explain derives, from a line of a record, why a call was denied, changed or allowed.
//
//	for _, line := range record.Lines(file, nil) {
//		e := explain.Of(line)
//		fmt.Println(e.Outcome, e.Because)
//	}
//
// An [Explanation] has one [Step] for each hook that was considered, with its answer and the reason why it ran or did
// not; the [Rule] by which the answers were merged; each [Rewrite] of the input; and the texts that reached the model
// and the user.
//
// The explanation is limited to the members that the record keeps. The texts for the model and the user are the reason
// of the decision and, with [record.Full], the texts of the kept answers. Functions are pure, and may be called from
// many goroutines at once.
package explain
