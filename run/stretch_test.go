package run

import (
	"testing"
	"time"

	"github.com/snaphook-go/snaphook/internal/processor"
)

// fakeWait describes a process that waits for a processor for a part of each second, until it has run for need.
type fakeWait struct {
	part float64
	need time.Duration
}

// runs reports whether the process ends before its extended limit, and the extension that was granted.
func (w fakeWait) runs(limit time.Duration, factor float64) (ended bool, granted time.Duration) {
	s := newStretch(limit, factor)
	end := time.Duration(float64(w.need) / (1 - w.part))
	for due := limit; ; {
		if end <= due {
			return true, s.granted
		}
		more := s.extend(time.Duration(w.part * float64(due)))
		if more == 0 {
			return false, s.granted
		}
		due += more
	}
}

func TestALimitGrowsByTheTimeOfWaitingAndNotBeyondItsBound(t *testing.T) {
	const ms = time.Millisecond
	for name, tt := range map[string]struct {
		wait    fakeWait
		factor  float64
		ended   bool
		granted time.Duration
	}{
		"no waiting":                         {fakeWait{0, 101 * ms}, 0, false, 0},
		"in time":                            {fakeWait{0.9, 9 * ms}, 0, true, 0},
		"half of it, enough":                 {fakeWait{0.5, 98 * ms}, 0, true, 100 * ms},
		"half of it, not enough":             {fakeWait{0.5, 101 * ms}, 0, false, 100 * ms},
		"nearly all, up to the bound":        {fakeWait{0.9, 39 * ms}, 0, true, 300 * ms},
		"nearly all, beyond the bound":       {fakeWait{0.9, 41 * ms}, 0, false, 300 * ms},
		"nearly all, beyond a smaller bound": {fakeWait{0.9, 39 * ms}, 2, false, 100 * ms},
		"switched off":                       {fakeWait{0.9, 11 * ms}, 1, false, 0},
		"a factor below one":                 {fakeWait{0.9, 11 * ms}, 0.5, false, 0},
	} {
		ended, granted := tt.wait.runs(100*ms, tt.factor)
		if ended != tt.ended || granted > tt.granted || granted < tt.granted*9/10 && !ended {
			t.Errorf("%s: ended %v with %v granted, want %v and up to %v", name, ended, granted, tt.ended, tt.granted)
		}
	}
}

func TestTheWaitOfEndedChildrenIsEstimatedFromAllLooks(t *testing.T) {
	const ms = time.Millisecond
	s, now := newStretch(200*ms, 0), time.Now()
	s.start(now, 200*ms)
	for range 4 {
		s.look(now, processor.Times{Ran: 2 * ms, Waited: 6 * ms}, 1)
	}
	just := processor.Times{Ran: ms, Ended: 50 * ms} // the living child has just got a processor
	if waited := s.look(now, just, 1); waited < 100*ms || waited > 150*ms {
		t.Errorf("%v, want about 133ms: three quarters of the time", waited)
	}
}

// The kernel counts a wait when it ends. Until then the state of the process shows it.
func TestAWaitThatHasNotEndedCounts(t *testing.T) {
	const ms = time.Millisecond
	ready := func(ran, waited time.Duration) processor.Times {
		return processor.Times{Ran: ran, Waited: waited, Ready: true}
	}
	for name, tt := range map[string]struct {
		looks []processor.Times // 50 ms apart
		want  time.Duration
	}{
		"it waits since the first look":    {[]processor.Times{ready(10*ms, 5*ms), ready(10*ms, 5*ms), ready(10*ms, 5*ms)}, 140 * ms},
		"the wait has ended":               {[]processor.Times{ready(10*ms, 5*ms), ready(10*ms, 5*ms), ready(30*ms, 120*ms)}, 120 * ms},
		"it ran, and waits again":          {[]processor.Times{ready(10*ms, 5*ms), ready(20*ms, 85*ms)}, 85 * ms},
		"it ran for a part of the time":    {[]processor.Times{ready(50*ms, 0), ready(80*ms, 0)}, 20 * ms},
		"it always ran":                    {[]processor.Times{ready(50*ms, 0), ready(100*ms, 0)}, 0},
		"it sleeps":                        {[]processor.Times{{Ran: 10 * ms}, {Ran: 10 * ms}}, 0},
		"it slept, and is just ready":      {[]processor.Times{{Ran: 10 * ms}, {Ran: 10 * ms}, ready(11*ms, 0)}, 49 * ms},
		"it waited, and sleeps":            {[]processor.Times{ready(10*ms, 0), {Ran: 20 * ms, Waited: 60 * ms}}, 60 * ms},
		"the kernel keeps no times":        {[]processor.Times{ready(0, 0), ready(0, 0), ready(0, 0)}, 0},
		"times of a child are lost":        {[]processor.Times{ready(40*ms, 0), ready(10*ms, 0)}, 0},
		"a child has ended":                {[]processor.Times{ready(40*ms, 5*ms), {Ran: 5 * ms, Ended: 40 * ms, Ready: true}}, 49 * ms},
		"several threads ran all the time": {[]processor.Times{ready(100*ms, 0), ready(200*ms, 0)}, 0},
	} {
		s, now := newStretch(time.Second, 0), time.Now()
		s.start(now, time.Second)
		var got time.Duration
		for _, times := range tt.looks {
			now = now.Add(50 * ms)
			got = s.look(now, times, 1)
		}
		if got.Truncate(ms) != tt.want {
			t.Errorf("%s: waited %v, want %v", name, got, tt.want)
		}
	}
}

// Of a process that computes, the load of the machine tells how long it waited, if the kernel does not.
func TestTheLoadOfTheMachineTellsTheWaitOfAProcessThatComputes(t *testing.T) {
	const ms = time.Millisecond
	for name, tt := range map[string]struct {
		loads []float64     // at looks, 40 ms apart
		ran   time.Duration // at the last look
		ended time.Duration
		want  time.Duration
	}{
		"four threads on each processor":     {[]float64{4, 4}, 20 * ms, 0, 60 * ms},
		"its children have ended":            {[]float64{4, 4}, ms, 10 * ms, 60 * ms},
		"for half of its time":               {[]float64{1, 4}, 30 * ms, 0, 30 * ms},
		"free processors":                    {[]float64{0.5, 1}, 20 * ms, 0, 0},
		"a process that sleeps":              {[]float64{4, 4}, ms, 0, 0},
		"a tenth of its share":               {[]float64{4, 4}, 2 * ms, 0, 60 * ms},
		"nobody knows how many threads wait": {[]float64{0, 0}, 20 * ms, 0, 0},
	} {
		s, now := newStretch(time.Second, 0), time.Now()
		s.start(now, time.Second)
		var got time.Duration
		for i, load := range tt.loads {
			now = now.Add(40 * ms)
			times := processor.Times{}
			if i == len(tt.loads)-1 {
				times = processor.Times{Ran: tt.ran, Ended: tt.ended}
			}
			got = s.look(now, times, load)
		}
		if got != tt.want {
			t.Errorf("%s: waited %v, want %v", name, got, tt.want)
		}
	}
}
