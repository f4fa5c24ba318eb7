package jsrun

import (
	_ "embed"
	"errors"
	"fmt"
	"math"
	"time"

	"modernc.org/quickjs"
)

var (
	//go:embed prelude.js
	preludeJS string
	//go:embed globals.js
	globalsJS string
	//go:embed text.js
	textJS string
	//go:embed url.js
	webURL string
)

// startJS is the first script that a VM runs. It deletes the global hostName, and returns a function that
// takes the result of Options.results.
var startJS = "(() => { \"use strict\"; const host = globalThis." + hostName + "; delete globalThis." + hostName + ";\n" +
	"(" + textJS + ")();\nreturn results => (" + preludeJS + ")(host, (" + globalsJS + ")(host), results); })()"

const hostName = "__host"

// maxFrames limits Options.Stack: the engine's frames are frames of Go as well, whose stack must
// not overflow.
const maxFrames = 20_000

// maxJobs limits the jobs that the engine runs before it returns by itself.
const maxJobs = 1 << 20

var undefined = quickjs.Undefined{}

// errCut means that the engine was interrupted.
var errCut = errors.New("interrupted")

// errEngine means that the engine has failed and can only be closed.
type errEngine struct{ cause any }

func (e *errEngine) Error() string { return fmt.Sprintf("the engine failed: %v", e.cause) }

// jsEngine is a VM and the only access to it. One goroutine at a time uses it, and tells the guard when it enters and
// leaves the engine.
type jsEngine struct {
	vm    *quickjs.VM
	main  quickjs.Value // the function that prelude.js returns
	guard *guard
}

// hostFunc is a Go function that JavaScript calls; see prelude.js.
type hostFunc func(args []any) (any, error)

func newEngine(opt Options, source *bundle, back hostFunc) (*jsEngine, error) {
	vm, err := quickjs.NewVM()
	if err != nil {
		return nil, err
	}
	vm.SetMemoryLimit(uintptr(min(opt.Memory, math.MaxUint/2)))
	vm.SetMaxStackSize(uintptr(min(opt.Stack, maxFrames)))
	vm.SetCanBlock(false)
	vm.SetModuleLoader(source.load, func(_ *quickjs.VM, _, name string) (string, error) { return name, nil })
	e := &jsEngine{vm: vm, guard: &guard{interrupt: vm.Interrupt, patience: maxUninterruptible}}
	if err := e.prelude(back, opt); err != nil {
		return nil, errors.Join(err, e.close())
	}
	return e, nil
}

// prelude defines the globals and the bridge to Go. Once the prelude has the function that calls Go, that function is
// removed from the globals.
func (e *jsEngine) prelude(back hostFunc, opt Options) error {
	if err := e.vm.RegisterHostFunc(hostName, quickjs.HostFunc(back)); err != nil {
		return err
	}
	var err error
	e.main, err = e.vm.EvalValue(startJS+"("+opt.results()+")", quickjs.EvalGlobal)
	return err
}

// enter calls an entry of prelude.js, and does not run the jobs that follow.
func (e *jsEngine) enter(until time.Time, op string, args ...any) error {
	return e.run(until, func() error {
		_, err := e.main.Call(quickjs.UndefinedValue, append([]any{op}, args...)...)
		return err
	})
}

// drain runs the waiting jobs, and the jobs that these start. The error is errCut if they do not end in time, or an
// uncaught exception of a job.
func (e *jsEngine) drain(until time.Time) error {
	for {
		jobs := 0
		err := e.run(until, func() (err error) {
			jobs, err = e.vm.ExecutePendingJobs()
			return err
		})
		if jobs < maxJobs || errors.Is(err, errCut) {
			return err
		}
	}
}

func (e *jsEngine) run(until time.Time, f func() error) (err error) {
	left := time.Until(until)
	if left <= 0 {
		return errCut
	}
	defer func() {
		if cause := recover(); cause != nil {
			err = &errEngine{cause}
		}
	}()
	if err := e.vm.SetEvalTimeout(left); err != nil {
		return err
	}
	err = f()
	if thrown := (*quickjs.Error)(nil); errors.As(err, &thrown) {
		return e.thrown(thrown, until)
	}
	return err
}

// thrown converts err to the error that callers of the module receive.
func (e *jsEngine) thrown(err *quickjs.Error, until time.Time) error {
	switch {
	case isInterruption(err.Name, err.Message) && (e.guard.hasEnded() || !time.Now().Before(until)):
		return errCut
	case err.Error() == "null" || err.Error() == "":
		// The engine throws null when it has no memory left for an error.
		return &Error{Message: "out of memory", Name: internalError}
	case err.Name == "":
		return &Error{Message: err.Error(), NonError: true}
	}
	return &Error{Message: err.Message, Name: err.Name, Stack: err.Stack}
}

// isInterruption reports whether an error is the one that the engine throws when it is interrupted.
// JavaScript could throw the same error.
func isInterruption(name, message string) bool {
	return name == internalError && message == "interrupted"
}

func (e *jsEngine) close() (err error) {
	defer func() {
		if cause := recover(); cause != nil {
			err = &errEngine{cause}
		}
	}()
	e.guard.stop()
	if e.main.VM() != nil {
		e.main.Free()
	}
	return e.vm.Close()
}
