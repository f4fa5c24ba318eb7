package testkit

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/snaphook-go/snaphook/hook"
)

// Left holds everything that a call of a hook leaves: the reply, and the modes and texts of the files in its directory.
type Left struct {
	Exit           int
	Signal         string
	Stdout, Stderr string
	Truncated      hook.Streams
	Err            string
	Files          map[string]string
}

// address matches an address in memory.
var address = regexp.MustCompile(`0x[0-9a-f]+`)

// Leaves runs a hook, and returns its output, exit status and files for comparisons. It leaves out addresses in
// standard error, compiled files of Python, and a file late-file, which a process in the background may write.
func Leaves(r hook.Runner, call hook.Call) Left {
	reply, err := r.Run(context.Background(), call)
	l := Left{
		Exit: reply.Exit, Stdout: string(reply.Stdout), Stderr: address.ReplaceAllString(string(reply.Stderr), "0x…"),
		Truncated: reply.Truncated, Files: map[string]string{},
	}
	if reply.Signal != nil {
		l.Signal = reply.Signal.String()
	}
	if err != nil {
		l.Err = err.Error()
	}
	_ = filepath.WalkDir(call.Dir, func(path string, entry fs.DirEntry, err error) error {
		name, _ := filepath.Rel(call.Dir, path)
		if err != nil || entry.IsDir() || strings.Contains(name, "__pycache__") || name == "late-file" {
			return nil
		}
		text, _ := os.ReadFile(path)
		info, _ := entry.Info()
		l.Files[name] = fmt.Sprint(info.Mode(), " ", string(text))
		return nil
	})
	return l
}
