package hooktest

import (
	"context"
	"testing"
	"time"

	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/pipeline"
)

// Event is an event that can be fired: a [*pipeline.Event], or a wrapper of one.
type Event[In, Out any] interface {
	Fire(ctx context.Context, s *pipeline.Session, in *In) (*hook.Result[Out], error)
}

// MostForIdle limits the time of an idle fire, as a multiple of a look-up in a small map.
const MostForIdle = 0.6

const (
	idleFires = 50_000 // in one measurement
	idlePairs = 7
	idleNoise = 0.08 // accepted relative error of the ratio

	// idlePatience limits how long a measurement is repeated on a busy machine.
	idlePatience = 3 * time.Second
)

// Idle checks that an event without hooks costs nothing: a fire allocates nothing, and takes at most [MostForIdle]
// times as long as a look-up in a map of nine names, measured in the same run. With the race detector, which slows
// both, or with [WorksIdle], only the allocations are checked.
//
// Do not call it while tests run in parallel: it counts the allocations of the whole process.
func Idle[In, Out any](t testing.TB, event Event[In, Out], input In, but ...Exception) {
	t.Helper()
	allowed := declared(t, but)
	s := open(t, nil)
	ctx := context.Background()
	fire := event.Fire // creates the method value once, not for each fire
	if res, err := fire(ctx, s, &input); err != nil || res != nil && len(res.Reports) > 0 {
		t.Errorf("a fire without hooks returns %+v, %v; want an empty result", res, err)
		return
	}
	if n := testing.AllocsPerRun(100, func() { _, _ = fire(ctx, s, &input) }); n > 0 {
		t.Errorf("a fire without hooks allocates %v times, want 0", n)
	}
	if !raceEnabled && !allowed[worksIdle] {
		idleTime(t, func() func() {
			s := open(t, nil)
			return func() {
				for range idleFires {
					_, _ = fire(ctx, s, &input)
				}
			}
		})
	}
}

// idleTime compares the shortest time of fires with the shortest time of an equal number of look-ups, called in the
// same way. The shortest time is used because other work on the machine only makes times longer. Each try uses a new
// session, because the memory address of a session affects the time.
func idleTime(t testing.TB, fires func() func()) {
	t.Helper()
	limit, end := MostForIdle*(1+idleNoise), time.Now().Add(idlePatience)
	best := [2]time.Duration{time.Hour, time.Hour}
	got := func() float64 { return float64(best[0]) / float64(best[1]) }
	for tries := 0; tries < 2 || got() > limit && time.Now().Before(end); tries++ {
		both := [2]func(){fires(), lookUps}
		for pair := range 2 * idlePairs {
			i := (pair + pair/2) % 2 // 0, 1, 1, 0, …
			start := time.Now()
			both[i]()
			best[i] = min(best[i], time.Since(start))
		}
	}
	t.Logf("a fire without hooks takes %.2f of a look-up in a map, want at most %.2f", got(), MostForIdle)
	if got() > limit {
		t.Errorf("a fire without hooks takes %.2f of a look-up in a map, want at most %.2f", got(), MostForIdle)
	}
}

// lookUps makes idleFires look-ups, as many as there are fires in a row. It calls a function value, as the fires do.
func lookUps() {
	var m interface{ lookUp(name string) int } = plans{
		"read_file": 1, "write_file": 2, "replace": 3, "glob": 4, "run_shell_command": 5, "web_fetch": 6,
		"list_directory": 7, "memory": 8, "todo": 9,
	}
	lookUp, names := m.lookUp, []string{"read_file", "write_file", "glob", "memory"}
	sum := 0
	for i := range idleFires {
		sum += lookUp(names[i&3])
	}
	if sum == 0 {
		panic("nothing was found")
	}
}

type plans map[string]int

//go:noinline
func (p plans) lookUp(name string) int { return p[name] }
