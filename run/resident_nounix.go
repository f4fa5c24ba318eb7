//go:build !unix

package run

import (
	"errors"
	"os"
)

func (r *Resident) live(started chan<- error, _ string, _ []string, _ *os.ProcAttr) {
	started <- errors.New("workers and warm interpreters need Unix")
}

// Kill does nothing: there is no process.
func (r *Resident) Kill() {}
