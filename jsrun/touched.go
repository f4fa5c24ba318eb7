package jsrun

import (
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// Touched lists the changes that a function has made to its argument; see Watched of [Options].
type Touched struct {
	Changed  jsontext.Value `json:"changed"`  // an object with the members changed in place and their new values
	Assigned []string       `json:"assigned"` // the members that were assigned another value
}

// touchedBegin begins a result that includes changes.
const touchedBegin = `{"$touched":`

// Split separates the result of a function from the changes to watched members. A result without changes is returned as
// it is. Split parses the result only if it begins like a result with changes.
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
