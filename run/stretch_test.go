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
	ran := func(d time.Duration) processor.Times { return processor.Times{Ran: d} }
	type look struct {
		load  float64
		times processor.Times
	}
	for name, tt := range map[string]struct {
		looks []look // 40 ms apart
		want  time.Duration
	}{
		"four threads on each processor":     {[]look{{4, ran(10 * ms)}, {4, ran(20 * ms)}}, 60 * ms},
		"a tenth of its share":               {[]look{{4, ran(ms)}, {4, ran(2 * ms)}}, 60 * ms},
		"less than a tenth of its share":     {[]look{{4, ran(ms / 2)}, {4, ran(ms)}}, 0},
		"for half of its time":               {[]look{{1, ran(20 * ms)}, {4, ran(30 * ms)}}, 30 * ms},
		"free processors at first":           {[]look{{0.5, ran(20 * ms)}, {4, ran(30 * ms)}}, 30 * ms},
		"free processors":                    {[]look{{0.5, ran(10 * ms)}, {1, ran(20 * ms)}}, 0},
		"nobody knows how many threads wait": {[]look{{0, ran(10 * ms)}, {0, ran(20 * ms)}}, 0},
		"it computed, and sleeps":            {[]look{{4, ran(20 * ms)}, {4, ran(20 * ms)}, {4, ran(20 * ms)}}, 30 * ms},
		"a child computed, and it sleeps":    {[]look{{4, processor.Times{Ran: ms, Ended: 10 * ms}}, {4, processor.Times{Ran: ms, Ended: 10 * ms}}}, 30 * ms},
		"it slept, and a child computes":     {[]look{{4, ran(ms / 2)}, {4, processor.Times{Ran: ms / 2, Ended: 10 * ms}}}, 30 * ms},
		"a child has ended within a tick":    {[]look{{4, ran(9 * ms)}, {4, ran(5 * ms)}}, 60 * ms},
		"it is ready":                        {[]look{{4, processor.Times{Ready: true}}, {4, processor.Times{Ready: true}}}, 60 * ms},
		"the kernel tells less":              {[]look{{4, ran(10 * ms)}, {4, processor.Times{Ran: 20 * ms, Waited: 20 * ms}}}, 60 * ms},
		"the kernel tells more":              {[]look{{1.25, ran(10 * ms)}, {1.25, processor.Times{Ran: 20 * ms, Waited: 20 * ms}}}, 20 * ms},
	} {
		s, now := newStretch(time.Second, 0), time.Now()
		s.start(now, time.Second)
		var got time.Duration
		for _, l := range tt.looks {
			now = now.Add(40 * ms)
			got = s.look(now, l.times, l.load)
		}
		if got != tt.want {
			t.Errorf("%s: waited %v, want %v", name, got, tt.want)
		}
	}
}
