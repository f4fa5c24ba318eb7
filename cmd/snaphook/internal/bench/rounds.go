package bench

import (
	"context"
	"fmt"
	"os/exec"
	"strings"
	"time"

	"github.com/samber/lo"

	"github.com/snaphook-go/snaphook/pipeline"
)

// rounds measures every probe N times.
func (m *measurement) rounds(ctx context.Context) error {
	for round := range m.N {
		for i := range m.probes {
			p := m.probes[(i+round)%len(m.probes)]
			took, err := m.fire(ctx, p)
			if err != nil {
				return err
			}
			m.samples[p.name] = append(m.samples[p.name], rounded(took))
		}
		if took, ok := startOfNothing(ctx); ok {
			m.samples[machine] = append(m.samples[machine], rounded(took))
		}
		if m.Between != nil {
			m.Between()
		}
	}
	return nil
}

// failure returns one line that says why a hook failed.
func failure(h *pipeline.HookRun) string {
	if h.ExitCode == nil || *h.ExitCode == 0 {
		return lo.FromPtr(h.Error)
	}
	text, _, _ := strings.Cut(strings.TrimSpace(lo.FromPtr(h.Stderr)), "\n")
	return strings.TrimSuffix(fmt.Sprintf("exit status %d: %s", *h.ExitCode, text), ": ")
}

// startOfNothing measures the machine: the milliseconds of a program that does nothing, which no
// change of a hook affects. Windows has no such program.
func startOfNothing(ctx context.Context) (ms float64, ok bool) {
	start := time.Now()
	err := exec.CommandContext(ctx, "true").Run()
	return milliseconds(time.Since(start)), err == nil
}

// fire fires once in a new session, and returns the time in milliseconds of the whole fire or of the probe's hook.
func (m *measurement) fire(ctx context.Context, p *probe) (ms float64, err error) {
	s, err := m.Session(ctx, p.sys)
	if err != nil {
		return 0, err
	}
	defer s.Close(ctx)
	start := time.Now()
	res, err := m.Event.FireJSON(ctx, s, m.Input)
	took := milliseconds(time.Since(start))
	if err != nil {
		return 0, err
	}
	if p.whole {
		return took, nil
	}
	if len(res.Hooks) != 1 {
		return 0, fmt.Errorf("%s: %d hooks ran; want only this one", p.name, len(res.Hooks))
	}
	if h := &res.Hooks[0]; p.name == h.ID+cold && (h.Outcome == pipeline.NonBlockingError || h.Error != nil) {
		m.failed[h.ID] = failure(h)
	}
	if p.bare && took >= res.Hooks[0].DurationMS {
		m.engine = append(m.engine, 1000*(took-res.Hooks[0].DurationMS))
	}
	return res.Hooks[0].DurationMS, nil
}
