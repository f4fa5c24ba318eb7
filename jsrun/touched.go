package jsrun

import (
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// Touched are the changes that a function has made to the object that it was called with; see
// Watched of [Options].
type Touched struct {
	Changed  jsontext.Value `json:"changed"`  // an object: the members that were changed in place, as they are now
	Assigned []string       `json:"assigned"` // the members that have another value
}

// touchedBegin begins a result beside which there are changes.
const touchedBegin = `{"$touched":`

// Split takes the result of a call of a function apart from the changes to watched members.
// Without such changes it returns the result as it is. It reads the result only if it begins
// as one with changes.
func Split(result Value) (own Value, t Touched) {
	if !strings.HasPrefix(string(result), touchedBegin) {
		return result, t
	}
	var both struct {
		Touched Touched        `json:"$touched"`
		Result  jsontext.Value `json:"result"`
	}
	if json.Unmarshal(result, &both, jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true)) != nil {
		return result, t
	}
	return Value(both.Result), both.Touched
}
