package cli

import (
	"strings"
	"unicode/utf8"

	"github.com/spf13/cobra"
)

// BreakLines breaks the long texts of all verbs here, since fang does so at hyphens too,
// which tears flags apart.
func BreakLines(cmd *cobra.Command) {
	cmd.Long = InColumns(cmd.Long, 72) // fang indents within 80
	for _, verb := range cmd.Commands() {
		BreakLines(verb)
	}
}

// InColumns breaks lines at blanks. One that begins with a blank stays: it is part of a
// list.
func InColumns(text string, most int) string {
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		if strings.HasPrefix(line, " ") {
			continue
		}
		var b strings.Builder
		free := 0
		for _, word := range strings.Fields(line) {
			switch n := utf8.RuneCountInString(word); {
			case b.Len() == 0:
				free = most - n
			case n < free:
				b.WriteByte(' ')
				free -= n + 1
			default:
				b.WriteByte('\n')
				free = most - n
			}
			b.WriteString(word)
		}
		lines[i] = b.String()
	}
	return strings.Join(lines, "\n")
}
