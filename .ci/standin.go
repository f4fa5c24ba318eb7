//go:build ignore

// Standin replaces the shells of Windows on a machine without them, so that the tests of hooks can run under Wine. It
// is installed as bash.exe in place of Git's bash, and as powershell.exe in place of PowerShell. Both programs
// interpret the script as POSIX shell text: the tests' scripts are POSIX. The tests check argv, environment, standard
// input, paths and exit status. Standin has a few programs of its own: cat, touch, sleep, rm, mkdir, ls and env.
//
//	bash.exe -c SCRIPT [NAME ARGUMENT…]
//	powershell.exe -NoProfile … -Command SCRIPT
//
// Standin reads paths in the form of Git's bash, /c/dir/file, and in the form of Windows.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"mvdan.cc/sh/v3/expand"
	"mvdan.cc/sh/v3/interp"
	"mvdan.cc/sh/v3/syntax"
)

// trailer is the beginning of the lines that snaphook adds to each script for PowerShell to set the exit status.
const trailer = "\n$snaphookOK = $?"

// posix is the first argument with which a stand-in starts itself in place of sh or bash.
const posix = "--sh"

func main() {
	name := strings.ToLower(filepath.Base(os.Args[0]))
	script, args, err := command(strings.TrimSuffix(name, ".exe"), os.Args[1:])
	if err == nil {
		err = run(script, args)
	}
	var status interp.ExitStatus
	switch {
	case errors.As(err, &status):
		os.Exit(int(status))
	case err != nil:
		fmt.Fprintf(os.Stderr, "%s: %v\n", name, err)
		os.Exit(127)
	}
}

// command returns the script of a command line, and its arguments from $0 on.
func command(shell string, argv []string) (script string, args []string, err error) {
	if len(argv) > 0 && argv[0] == posix {
		shell, argv = "sh", argv[1:]
	}
	if shell != "bash" && shell != "sh" {
		i := slices.Index(argv, "-Command")
		if !slices.Contains(argv, "-NoProfile") || i < 0 || i+2 != len(argv) {
			return "", nil, fmt.Errorf("%q is not -NoProfile … -Command SCRIPT", argv)
		}
		script, _, _ = strings.Cut(strings.ReplaceAll(argv[i+1], "${env:", "${"), trailer)
		return script, nil, nil
	}
	switch {
	case len(argv) > 1 && argv[0] == "-c":
		return argv[1], argv[2:], nil
	case len(argv) > 1 && (argv[0] == "--norc" || argv[0] == "--noprofile"):
		return command(shell, argv[1:])
	case len(argv) > 0 && !strings.HasPrefix(argv[0], "-"):
		text, err := os.ReadFile(native(argv[0]))
		return string(text), argv, err
	case len(argv) == 0:
		text, err := io.ReadAll(os.Stdin)
		return string(text), nil, err
	}
	return "", nil, fmt.Errorf("%q is not -c SCRIPT [NAME ARGUMENT…]", argv)
}

func run(script string, args []string) error {
	name := "bash"
	if len(args) > 0 {
		name = args[0]
	}
	file, err := syntax.NewParser(syntax.Variant(syntax.LangBash)).Parse(strings.NewReader(script), name)
	if err != nil {
		return err
	}
	params := []string{"--"}
	if len(args) > 1 {
		params = append(params, args[1:]...)
	}
	shell, err := interp.New(
		interp.StdIO(os.Stdin, os.Stdout, os.Stderr),
		interp.Params(params...),
		interp.Env(expand.ListEnviron(os.Environ()...)),
		interp.OpenHandler(open),
		interp.StatHandler(func(_ context.Context, name string, follow bool) (os.FileInfo, error) {
			if !follow {
				return os.Lstat(native(name))
			}
			return os.Stat(native(name))
		}),
		interp.CallHandler(func(_ context.Context, argv []string) ([]string, error) {
			if len(argv) > 2 && argv[0] == "command" && argv[1] == "-p" {
				argv = argv[2:]
			}
			return argv, nil
		}),
		interp.ExecHandlers(programs),
	)
	if err != nil {
		return err
	}
	return shell.Run(context.Background(), file)
}

// native returns a path in the form of Windows.
func native(path string) string {
	if strings.HasSuffix(filepath.ToSlash(path), "/dev/null") { // the interpreter has put a folder in front
		return "NUL"
	}
	if i := strings.LastIndex(path, ":/"); i > 1 { // the interpreter has put a folder in front: C:\dir\/c/…
		path = path[i-1:]
	}
	if len(path) > 2 && path[0] == '/' && path[2] == '/' {
		return path[1:2] + ":" + path[2:]
	}
	return path
}

func open(ctx context.Context, path string, flag int, perm os.FileMode) (io.ReadWriteCloser, error) {
	if path = native(path); path != "NUL" && !filepath.IsAbs(path) {
		path = filepath.Join(interp.HandlerCtx(ctx).Dir, path)
	}
	if path == "NUL" {
		flag &^= os.O_CREATE | os.O_TRUNC // Wine cannot create or truncate a device
	}
	return os.OpenFile(path, flag, perm)
}

// programs runs the stand-in's own programs, and others from PATH.
func programs(next interp.ExecHandlerFunc) interp.ExecHandlerFunc {
	return func(ctx context.Context, argv []string) error {
		name := strings.TrimSuffix(filepath.Base(argv[0]), ".exe")
		program := own[name]
		if program == nil {
			argv = started(interp.HandlerCtx(ctx), name, argv)
			return next(ctx, argv)
		}
		hc := interp.HandlerCtx(ctx)
		if err := program(hc, argv[1:]); err != nil {
			fmt.Fprintf(hc.Stderr, "%s: %v\n", argv[0], err)
			return interp.ExitStatus(1)
		}
		return nil
	}
}

// started returns the command line for a program that Windows starts. For sh, bash and scripts the program is the
// stand-in.
func started(hc interp.HandlerContext, name string, argv []string) []string {
	self, err := os.Executable()
	if err != nil {
		return argv
	}
	if name == "bash" || name == "sh" {
		return append([]string{self, posix}, argv[1:]...)
	}
	path := native(argv[0])
	if !filepath.IsAbs(path) && strings.ContainsAny(path, `/\`) {
		path = filepath.Join(hc.Dir, path)
	}
	if text, err := os.ReadFile(path); err == nil && strings.HasPrefix(string(text), "#!") {
		return append([]string{self, posix}, argv...)
	}
	return append([]string{path}, argv[1:]...)
}

var own = map[string]func(hc interp.HandlerContext, args []string) error{
	"cat": cat, "touch": touch, "sleep": sleep, "rm": remove, "mkdir": mkdir, "ls": list, "env": env,
}

// files returns the arguments that are not options, as paths.
func files(hc interp.HandlerContext, args []string) (paths []string) {
	for _, arg := range args {
		if strings.HasPrefix(arg, "-") && arg != "-" {
			continue
		}
		if arg = native(arg); arg != "-" && !filepath.IsAbs(arg) {
			arg = filepath.Join(hc.Dir, arg)
		}
		paths = append(paths, arg)
	}
	return paths
}

func cat(hc interp.HandlerContext, args []string) error {
	paths := files(hc, args)
	if len(paths) == 0 {
		paths = []string{"-"}
	}
	for _, path := range paths {
		in := hc.Stdin
		if path != "-" {
			f, err := os.Open(path)
			if err != nil {
				return err
			}
			defer f.Close()
			in = f
		}
		if in == nil {
			continue
		}
		if _, err := io.Copy(hc.Stdout, in); err != nil {
			return err
		}
	}
	return nil
}

func touch(hc interp.HandlerContext, args []string) error {
	for _, path := range files(hc, args) {
		f, err := os.OpenFile(path, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o666)
		if err != nil {
			return err
		}
		f.Close()
		if err := os.Chtimes(path, time.Now(), time.Now()); err != nil {
			return err
		}
	}
	return nil
}

func sleep(_ interp.HandlerContext, args []string) error {
	for _, arg := range args {
		seconds, err := strconv.ParseFloat(strings.TrimSuffix(arg, "s"), 64)
		if err != nil {
			return err
		}
		time.Sleep(time.Duration(seconds * float64(time.Second)))
	}
	return nil
}

func remove(hc interp.HandlerContext, args []string) error {
	for _, path := range files(hc, args) {
		if err := os.RemoveAll(path); err != nil {
			return err
		}
	}
	return nil
}

func mkdir(hc interp.HandlerContext, args []string) error {
	for _, path := range files(hc, args) {
		if err := os.MkdirAll(path, 0o777); err != nil {
			return err
		}
	}
	return nil
}

func list(hc interp.HandlerContext, args []string) error {
	paths := files(hc, args)
	if len(paths) == 0 {
		paths = []string{hc.Dir}
	}
	for _, path := range paths {
		entries, err := os.ReadDir(path)
		if err != nil {
			return err
		}
		for _, e := range entries {
			fmt.Fprintln(hc.Stdout, e.Name())
		}
	}
	return nil
}

func env(hc interp.HandlerContext, args []string) error {
	end := "\n"
	switch {
	case len(args) == 1 && args[0] == "-0":
		end = "\x00"
	case len(args) > 0:
		return fmt.Errorf("%q: the stand-in has env and env -0 alone", args)
	}
	for name, v := range hc.Env.Each {
		if v.Exported && v.IsSet() {
			fmt.Fprint(hc.Stdout, name, "=", v.String(), end)
		}
	}
	return nil
}
