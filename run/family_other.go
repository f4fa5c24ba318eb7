//go:build !windows

package run

import "os"

// family is a stub: only Windows needs a job object; elsewhere processes have groups.
type family struct{}

func (*family) adopt(*os.Process) {}

func (*family) end(p *os.Process) { _ = p.Kill() }

func (*family) leave() {}
