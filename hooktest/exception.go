package hooktest

import "testing"

// Exception declares an intended violation of a rule by an event or a reducer, and its reason.
type Exception struct {
	what exception
	why  string
}

type exception int

const (
	losesBlocks exception = iota + 1
	losesStops
	decidesAlone
	worksIdle
	dropsUnknown
)

// LosesBlocks declares that an answer that blocks may be lost; why is the reason, for example that nothing can
// be blocked, or that a later answer may override an earlier one. Answers that the engine makes must still not
// override a denial.
func LosesBlocks(why string) Exception { return Exception{losesBlocks, why} }

// LosesStops declares that "continue": false of an answer may be lost; why is the reason, for example that
// nothing can be stopped, or that a later answer replaces it.
func LosesStops(why string) Exception { return Exception{losesStops, why} }

// DecidesAlone declares that the reducer decides even without an answer; why is the reason, for example that it
// denies when there are no votes.
func DecidesAlone(why string) Exception { return Exception{decidesAlone, why} }

// WorksIdle declares that a fire has effects even without hooks; why is the reason. Such a fire must still not
// allocate.
func WorksIdle(why string) Exception { return Exception{worksIdle, why} }

// DropsUnknown declares that unknown members are lost; why is the reason, for example that members of other programs
// never reach the types.
func DropsUnknown(why string) Exception { return Exception{dropsUnknown, why} }

// declared returns the set of violations that the exceptions allow.
func declared(t testing.TB, but []Exception) map[exception]bool {
	t.Helper()
	allowed := map[exception]bool{}
	for _, e := range but {
		allowed[e.what] = true
		t.Logf("declared: %s", e.why)
	}
	return allowed
}
