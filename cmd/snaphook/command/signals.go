package command

import (
	"context"
	"os"
	"os/signal"
	"sync"
	"syscall"
	"time"
)

// untilSignal returns a context that ends with the first signal that asks the program to end. The
// second signal ends the program at once, in case the program is blocked without watching a
// context. The program's hooks end with the program; see [run.Command].
func untilSignal(parent context.Context) (ctx context.Context, stop func()) {
	ctx, cancel := context.WithCancel(parent)
	heard, done := make(chan os.Signal, 2), make(chan struct{})
	for _, s := range endings() {
		signal.Notify(heard, s)
	}
	go func() {
		for first := true; ; first = false {
			select {
			case s := <-heard:
				if !first {
					die(s)
				}
				cancel()
			case <-done:
				return
			}
		}
	}()
	return ctx, sync.OnceFunc(func() {
		signal.Stop(heard)
		close(done)
		cancel()
	})
}

// endings returns the signals that end a fire. A signal that the parent process made this process ignore stays ignored,
// as under nohup and in background jobs of scripts.
func endings() (signals []os.Signal) {
	for _, s := range []os.Signal{os.Interrupt, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGQUIT} {
		if !signal.Ignored(s) {
			signals = append(signals, s)
		}
	}
	return signals
}

// die ends the program by the signal, as if the signal had no handler: a parent process can see the cause. For SIGQUIT,
// which would print all goroutines, it exits with the status 128 + 3.
func die(s os.Signal) {
	if self, err := os.FindProcess(os.Getpid()); err == nil && s != syscall.SIGQUIT {
		signal.Reset(s)
		if self.Signal(s) == nil {
			time.Sleep(time.Second) // the signal may arrive late, or never if it is blocked
		}
	}
	number, _ := s.(syscall.Signal)
	os.Exit(128 + int(number))
}
