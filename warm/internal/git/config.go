package git

import (
	"errors"
	"slices"
	"strings"
)

var (
	errSyntax  = errors.New("a line that is not read here")
	errSetting = errors.New("a setting that may change the result")
)

// sections lists the sections of settings that have no effect on the queries of this package, and core, whose settings
// are checked one by one.
var sections = []string{
	"core", "user", "remote", "branch", "alias", "init", "push", "pull", "fetch", "merge", "rebase", "diff", "commit", "credential",
	"http", "https", "url", "gc", "filter", "lfs", "log", "status", "submodule", "tag", "advice", "difftool", "mergetool", "rerere",
	"gpg", "format", "stash", "delta", "interactive", "github", "gui", "receive", "transfer", "maintenance", "pack", "index",
	"protocol", "blame", "apply", "author", "committer", "sequence", "web", "help", "man", "safe",
}

// plain returns an error unless every line of a settings file is understood, and no line changes the queries.
func plain(text string) error {
	section := ""
	for line := range strings.SplitSeq(text, "\n") {
		line = strings.Trim(line, " \t")
		switch {
		case line == "" || line[0] == '#' || line[0] == ';':
		case line[0] == '[':
			name, ok := heading(line)
			if !ok {
				return errSyntax
			}
			if section = name; !slices.Contains(sections, section) {
				return errSetting
			}
		default:
			if err := setting(section, line); err != nil {
				return err
			}
		}
	}
	return nil
}

// heading reads [section] and [section "name"].
func heading(line string) (section string, ok bool) {
	line, closed := strings.CutSuffix(line[1:], "]")
	section, name, named := strings.Cut(line, " ")
	section = strings.ToLower(section)
	if !closed || section == "" || strings.Trim(section, "abcdefghijklmnopqrstuvwxyz") != "" {
		return "", false
	}
	if named {
		inner, first := strings.CutPrefix(name, `"`)
		inner, last := strings.CutSuffix(inner, `"`)
		return section, first && last && !strings.ContainsAny(inner, `"\]`)
	}
	return section, true
}

// setting reads name = value.
func setting(section, line string) error {
	name, value, ok := strings.Cut(line, "=")
	name, value = strings.ToLower(strings.TrimRight(name, " \t")), strings.TrimLeft(value, " \t")
	if !ok || section == "" || name == "" || name[0] < 'a' || name[0] > 'z' ||
		strings.Trim(name, "abcdefghijklmnopqrstuvwxyz0123456789-") != "" || !closed(value) {
		return errSyntax
	}
	if section == "core" && !slices.Contains(coreSettings[name], value) && coreSettings[name] != nil ||
		section == "core" && coreSettings[name] == nil && !slices.Contains(otherCore, name) {
		return errSetting
	}
	return nil
}

// coreSettings has the values of core settings that do not change the queries; otherCore has settings of which no value
// changes the queries.
var (
	coreSettings = map[string][]string{
		"repositoryformatversion": {"0"}, "bare": {"false"}, "filemode": {"true", "false"}, "logallrefupdates": {"true"},
		"ignorecase": {"true", "false"}, "precomposeunicode": {"true", "false"}, "symlinks": {"true", "false"},
		"autocrlf": {"true", "false", "input"}, "quotepath": {"true", "false"}, "safecrlf": {"true", "false", "warn"},
	}
	otherCore = []string{"editor", "pager", "excludesfile", "hookspath", "attributesfile", "eol", "whitespace", "commentchar"}
)

// closed reports whether a value has all its quotes, and only known escapes.
func closed(value string) bool {
	quoted := false
	for i := 0; i < len(value); i++ {
		switch value[i] {
		case '"':
			quoted = !quoted
		case '\\':
			if i++; i == len(value) || strings.IndexByte(`"\nt`, value[i]) < 0 {
				return false
			}
		case '#', ';':
			if !quoted {
				return true
			}
		}
	}
	return !quoted
}
