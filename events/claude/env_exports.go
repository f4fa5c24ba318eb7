package claude

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os/exec"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/samber/lo"

	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/run"
	"github.com/snaphook-go/snaphook/wire"
)

// sourcing is a script that prints the variables, then an empty variable as separator, reads the files, and prints the
// variables again. Output of the files goes to standard error. env is found even if the files change PATH.
const sourcing = `command -p env -0; printf '\0'; for file; do . "$file" >&2; done; command -p env -0`

// sourcingTime limits the time of the shell that reads the files.
const sourcingTime = 10 * time.Second

// theShells lists the variables that a shell sets by itself.
var theShells = []string{"_", "SHLVL", "PWD", "OLDPWD"}

// Exported returns the variables that the files of [pipeline.Session.EnvFiles] add to an environment or change in it.
// bash reads the files in order, or sh if there is no bash. Removed variables are not reported.
//
// Exported is for tools that show the variables of hooks. A host instead makes its shell source the files before each
// command, which also applies functions and options. Exported costs a process, which has ten seconds; a file that exits
// the shell is an error.
func Exported(ctx context.Context, files, environ []string) (map[string]string, error) {
	if len(files) == 0 {
		return nil, nil
	}
	c := &run.Command{
		Argv:       append(sourcingShell(), files...),
		Environ:    func(hook.Call) []string { return quiet(environ) },
		NoTerminal: true,
	}
	reply, err := c.Run(ctx, hook.Call{Timeout: sourcingTime})
	if err != nil {
		return nil, fmt.Errorf("the shell that reads the variables of hooks: %w", err)
	}
	before, after, whole := bytes.Cut(reply.Stdout, []byte("\x00\x00"))
	if reply.Exit != 0 || reply.Signal != nil || !whole || len(after) == 0 {
		return nil, fmt.Errorf(
			"a file with variables of hooks ended the shell: %s",
			lo.CoalesceOrEmpty(plain(reply.Stderr), "it said nothing"),
		)
	}
	if reply.Truncated != 0 {
		return nil, errors.New("the variables of hooks are too long to be read")
	}
	return lo.OmitByKeys(changes(pairs(before), pairs(after)), theShells), nil
}

// changes returns the variables of now that are missing in old, or have another value in old.
func changes(old, now map[string]string) map[string]string {
	return lo.OmitBy(now, func(name, value string) bool {
		before, ok := old[name]
		return ok && before == value
	})
}

func sourcingShell() []string {
	if runtime.GOOS == "windows" && run.HasBash() { // the bash in PATH may be WSL's
		return []string{run.Bash("")[0], "--norc", "--noprofile", "-c", sourcing, "bash"}
	}
	if bash, err := exec.LookPath("bash"); err == nil {
		return []string{bash, "--norc", "--noprofile", "-c", sourcing, "bash"}
	}
	return []string{"/bin/sh", "-c", sourcing, "sh"}
}

// quiet removes from an environment the variables that make shells read other files first.
func quiet(environ []string) []string {
	return slices.DeleteFunc(slices.Clone(environ), func(entry string) bool {
		return strings.HasPrefix(entry, "BASH_ENV=") || strings.HasPrefix(entry, "ENV=")
	})
}

func pairs(text []byte) map[string]string {
	all := map[string]string{}
	for entry := range bytes.SplitSeq(text, []byte{0}) {
		if name, value, ok := strings.Cut(wire.Valid(entry), "="); ok {
			all[name] = value
		}
	}
	return all
}
