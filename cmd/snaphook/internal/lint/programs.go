package lint

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/snaphook-go/snaphook/cmd/snaphook/internal/cli"
	"github.com/snaphook-go/snaphook/internal/bounded"
	"github.com/snaphook-go/snaphook/settings"
)

// hasProgram reports whether a program exists, by the rules of a shell.
func hasProgram(l *linter, program, dir string) bool {
	if strings.ContainsRune(program, '/') {
		path, ok := (&shellScope{dir: dir}).path(program)
		return !ok || isThere(path)
	}
	there, known := l.programs[program]
	if !known {
		there = slices.ContainsFunc(filepath.SplitList(l.Path), func(folder string) bool {
			info, err := os.Stat(filepath.Join(folder, program))
			return err == nil && info.Mode().IsRegular() && info.Mode().Perm()&0o111 != 0
		})
		l.programs[program] = there
	}
	return there
}

// isThere reports whether a file exists; it returns true if this cannot be determined.
func isThere(path string) bool {
	_, err := os.Stat(path)
	return !errors.Is(err, fs.ErrNotExist) && !strings.HasSuffix(errorText(err), "not a directory")
}

func errorText(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

// isForeign reports whether a word is a path or program of Windows, or is checked by another rule.
func isForeign(word string) bool {
	if runtime.GOOS == "windows" {
		return true
	}
	if strings.HasPrefix(word, "~/") {
		return true // a quoted "~/" is checked by rule tilde-quoted
	}
	ext := strings.ToLower(filepath.Ext(word))
	return slices.Contains([]string{".exe", ".cmd", ".bat", ".ps1"}, ext) || strings.Contains(word, `\`) ||
		len(word) > 2 && word[1] == ':' && word[2] == '/'
}

// isSystems reports whether a file belongs to the operating system, which lint does not check.
func isSystems(path string) bool {
	return slices.ContainsFunc(
		[]string{"/bin/", "/sbin/", "/usr/", "/lib/", "/nix/", "/opt/homebrew/", "/dev/", "/proc/", "/sys/"},
		func(dir string) bool { return strings.HasPrefix(path, dir) },
	)
}

// builtins lists the words that a shell runs without a program.
var builtins = strings.Fields(`
	. : [ [[ alias bg break builtin cd command continue declare dirs disown echo enable eval exec exit export false fc
	fg getopts hash help history jobs kill let local logout mapfile popd printf pushd pwd read readarray readonly
	return set shift shopt source suspend test times trap true type typeset ulimit umask unalias unset wait ! { } (
	time coproc`)

func isBuiltin(word string) bool { return slices.Contains(builtins, word) }

// desktops lists programs that only one operating system has.
var desktops = strings.Fields(
	"afplay osascript say open pbcopy terminal-notifier notify-send paplay aplay xdg-open dunstify canberra-gtk-play powershell wsl",
)

// nearFile suggests an existing file for the path of a missing one.
func nearFile(path string) string {
	dir, err := bounded.OpenDir(filepath.Dir(path))
	if err != nil {
		return "write the path of a file that is there; relative paths start at the project's directory"
	}
	defer dir.Close()
	names, _ := dir.Readdirnames(1000) // a few are enough
	slices.Sort(names)
	if near := nearName(filepath.Base(path), names); near != "" {
		return "did you mean " + cli.ShortPath(filepath.Join(filepath.Dir(path), near)) + "?"
	}
	return "put the file there, or remove the hook"
}

// nearName returns the name that is most similar to a misspelt one; empty if none is similar.
func nearName(name string, all []string) string {
	if near := settings.Near(name, all); len(near) > 0 {
		return near[0]
	}
	return ""
}
