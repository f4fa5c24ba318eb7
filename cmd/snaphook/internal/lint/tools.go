package lint

import (
	"context"
	"slices"
	"strings"

	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/internal/bounded"
	"github.com/snaphook-go/snaphook/settings"
)

// Tools holds names of tools by dialect; the key "" holds names for all dialects.
type Tools map[string][]string

// of returns the names for a dialect.
func (t Tools) of(dialect string) []string { return append(slices.Clone(t[""]), t[dialect]...) }

// servers reports whether a pattern begins with the name of an MCP server of which a tool is known.
func (t Tools) servers(dialect, pattern string) bool {
	server, _, ok := strings.Cut(strings.TrimPrefix(strings.TrimPrefix(pattern, "^"), "mcp__"), "__")
	return ok && isName(server) && slices.ContainsFunc(t.of(dialect), func(tool string) bool {
		return strings.HasPrefix(tool, "mcp__"+server+"__")
	})
}

// maxTools limits the size of a file with names.
const maxTools = 1 << 20

// ReadTools reads the names of tools from a file. The file has one name on each line, with # comments, or is
// JSON: an array of names or of objects with "name", as in the answer of MCP's tools/list, or an object
// with such an array as "tools" (for every dialect) or by the name of a dialect. The error about a mistake in
// the text is a [settings.Problem] with the position.
func ReadTools(ctx context.Context, file string) (Tools, error) {
	text, err := bounded.ReadFile(ctx, file, maxTools)
	if err != nil {
		return nil, err
	}
	if trimmed := strings.TrimLeft(string(text), " \t\r\n\uFEFF"); trimmed == "" || !strings.ContainsAny(trimmed[:1], "[{\"/") {
		return toolLines(file, string(text))
	}
	root, err := settings.Parse(file, text)
	if err != nil {
		return nil, err
	}
	t := Tools{}
	switch root.Kind() {
	case '[':
		err = t.array("", root)
	case '{':
		for name, member := range root.Members() {
			if name == "tools" {
				name = ""
			}
			if _, known := tools[name]; name != "" && !known {
				return nil, member.Name().Wrong("there is no dialect %q with tools; write \"tools\", \"claude\" or \"llxprt\"", name)
			}
			if err = t.array(name, member); err != nil {
				return nil, err
			}
		}
	default:
		err = root.Want(`an array of names: ["deploy", "mcp__memory__read"]`)
	}
	if err == nil && len(t) == 0 {
		err = root.Wrong(`no tool is named; write an array of names: ["deploy", "mcp__memory__read"]`)
	}
	if err != nil {
		return nil, err
	}
	return t, nil
}

func (t Tools) array(dialect string, v settings.Value) error {
	if v.Kind() != '[' {
		return v.Want(`an array of names: ["deploy", "mcp__memory__read"]`)
	}
	for _, element := range v.Elements() {
		named := element
		if element.Kind() == '{' {
			named = element.Get("name")
		}
		name, ok := named.Text()
		if !ok {
			return element.Want(`the name of a tool, or an object with "name"`)
		}
		if name = strings.TrimSpace(name); name == "" || strings.ContainsAny(name, " \t\n") {
			return named.Wrong("%q is not a name of a tool; write one such as \"deploy\"", name)
		}
		t[dialect] = append(t[dialect], name)
	}
	return nil
}

func toolLines(file, text string) (Tools, error) {
	t, line := Tools{}, 0
	for text := range strings.Lines(text) {
		line++
		name, _, _ := strings.Cut(text, "#")
		if name = strings.TrimSpace(name); name == "" {
			continue
		}
		if !isName(strings.ReplaceAll(strings.ReplaceAll(name, ":", ""), "/", "")) {
			return nil, settings.Problem{
				Position: hook.Position{File: file, Line: line, Column: 1 + strings.Index(text, name)},
				Message:  "this is not a name of a tool; write one name a line, or a JSON array of names",
			}
		}
		t[""] = append(t[""], name)
	}
	if len(t) == 0 {
		return nil, settings.Problem{
			Position: hook.Position{File: file, Line: 1, Column: 1},
			Message:  "no tool is named; write one name a line, or a JSON array of names",
		}
	}
	return t, nil
}
