package text

import (
	"errors"
	"io/fs"
	"strings"

	"github.com/snaphook-go/snaphook/warm/internal/shell"
)

// names returns the arguments after the options. At least one option is required, and each has to be in options.
func names(args []string, options string) ([]string, error) {
	found := false
	for len(args) > 0 && strings.HasPrefix(args[0], "-") {
		option := args[0]
		args = args[1:]
		if option == "--" {
			break
		}
		if !strings.Contains(" "+options+" ", " "+option+" ") {
			return nil, errArguments
		}
		found = true
	}
	for _, name := range args {
		if name == "" || name[0] == '-' {
			return nil, errArguments
		}
	}
	if !found || len(args) == 0 {
		return nil, errArguments
	}
	return args, nil
}

// mkdir creates folders and their missing parents.
func mkdir(args []string) (run, error) {
	args, err := names(args, "-p --parents")
	return func(p *shell.Process) int {
		for _, name := range args {
			p.MakeFolders(name)
		}
		return 0
	}, err
}

// rm removes no file: it runs only for missing files, for which rm -f has no effect.
func rm(args []string) (run, error) {
	args, err := names(args, "-f -rf -fr")
	return func(p *shell.Process) int {
		for _, name := range args {
			if base := name[strings.LastIndexByte(name, '/')+1:]; base == "" || base == "." || base == ".." {
				p.GiveUp("rm: this name")
			}
			if _, err := p.Is(name); !errors.Is(err, fs.ErrNotExist) {
				p.GiveUp("rm: a file that is there")
			}
		}
		return 0
	}, err
}

// touch makes files that do not exist. For existing files, whose time would change, it uses the installed program.
func touch(args []string) (run, error) {
	args, err := operands(args, 16)
	return func(p *shell.Process) int {
		for _, name := range args {
			if _, err := p.Is(name); !errors.Is(err, fs.ErrNotExist) {
				p.GiveUp("touch: a file that is there")
			}
			p.Create(name, false)
		}
		return 0
	}, err
}

// tee writes standard input to standard output, and to files.
func tee(args []string) (run, error) {
	more := len(args) > 0 && args[0] == "-a"
	if more {
		args = args[1:]
	}
	args, err := operands(args, 4)
	return func(p *shell.Process) int {
		text := p.Stdin()
		for _, name := range args {
			if name == "-" {
				p.GiveUp("tee: a file of this name")
			}
			p.Create(name, more)(text)
		}
		p.Print(text)
		return 0
	}, err
}
