package bench

import (
	"math"
	"slices"
	"time"

	"github.com/samber/lo"
)

// Result is the outcome of a benchmark, in the form that programs rely on.
type Result struct {
	Event  string   `json:"event"`
	N      int      `json:"n"`
	Fire   Fire     `json:"fire"`
	Hooks  []Hook   `json:"hooks"`
	Engine Engine   `json:"engineUs"`
	Advice []Advice `json:"advice"`

	// Samples holds the measurements by name, in milliseconds, in the order in which they were
	// made; Compare needs them.
	Samples map[string][]float64 `json:"samples"`
}

// Fire holds the figures of the whole fire, with all selected hooks.
type Fire struct {
	Cold Ranks  `json:"cold"`
	Warm *Ranks `json:"warm"` // nil: no hook can be kept warm
}

// Hook holds the figures of one hook alone.
type Hook struct {
	ID      string `json:"id"`
	Command string `json:"command"`
	Cold    Ranks  `json:"cold"`
	Warm    *Ranks `json:"warm"`      // nil: the hook cannot be kept warm; WarmNote has the reason
	Startup *Ranks `json:"startupMs"` // nil: the hook starts no process

	StartupCommand string `json:"startupCommand,omitempty"` // the command that was started to measure the start-up
	WarmNote       string `json:"warmNote,omitempty"`
	Name           string `json:"name,omitempty"`

	// Failed says why the hook failed when it was measured; its figures then describe the failure, and there is no
	// advice for the hook. Failed is empty if the hook did not fail.
	Failed string `json:"failed,omitempty"`
}

// Label returns the hook's name for people.
func (h *Hook) Label() string { return lo.CoalesceOrEmpty(h.Name, h.Command, h.ID) }

// Engine is the engine's own time, in microseconds: the time of a fire of one hook less the time of the hook.
type Engine struct {
	P50 float64 `json:"p50"`
}

// Advice describes a change that would make a hook faster, and its gain.
type Advice struct {
	ID     string  `json:"id"`   // argv, warm, if or async
	Hook   string  `json:"hook"` // the id of the hook
	Text   string  `json:"text"`
	GainMS float64 `json:"gainMs"` // gain of the median, for each call of the event
}

// Ranks holds percentiles by nearest rank, in milliseconds.
type Ranks struct {
	P50 float64 `json:"p50Ms"`
	P95 float64 `json:"p95Ms"`
	P99 float64 `json:"p99Ms"`
}

func ranksOf(ms []float64) Ranks {
	return Ranks{rank(ms, 0.50), rank(ms, 0.95), rank(ms, 0.99)}
}

// rank returns the percentile by nearest rank: the smallest value such that at least this part of
// all values is not greater.
func rank(values []float64, part float64) float64 {
	if len(values) == 0 {
		return 0
	}
	sorted := slices.Sorted(slices.Values(values))
	return rounded(sorted[max(1, int(math.Ceil(part*float64(len(sorted))-1e-9)))-1])
}

// rounded rounds to microseconds.
func rounded(ms float64) float64 { return math.Round(ms*1000) / 1000 }

func milliseconds(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }
