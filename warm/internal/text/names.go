package text

import (
	"strings"

	"github.com/snaphook-go/snaphook/internal/shell"
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
