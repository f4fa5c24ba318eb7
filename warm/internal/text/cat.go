// Package text runs text filters and other small programs of GNU coreutils, and GNU sed, in this process. It leaves
// options and inputs that it does not know exactly to the installed programs.
package text

import (
	"crypto/md5"
	"crypto/sha1"
	"crypto/sha256"
	"errors"

	"github.com/snaphook-go/snaphook/warm/internal/shell"
	"github.com/snaphook-go/snaphook/warm/internal/version"
)

// program is a program of coreutils: its arguments are parsed into a function that runs it.
type program struct {
	name  string
	parse func(args []string) (run, error)
}

// run reads standard input, writes, and returns the status.
type run func(p *shell.Process) int

// Programs returns the programs by their names.
func Programs() map[string]shell.Program {
	all := map[string]shell.Program{}
	for name, parse := range parsers {
		all[name] = program{name, parse}
	}
	return all
}

var parsers = map[string]func(args []string) (run, error){
	"cat": cat, "head": head, "tail": tail, "wc": wc, "cut": cut, "tr": tr, "basename": basename, "dirname": dirname,
	"mkdir": mkdir, "rm": rm, "touch": touch, "tee": tee, "date": date, "uname": uname, "sed": sed, "sort": sort, "uniq": uniq,
	"readlink": readlink, "realpath": realpath, "md5sum": sum(md5.New), "sha1sum": sum(sha1.New), "sha256sum": sum(sha256.New),
}

// Known reports whether a file is the program of GNU coreutils, or GNU sed.
func (c program) Known(file string) bool {
	if c.name == "sed" {
		return version.Starts(file, "sed (GNU sed) 4.", "/bin/sed (GNU sed) 4.", "/usr/bin/sed (GNU sed) 4.")
	}
	return version.Starts(file, c.name+" (GNU coreutils) 8.", c.name+" (GNU coreutils) 9.")
}

// Check reads the arguments if all arguments are known before a run.
func (c program) Check(args []*string) error {
	known := make([]string, 0, len(args))
	for _, arg := range args {
		if arg == nil {
			return nil
		}
		known = append(known, *arg)
	}
	_, err := c.parse(known)
	return err
}

// Run runs the program.
func (c program) Run(p *shell.Process) int {
	p.Spend(costOfCall)
	if c.name == "sed" {
		for _, arg := range p.Args {
			p.Spend(costOfByte * len(arg))
		}
	}
	run, err := c.parse(p.Args)
	if err != nil {
		p.GiveUp("%s: %v", c.name, err)
	}
	return run(p)
}

// The constants are the work of one call, and of compiling one byte of a script of sed, in bytes.
const (
	costOfCall = 1024
	costOfByte = 32
)

var errArguments = errors.New("these arguments")

// cat copies standard input, or files.
func cat(args []string) (run, error) {
	if len(args) > 0 && args[0] == "--" {
		args = args[1:]
	}
	for _, arg := range args {
		if len(arg) > 1 && arg[0] == '-' {
			return nil, errArguments
		}
	}
	return func(p *shell.Process) int {
		if len(args) == 0 {
			p.Print(p.Stdin())
			return 0
		}
		for _, name := range args {
			if name == "-" {
				p.Print(p.Stdin())
			} else {
				p.Print(p.Open(name))
			}
		}
		return 0
	}, nil
}
