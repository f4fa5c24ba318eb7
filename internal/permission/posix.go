package permission

import (
	"path"
	"strings"
)

// posix returns an absolute Windows path in the form that Claude Code compares: C:\Users is /c/Users,
// \\server\share is /server/share. Other paths are returned unchanged.
func posix(p string) string {
	if rest, ok := strings.CutPrefix(p, `\\?\UNC\`); ok {
		p = `\\` + rest
	}
	p = strings.TrimPrefix(p, `\\?\`)
	if hasDrive(p) {
		return "/" + strings.ToLower(p[:1]) + slashes(p[2:])
	}
	if strings.HasPrefix(p, `\\`) {
		return path.Clean(slashes(p[1:]))
	}
	return p
}

// isWindows reports whether p is an absolute path of Windows.
func isWindows(p string) bool { return hasDrive(p) || strings.HasPrefix(p, `\\`) }

// hasDrive reports whether p begins like C:\ or C:/, or is C:.
func hasDrive(p string) bool {
	if len(p) < 2 || p[1] != ':' || (len(p) > 2 && p[2] != '\\' && p[2] != '/') {
		return false
	}
	letter := p[0] | 0x20 // lower case
	return 'a' <= letter && letter <= 'z'
}

func slashes(p string) string { return strings.ReplaceAll(p, `\`, "/") }

// absolute returns p as a clean absolute path: ~ is home, and a relative path counts from dir.
// Below a directory of Windows a backslash is a slash.
func absolute(p, dir, home string) string {
	if isWindows(dir) && !isWindows(p) {
		p = slashes(p)
	}
	p = posix(p)
	switch {
	case p == "~", strings.HasPrefix(p, "~/"):
		p = posix(home) + "/" + p[1:]
	case !strings.HasPrefix(p, "/"):
		p = posix(dir) + "/" + p
	}
	return path.Clean("/" + p)
}
