package pipeline

import (
	"context"
	"log/slog"
	"regexp"
	"strings"
)

// debugName is what the engine's log is called in the variable DEBUG.
const debugName = "llxprt:core:hooks:engine"

// WantsDebug reports whether the value of the environment variable DEBUG asks for
// the engine's log on level Debug: "llxprt:core:hooks:*", "llxprt:*" or "*". It is
// read as the npm package debug reads it: names are separated by commas or white
// space, "*" is any text, and a name that begins with "-" excludes.
func WantsDebug(value string) bool {
	wants := false
	separates := func(r rune) bool { return strings.ContainsRune(", \t\n", r) }
	for name := range strings.FieldsFuncSeq(value, separates) {
		name, excluded := strings.CutPrefix(name, "-")
		if !names(name, debugName) {
			continue
		}
		if excluded {
			return false
		}
		wants = true
	}
	return wants
}

// names reports whether a name with "*" stands for another.
func names(name, other string) bool {
	parts := strings.Split(name, "*")
	for i, part := range parts {
		parts[i] = regexp.QuoteMeta(part)
	}
	matched, err := regexp.MatchString("^"+strings.Join(parts, ".*")+"$", other)
	return err == nil && matched
}

// loud lets records of level Debug pass that its handler would not ask for.
type loud struct{ slog.Handler }

func (l loud) Enabled(context.Context, slog.Level) bool { return true }

func (l loud) WithAttrs(attrs []slog.Attr) slog.Handler { return loud{l.Handler.WithAttrs(attrs)} }

func (l loud) WithGroup(name string) slog.Handler { return loud{l.Handler.WithGroup(name)} }
