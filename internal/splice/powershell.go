package splice

import (
	"strings"

	"github.com/snaphook-go/snaphook/internal/lazyregexp"
)

// PowerShell does the same as [Script] for PowerShell, where a reference is ${env:NAME}. In single quotes, where
// references do not work, it inserts the value with its quotes doubled; into a here-string in single quotes, it inserts
// the value as it is.
func PowerShell(script string, pattern *lazyregexp.Regexp, find func(placeholder string) (Var, bool)) (string, error) {
	p := &powerScript{text: script, evaluates: evaluates.MatchString(script)}
	var out strings.Builder
	done := 0
	for _, at := range pattern.FindAllStringIndex(script, -1) {
		v, ok := find(script[at[0]:at[1]])
		if !ok {
			continue
		}
		p.advance(at[0])
		text, ok := p.put(v)
		if !ok {
			return "", &CodeError{script[at[0]:at[1]], v.Name, powershell.name, "$env:" + v.Name}
		}
		out.WriteString(script[done:at[0]] + text)
		p.at, done = at[1], at[1]
	}
	return out.String() + script[done:], nil
}

// evaluates matches commands that read text as code.
var evaluates = lazyregexp.New(`(?i)\b(iex|invoke-expression|scriptblock|invokescript|invoke-command|icm|powershell|pwsh|cmd|bash|sh|wsl|add-type)\b`)

// powerScript tracks the quotes and comments of a script from its beginning.
type powerScript struct {
	text      string
	at        int
	open      string // "'", `"`, "@'", `@"`, "#", "<#", or empty
	evaluates bool
}

// put returns the replacement of a placeholder.
func (p *powerScript) put(v Var) (string, bool) {
	if p.evaluates && !word.MatchString(v.Value) {
		return "", false
	}
	switch p.open {
	case "'":
		return singleQuote.ReplaceAllString(v.Value, "$0$0"), true
	case "@'":
		return v.Value, !endOfText.MatchString(v.Value) && !strings.Contains(v.Value, "\x00")
	}
	return "${env:" + v.Name + "}", true
}

// PowerShell reads typographic quotes as quotes.
var (
	singleQuote = lazyregexp.New(`['‘’‚‛]`)
	doubleQuote = lazyregexp.New(`["“”„]`)
	endOfText   = lazyregexp.New(`['‘’‚‛]@`)
	opening     = lazyregexp.New("^(@['‘’‚‛][ \t]*\r?\n|@[\"“”„][ \t]*\r?\n|['‘’‚‛]|[\"“”„]|<#|#|`(?s:.))")
	endings     = map[string]*lazyregexp.Regexp{
		"'":  lazyregexp.New(`^['‘’‚‛]`),
		`"`:  lazyregexp.New("^([\"“”„]|`(?s:.))"),
		"@'": lazyregexp.New(`^\n['‘’‚‛]@`),
		`@"`: lazyregexp.New(`^\n["“”„]@`),
		"#":  lazyregexp.New(`^\n`),
		"<#": lazyregexp.New(`^#>`),
	}
)

// advance reads the text up to an offset.
func (p *powerScript) advance(to int) {
	for p.at < to {
		rest := p.text[p.at:]
		size := 1
		if p.open != "" {
			if end := endings[p.open].FindString(rest); end != "" {
				size = len(end)
				if end[0] != '`' {
					p.open = ""
				}
			}
		} else if begin := opening.FindString(rest); begin != "" {
			size = len(begin)
			p.open = kindOf(begin)
			if strings.HasPrefix(p.open, "@") {
				size-- // the line break of the opening may also be the first character of the ending
			}
		}
		p.at += size
	}
}

func kindOf(begin string) string {
	kind := strings.TrimRight(begin, " \t\r\n")
	switch {
	case begin[0] == '`':
		return ""
	case begin[0] == '#' || begin[0] == '<':
		return kind
	case begin[0] == '@' && singleQuote.MatchString(kind):
		return "@'"
	case begin[0] == '@':
		return `@"`
	case doubleQuote.MatchString(kind):
		return `"`
	}
	return "'"
}
