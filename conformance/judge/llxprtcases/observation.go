package llxprtcases

import (
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// Observation is an engine's report of one fire. Values of type any may be any value that encodes
// to the JSON in question: maps, structs, jsontext.Value.
//
// A nil value was not observed, or is absent: it never equals an empty list or object; report an
// empty list of errors as a list that is not nil.
type Observation struct {
	Success    *bool          `json:"success"`
	Errors     []string       `json:"errors"`
	Final      any            `json:"final"`      // the merged output; nil without one
	AllOutputs any            `json:"allOutputs"` // the list of raw outputs, in plan order
	PerHook    []HookRun      `json:"perHook"`    // the hooks that it tried to run, in plan order
	Methods    map[string]any `json:"methods"`    // without a final output: isBlocking and shouldStop, false
	Processed  map[string]any `json:"processed"`
	Registered *int           `json:"registered"` // how many entries the registry took
	Bus        any            `json:"bus"`        // the payload of the response; nil if none came in [BusPatience]
	Result     any            `json:"result"`     // of a translator

	// Elapsed is the wall time of the fire call alone. Where a case has bounds
	// for it, zero counts as not measured.
	Elapsed time.Duration `json:"-"`
}

// BusPatience is how long the response to a message may take.
const BusPatience = 3 * time.Second

// HookRun is one hook that the engine tried to run. Texts are UTF-8: invalid bytes were replaced
// by U+FFFD.
type HookRun struct {
	Command  string `json:"command"`
	ExitCode *int   `json:"exitCode"` // nil if the hook did not exit by itself
	Success  *bool  `json:"success"`
	Stdout   string `json:"stdout"`
	Stderr   string `json:"stderr"`
	Output   any    `json:"output"` // nil if there is none
	Error    string `json:"error,omitzero"`
}

// decoded returns o as a judge compares it.
func (o Observation) decoded() (map[string]any, error) {
	// Like every engine of this dialect, let the last of equal names count.
	options := json.JoinOptions(
		jsontext.AllowDuplicateNames(true),
		json.FormatNilSliceAsNull(true),
		json.FormatNilMapAsNull(true),
	)
	b, err := json.Marshal(o, options)
	if err != nil {
		return nil, err
	}
	var seen map[string]any
	if err := json.Unmarshal(b, &seen, options); err != nil {
		return nil, err
	}
	if o.Elapsed != 0 {
		seen["elapsedMs"] = float64(o.Elapsed) / float64(time.Millisecond)
	}
	return seen, nil
}
