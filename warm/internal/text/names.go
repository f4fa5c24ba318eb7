package text

import (
	"path/filepath"
	"runtime"
	"strings"

	"github.com/snaphook-go/snaphook/warm/internal/shell"
)

// operands returns the arguments if none of them is an option, and there are between 1 and most.
func operands(args []string, most int) ([]string, error) {
	if len(args) > 0 && args[0] == "--" {
		args = args[1:]
	} else {
		for _, arg := range args {
			if strings.HasPrefix(arg, "-") {
				return nil, errArguments
			}
		}
	}
	if len(args) == 0 || len(args) > most {
		return nil, errArguments
	}
	return args, nil
}

// basename prints the last element of a path, without a suffix.
func basename(args []string) (run, error) {
	args, err := operands(args, 2)
	return func(p *shell.Process) int {
		name := args[0]
		if trimmed := strings.TrimRight(name, "/"); trimmed != "" || name == "" {
			name = trimmed[strings.LastIndexByte(trimmed, '/')+1:]
		} else {
			name = "/"
		}
		if len(args) == 2 && name != args[1] && name != "/" {
			name = strings.TrimSuffix(name, args[1])
		}
		p.Print([]byte(name + "\n"))
		return 0
	}, err
}

// dirname prints a path without its last element.
func dirname(args []string) (run, error) {
	args, err := operands(args, 1)
	return func(p *shell.Process) int {
		name := strings.TrimRight(args[0], "/")
		at := strings.LastIndexByte(name, '/')
		switch {
		case name == "" && args[0] != "":
			name = "/"
		case at < 0:
			name = "."
		default:
			if name = strings.TrimRight(name[:at], "/"); name == "" {
				name = "/"
			}
		}
		p.Print([]byte(name + "\n"))
		return 0
	}, err
}

// readlink prints the path of a file with all links resolved; the option -f is required.
func readlink(args []string) (run, error) {
	if len(args) < 2 || args[0] != "-f" {
		return nil, errArguments
	}
	return realpath(args[1:])
}

// realpath prints the path of an existing file, without links.
func realpath(args []string) (run, error) {
	args, err := operands(args, 1)
	return func(p *shell.Process) int {
		if args[0] == "" {
			p.GiveUp("a file without a name")
		}
		name := args[0]
		if !filepath.IsAbs(name) {
			name = p.Dir() + "/" + name
		}
		if _, err := p.Is(name); err != nil {
			p.GiveUp("a file that is not there")
		}
		path, err := filepath.EvalSymlinks(name)
		if err != nil || !filepath.IsAbs(path) {
			p.GiveUp("a path that cannot be followed")
		}
		p.Print([]byte(path + "\n"))
		return 0
	}, err
}

// uname prints the name of the system.
func uname(args []string) (run, error) {
	if runtime.GOOS != "linux" || len(args) > 1 || len(args) == 1 && args[0] != "-s" {
		return nil, errArguments
	}
	return func(p *shell.Process) int {
		p.Print([]byte("Linux\n"))
		return 0
	}, nil
}
