package llxprtcases

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/dlclark/regexp2/v2"
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// withTokens lists the members of a case in which tokens are expanded.
var withTokens = []string{
	"settings", "extensions", "env", "cwd", "transcriptPath", "input", "target",
	"bus", "steps", "args", "expect", "scripts", "files",
}

// expanded returns c with the tokens expanded for a project directory.
func (c Case) expanded(project string) (Case, error) {
	if c.text == nil {
		return c, errors.New("the case has no text: get it from Load")
	}
	var members map[string]jsontext.Value
	if err := json.Unmarshal(c.text, &members); err != nil {
		return c, err
	}
	for _, name := range withTokens {
		value, given := members[name]
		if !given {
			continue
		}
		var err error
		if members[name], err = expandValue(value, project); err != nil {
			return c, fmt.Errorf("%s: %w", name, err)
		}
	}
	text, err := json.Marshal(members, json.Deterministic(true))
	if err != nil {
		return c, err
	}
	e, err := parse(text)
	if e.Cwd == "@PROJECT@" { // the default
		e.Cwd = project
	}
	e.Theme, e.File, e.text = c.Theme, c.File, c.text
	return e, err
}

// expandValue expands every string of value, the names of members too, and keeps the spelling of
// everything else.
func expandValue(value jsontext.Value, project string) (jsontext.Value, error) {
	in := jsontext.NewDecoder(bytes.NewReader(value))
	var text bytes.Buffer
	out := jsontext.NewEncoder(&text)
	for {
		token, err := in.ReadToken()
		if errors.Is(err, io.EOF) {
			return text.Bytes(), nil
		}
		if err == nil && token.Kind() == '"' {
			var s string
			s, err = expandText(token.String(), project)
			token = jsontext.String(s)
		}
		if err == nil {
			err = out.WriteToken(token)
		}
		if err != nil {
			return nil, err
		}
	}
}

// repeat is the regular expression in FORMAT.md, which package regexp does not support.
var repeat = regexp2.MustCompile(`@REPEAT:((?:(?!@REPEAT:)[\s\S])+?):(\d+)@`, regexp2.ECMAScript)

const longestRepeat = 64 << 20 // bytes

// expandText expands every @REPEAT:text:n@ of s once, from left to right, then
// every @PROJECT@.
func expandText(s, project string) (string, error) {
	if strings.Contains(s, "@REPEAT:") {
		var wrong error
		expanded, err := repeat.ReplaceFunc(s, func(m regexp2.Match) string {
			text := m.GroupByNumber(1).String()
			n, err := strconv.Atoi(m.GroupByNumber(2).String())
			if err != nil || n > longestRepeat/len(text) {
				wrong = fmt.Errorf("%.40q is too long: repeat up to %d bytes", m.String(), longestRepeat)
				return ""
			}
			return strings.Repeat(text, n)
		}, -1, -1)
		if err := errors.Join(err, wrong); err != nil {
			return "", err
		}
		s = expanded
	}
	return strings.ReplaceAll(s, "@PROJECT@", project), nil
}
