package cli

import (
	"os"
	"os/signal"
	"syscall"
)

// KeepStatus makes a write to a closed pipe an ordinary error. Otherwise the program would die of SIGPIPE, and the
// status of a refusal would be lost. It does not ignore the signal, because hooks would inherit an ignored signal.
func KeepStatus() { signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE) }
