package run

import (
	"runtime"
	"strings"
)

// WindowsPath converts a Windows path to the form of Git's bash: C:\Users\foo is /c/Users/foo, and \\server\share is
// //server/share. In other paths it replaces backslashes by slashes.
func WindowsPath(p string) string {
	turned := strings.ReplaceAll(p, `\`, "/")
	if !isWindowsPath(p) || turned[0] == '/' {
		return turned
	}
	return "/" + strings.ToLower(p[:1]) + turned[2:]
}

// NativePath converts, on Windows, a path in the form of Git's bash to a Windows path: /c/Users/foo is C:\Users\foo,
// and //server/share is \\server\share. Other paths, and all paths on other systems, stay unchanged.
func NativePath(p string) string {
	if runtime.GOOS != "windows" {
		return p
	}
	return nativePath(p)
}

func nativePath(p string) string {
	turned := strings.ReplaceAll(p, "/", `\`)
	switch {
	case strings.HasPrefix(p, "//"):
		return turned
	case len(p) >= 2 && p[0] == '/' && isLetter(p[1]) && (len(p) == 2 || p[2] == '/'):
		return strings.ToUpper(p[1:2]) + `:\` + turned[min(3, len(p)):]
	}
	return p
}

// isWindowsPath reports whether a path is absolute, with a drive or a server.
func isWindowsPath(p string) bool {
	return strings.HasPrefix(p, `\\`) ||
		len(p) >= 2 && isLetter(p[0]) && p[1] == ':' && (len(p) == 2 || p[2] == '\\' || p[2] == '/')
}

func isLetter(c byte) bool { return c >= 'A' && c <= 'Z' || c >= 'a' && c <= 'z' }

// PosixScript converts a command that was written for Windows to a command for Git's bash. A path with a drive and a
// backslash, such as C:\hooks\x.py, becomes /c/hooks/x.py, quoted or not. A script that is called as x.sh is run with
// bash, because Windows cannot execute such files.
//
// It does not change text that could mean something else: C:/hooks, which bash accepts too; \\server, which looks like
// escapes; a drive within a word, or followed by another colon, as in s:\n:x:.
func PosixScript(script string) string {
	script = posixPaths(script)
	trimmed := strings.TrimLeft(script, " \t\r\n")
	if strings.HasSuffix(strings.ToLower(strings.Trim(firstWord(trimmed), `"'`)), ".sh") {
		return "bash " + trimmed
	}
	return script
}

// posixPaths converts the paths in a shell script.
func posixPaths(script string) string {
	var out strings.Builder
	quote := byte(0) // the open quote
	for i := 0; i < len(script); {
		c := script[i]
		switch {
		case startsPath(script, i):
			size := pathSize(script[i:], quote)
			out.WriteString(posixPath(script[i : i+size]))
			i += size
			continue
		case c == '\\' && quote != '\'' && i+1 < len(script): // an escape
			out.WriteByte(c)
			i++
		case quote == 0 && (c == '"' || c == '\''):
			quote = c
		case c == quote:
			quote = 0
		}
		out.WriteByte(script[i])
		i++
	}
	return out.String()
}

// startsPath reports whether a drive and a backslash begin at i, at the start of a word or after a character
// that ends a word.
func startsPath(script string, i int) bool {
	if len(script) < i+4 || !isLetter(script[i]) || script[i+1:i+3] != `:\` {
		return false
	}
	return (i == 0 || strings.IndexByte(" \t\r\n\"'=(;|&<>`,{", script[i-1]) >= 0) &&
		!strings.ContainsRune(" \t\r\n\"'", rune(script[i+3]))
}

// pathSize returns the length of the path at the start of s, which ends at the closing quote or at the end of the word.
func pathSize(s string, quote byte) int {
	for i := 2; i < len(s); i++ {
		c := s[i]
		switch {
		case c == '\\' && i+1 < len(s) && (quote == 0 && s[i+1] == ' ' || quote == '"' && s[i+1] == '"'):
			if quote != 0 {
				return i // an escaped quote inside double quotes
			}
			i++ // a blank in the name
		case c == '\n', quote != 0 && c == quote, quote == 0 && strings.IndexByte(" \t\r\"';|&<>()`,", c) >= 0:
			return i
		}
	}
	return len(s)
}

// posixPath converts one path. A doubled backslash counts as one; a backslash before a blank is kept.
func posixPath(path string) string {
	if strings.IndexByte(path[2:], ':') >= 0 {
		return path
	}
	out := []byte(WindowsPath(path[:3]))
	for i := 3; i < len(path); i++ {
		switch {
		case path[i] == '\\' && path[i-1] == '\\':
		case path[i] == '\\' && !strings.HasPrefix(path[i+1:], " "):
			out = append(out, '/')
		default:
			out = append(out, path[i])
		}
	}
	return string(out)
}

// firstWord returns the first word of a script, with its quotes.
func firstWord(script string) string {
	quote := byte(0)
	for i := 0; i < len(script); i++ {
		c := script[i]
		switch {
		case c == '\\' && quote != '\'':
			i++
		case c == quote && quote != 0:
			quote = 0
		case quote == 0 && (c == '"' || c == '\''):
			quote = c
		case quote == 0 && strings.IndexByte(" \t\r\n;|&<>()", c) >= 0:
			return script[:i]
		}
	}
	return script
}
