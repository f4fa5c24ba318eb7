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
	Final      any            `json:"final"`      // the merged output; nil if there is none
	AllOutputs any            `json:"allOutputs"` // the list of raw outputs, in plan order
	PerHook    []HookRun      `json:"perHook"`    // the hooks that the engine tried to run, in plan order
	Methods    map[string]any `json:"methods"`    // isBlocking and shouldStop, false without a final output
	Processed  map[string]any `json:"processed"`
	Registered *int           `json:"registered"` // number of entries that the registry accepted
	Bus        any            `json:"bus"`        // payload of the response; nil if none came within [BusPatience]
	Result     any            `json:"result"`     // the result of a translator

	// Elapsed is the wall time of the fire call alone. In a case that limits it, zero means not
	// measured.
	Elapsed time.Duration `json:"-"`
}

// BusPatience limits the time for the response to a message.
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

// decoded returns o in the form that a judge compares.
func (o Observation) decoded() (map[string]any, error) {
	// As in every engine of this dialect, the last of equal names is used.
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
