// Package record writes and reads records: one line of JSON for each fire, with every hook of the event, run or not.
//
//	rec, err := record.Open("hooks.jsonl", record.Config{})
//	…
//	sys := pipeline.NewSystem(pipeline.Config{Observe: []pipeline.Observer{rec}})
//
// A [Recorder] is an observer of package pipeline. [New] writes to any writer, and [Open] to a file that many processes
// share and that is rotated. [Lines] reads a record:
//
//	for _, line := range record.Lines(file, nil) {
//		fmt.Println(line.Event, line.Decision, line.Reason)
//	}
//
// docs/record.schema.json describes the lines. By default a line has the names of the input's members and not their
// values; [Config].Input selects more.
//
// A Recorder may be used from many goroutines. Errors of writing never change an answer: lost lines are counted and
// logged.
package record
