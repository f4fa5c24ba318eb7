package trust

import (
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/snaphook-go/snaphook/run"
)

// within returns the path to which a word refers in a program that runs in dir.
func within(dir, word string) string {
	word = run.NativePath(word)
	switch {
	case filepath.IsAbs(word):
		return filepath.Clean(word)
	case word != "" && os.IsPathSeparator(word[0]): // \x; or /tmp/x of Git's bash, whose place on Windows is unknown
		return filepath.Join(filepath.VolumeName(dir)+word[:1], word)
	}
	return filepath.Join(dir, word)
}

// physical returns the path to which a word with ".." refers if a link stands before: programs take the folder above
// the folder to which the link leads. is reports that the word has such a path.
func (c *fileCollector) physical(dir, word string) (path string, is bool) {
	if !strings.Contains(word, "..") || windows {
		return "", false
	}
	path = word
	if !filepath.IsAbs(word) {
		path = dir + "/" + word
	}
	folder, name := filepath.Split(path)
	if name == ".." {
		folder, name = path, ""
	}
	folder, err := filepath.EvalSymlinks(folder)
	return filepath.Join(folder, name), err == nil
}

// windows means that shell text is for Git's bash.
const windows = runtime.GOOS == "windows"

// shellPath returns a path in the form that shells use: on Windows, in the form that Git's bash uses.
func shellPath(path string) string {
	if windows {
		return run.WindowsPath(path)
	}
	return path
}

// shellPaths converts each path of a list, such as PATH.
func shellPaths(list string) string {
	if !windows {
		return list
	}
	folders := filepath.SplitList(list)
	for i, folder := range folders {
		folders[i] = shellPath(folder)
	}
	return strings.Join(folders, ":")
}

// hasFolder reports whether the name of a program is a path, so that PATH is not searched.
func hasFolder(name string) bool {
	return strings.ContainsRune(name, '/') || windows && strings.ContainsRune(name, '\\')
}

// starts returns the files that a program's path may start: on Windows, a path without an extension may also start the
// files with the extensions of programs.
func starts(path string) []string {
	if windows && filepath.Ext(path) == "" {
		return []string{path, path + ".exe", path + ".com", path + ".cmd", path + ".bat"}
	}
	return []string{path}
}

// isSystems reports whether a file belongs to the system, where a project cannot change it.
func isSystems(path string) bool {
	folders := []string{"/bin/", "/sbin/", "/usr/", "/lib/", "/nix/", "/opt/homebrew/", "/dev/", "/proc/", "/sys/"}
	if windows {
		folders = []string{`c:\windows\`, `c:\program files\`, `c:\program files (x86)\`}
		path = strings.ToLower(path)
	}
	return slices.ContainsFunc(folders, func(dir string) bool { return strings.HasPrefix(path, dir) })
}

func isScript(path string) bool {
	ext := strings.ToLower(filepath.Ext(path))
	return shellEndings[ext] || scripts[ext]
}

// names returns the file names that a word may contain, as in -ffile, --option=file and @file.
func names(text string) []string {
	all := []string{text}
	if _, value, ok := strings.Cut(text, "="); ok {
		all = append(all, value)
	}
	if len(text) > 2 && text[0] == '-' {
		all = append(all, text[2:])
	}
	if rest, ok := strings.CutPrefix(text, "@"); ok {
		all = append(all, rest)
	}
	return all
}
