// Package inprocess declares the interface between package run and a shell that runs scripts in this process. Module
// warm implements the shell: a host that does not require the module does not download it. The package is internal
// because the interface changes with the shell, and both are released together.
package inprocess

// Shell compiles scripts whose syntax it supports. It may be used from many goroutines at once.
type Shell interface {
	// Compile reads a script for bash. The error names the part that needs bash; the Script is then nil.
	Compile(text string) (Script, error)

	// CompileDash reads a script for dash. The error names the part that needs dash; the Script is then nil.
	CompileDash(text string) (Script, error)

	// Concerns reports whether an environment variable may change the behaviour of a shell itself. No script runs in
	// this process with such a variable.
	Concerns(variable string) bool
}

// Script is a compiled script. It may be used from many goroutines at once.
type Script interface {
	// Run runs one call. ok is false if only the installed shell can run the call; why then names the reason, and the
	// script has had no effect.
	Run(call *Call) (result Result, why string, ok bool)

	// UsesPWD reports whether the script uses Call.PWD.
	UsesPWD() bool
}

// Call is one run of a script.
type Call struct {
	Stdin  []byte
	Env    map[string]string // not changed
	Params []string          // $1, $2, …
	Dir    string            // the directory for relative paths
	PWD    string
	Name   string // $0; "": a script that uses it is left to bash
	File   string // the file of the script as bash was given it; "": the script is an argument
	Alone  bool   // there is no bash: everything unknown is refused, and programs are not compared with installed ones
}

// Result has the exit status of a script, and its whole output.
type Result struct {
	Exit           int
	Stdout, Stderr []byte
}
