package lint

import (
	"fmt"
	"strings"
)

// Page returns the text of docs/lint.md.
func Page() string {
	var b strings.Builder
	b.WriteString(intro)
	b.WriteString("| id | severity | finds | `--fix` |\n|---|---|---|---|\n")
	for _, r := range rules {
		fixable := ""
		if r.Fixable {
			fixable = "yes"
		}
		fmt.Fprintf(&b, "| [%s](#%[1]s) | %s | %s | %s |\n", r.ID, r.Severity, r.Doc, fixable)
	}
	for _, r := range rules {
		fmt.Fprintf(&b, "\n## %s\n\n%s", r.ID, section(r))
	}
	return b.String()
}

// intro precedes the rules.
var intro = "<!-- Generated from the rules: go test ./cmd/snaphook/internal/lint -update -->\n\n" +
	"# Findings of snaphook check\n\n" +
	wrap("`snaphook check` reads settings, overlays and the scripts that hooks start, in shells, Python and "+
		"JavaScript, runs none of them, and reports what is wrong. The text of modules is read too. A finding has an id, a place, what is wrong, and what to do.") + `

| | |
|---|---|
| exit status | 1 with a problem (an entry or a file that cannot be used), an error or a warning; notes do not count, and are shown with ` + "`-v` and `--json`" + ` |
` + "| `--json` | `findings`: a list of `{id, severity, file, line, column, message, fix}` |" + `
` + "| `--sarif OUT` | also writes SARIF 2.1.0, for GitHub's code scanning; problems have the id `settings-problem` |" + `
` + "| `--tools FILE` | names of tools that matchers may match, beside those of the dialect: one a line, or JSON |" + `
` + "| `--fix` | makes the changes that are certain, and checks again; `fixed` of `--json` lists them |" + `
` + "| `--fix --diff` | prints those changes as a unified diff, and writes nothing |" + `

` + wrap("`--fix` changes files below the project's directory, and settings that are given as arguments, and no "+
	"other files. After a change of its hooks, a project has to be trusted again.") + "\n\n" +
	wrap("A comment ignores findings: `// snaphook-ignore ID` in settings, on the line of the finding or alone above "+
		"the line of its hook or group, and `# snaphook-ignore ID` in the hook's command. In a script it is on "+
		"the line, alone above it, or before the first line that does something, where it counts for the whole "+
		"script. Several ids have commas between them, and a reason may follow. Claude Code allows no comments in "+
		"its settings: there, write the comment in the hook's command.") + "\n\n"

// section returns the section of a rule on the page.
func section(r Rule) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n\n", wrap(r.Doc+" "+r.Why))
	b.WriteString(example("The mistake", r.Mistake))
	b.WriteString("\n")
	b.WriteString(example("Without it", r.Fix))
	return b.String()
}

// example formats text as code, or keeps prose that contains code.
func example(title, text string) string {
	if strings.Contains(text, "`") {
		return wrap(title+": "+text+".") + "\n"
	}
	return title + ":\n\n```\n" + text + "\n```\n"
}

// wrap breaks prose into lines of at most 100 bytes.
func wrap(text string) string {
	var b strings.Builder
	length := 0
	for i, word := range strings.Fields(text) {
		switch {
		case i > 0 && length+1+len(word) > 100:
			b.WriteString("\n")
			length = 0
		case i > 0:
			b.WriteString(" ")
			length++
		}
		b.WriteString(word)
		length += len(word)
	}
	return b.String()
}
