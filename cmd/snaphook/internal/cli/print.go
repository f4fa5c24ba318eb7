// Package cli holds the parts that the verbs of the command line share: flags by
// group, output, errors with their exit status, and reads that a signal ends.
package cli

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"

	"charm.land/lipgloss/v2"
	"charm.land/lipgloss/v2/table"
	"github.com/charmbracelet/colorprofile"
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/samber/lo"
	"github.com/spf13/cobra"
	"golang.org/x/term"
)

// These styles mark text on a terminal.
var (
	Strong = lipgloss.NewStyle().Bold(true)
	Faint  = lipgloss.NewStyle().Faint(true)
	Good   = lipgloss.NewStyle().Foreground(lipgloss.Green)
	Bad    = lipgloss.NewStyle().Foreground(lipgloss.Red)
	Odd    = lipgloss.NewStyle().Foreground(lipgloss.Yellow)
)

// Say writes an answer to standard output in one write: it is printed as a whole or not at all.
// Say removes the styles that the terminal cannot show, and all styles outside of a terminal.
func Say(cmd *cobra.Command, text string) error {
	if text != "" && !strings.HasSuffix(text, "\n") {
		text += "\n"
	}
	return Write(colorprofile.NewWriter(cmd.OutOrStdout(), os.Environ()), []byte(text))
}

// SayJSON writes one JSON document, in one line unless it writes to a terminal.
func SayJSON(cmd *cobra.Command, v any) error {
	options := json.JoinOptions(
		jsontext.AllowInvalidUTF8(true),
		jsontext.AllowDuplicateNames(true),
		json.Deterministic(true),
	)
	if IsTerminal(cmd.OutOrStdout()) {
		options = json.JoinOptions(options, jsontext.WithIndent("  "))
	}
	document, err := json.Marshal(v, options)
	if err != nil {
		return fmt.Errorf("encode the answer: %w", err)
	}
	return Write(cmd.OutOrStdout(), append(VisibleJSON(document), '\n'))
}

func Write(w io.Writer, text []byte) error {
	if _, err := io.Copy(w, bytes.NewReader(text)); err != nil {
		return fmt.Errorf("write the answer to standard output: %w", err)
	}
	return nil
}

// Warn prints a warning on standard error.
func Warn(cmd *cobra.Command, format string, args ...any) {
	fmt.Fprintln(
		colorprofile.NewWriter(cmd.ErrOrStderr(), os.Environ()),
		Odd.Render("warning:"),
		Visible(fmt.Sprintf(format, args...)),
	)
}

func IsTerminal(stream any) bool {
	file, ok := stream.(*os.File)
	return ok && term.IsTerminal(int(file.Fd()))
}

// Visible replaces characters that would move the cursor, change colours or reverse text by visible
// forms: the text may come from strangers.
func Visible(s string) string {
	if !strings.ContainsFunc(s, isHidden) {
		return s
	}
	var b strings.Builder
	for _, r := range s {
		if isHidden(r) {
			fmt.Fprintf(&b, `\u%04x`, r)
		} else {
			b.WriteRune(r)
		}
	}
	return b.String()
}

// isHidden reports whether a terminal may interpret a character, or show nothing for it.
func isHidden(r rune) bool { return r != '\n' && r != '\t' && !unicode.IsPrint(r) }

// VisibleJSON escapes the characters of JSON text that [Visible] would replace: the JSON value is
// the same, and a terminal interprets nothing in it. Bytes that are not UTF-8 become U+FFFD.
func VisibleJSON(text []byte) []byte {
	hidden := func(r rune) bool { return r == utf8.RuneError || isHidden(r) && r != '\r' }
	if bytes.IndexFunc(text, hidden) < 0 {
		return text
	}
	escaped := make([]byte, 0, len(text)+len(text)/8)
	for _, r := range string(text) {
		switch {
		case !hidden(r) || r == utf8.RuneError:
			escaped = utf8.AppendRune(escaped, r)
		case r > 0xFFFF:
			high, low := utf16.EncodeRune(r)
			escaped = fmt.Appendf(escaped, `\u%04x\u%04x`, high, low)
		default:
			escaped = fmt.Appendf(escaped, `\u%04x`, r)
		}
	}
	return escaped
}

// OneLine returns the visible form of text for a line of a list.
func OneLine(s string) string {
	return strings.ReplaceAll(Visible(s), "\n", `\n`)
}

// Columns aligns rows below headers. Each column is as wide as its longest text; texts are wrapped only on a terminal.
func Columns(cmd *cobra.Command, headers []string, rows [][]string) string {
	return columns(headers, rows, columnsOf(cmd))
}

// FitColumns aligns rows as Columns does. On a terminal that is too narrow for them it drops the optional
// columns, in this order, and then cuts the texts of the first column in the middle.
func FitColumns(cmd *cobra.Command, headers []string, rows [][]string, optional ...string) string {
	width := columnsOf(cmd)
	headers, rows = fit(headers, rows, width, optional)
	return columns(headers, rows, width)
}

// columnsOf returns the width of the terminal that the command writes to; 0 if it is not a terminal.
func columnsOf(cmd *cobra.Command) int {
	file, ok := cmd.OutOrStdout().(*os.File)
	if !ok {
		return 0
	}
	width, _, err := term.GetSize(int(file.Fd()))
	if err != nil {
		return 0
	}
	return width
}

// leastFirst is the least width, in characters, to which the first column is cut.
const leastFirst = 12

func fit(headers []string, rows [][]string, width int, optional []string) ([]string, [][]string) {
	if width <= 0 {
		return headers, rows
	}
	over := func() int {
		sum := 0
		for i, header := range headers {
			most := lipgloss.Width(header)
			for _, row := range rows {
				most = max(most, lipgloss.Width(row[i]))
			}
			sum += most + 2
		}
		return sum - width
	}
	for _, name := range optional {
		at := slices.Index(headers, name)
		if at < 0 || over() <= 0 {
			continue
		}
		without := func(row []string, _ int) []string { return slices.Delete(slices.Clone(row), at, at+1) }
		headers, rows = without(headers, 0), lo.Map(rows, without)
	}
	if excess := over(); excess > 0 {
		widest := lo.Max(lo.Map(rows, func(row []string, _ int) int { return utf8.RuneCountInString(row[0]) }))
		rows = lo.Map(rows, func(row []string, _ int) []string {
			row = slices.Clone(row)
			row[0] = CutMiddle(row[0], max(leastFirst, widest-excess))
			return row
		})
	}
	return headers, rows
}

func columns(headers []string, rows [][]string, width int) string {
	t := table.New().Headers(headers...).Rows(rows...).
		BorderTop(false).
		BorderBottom(false).BorderLeft(false).BorderRight(false).BorderHeader(false).BorderColumn(false).
		StyleFunc(func(row, _ int) lipgloss.Style {
			if row == table.HeaderRow {
				return Strong.PaddingRight(2)
			}
			return lipgloss.NewStyle().PaddingRight(2)
		})
	if width > 0 {
		t = t.Width(width)
	}
	lines := strings.Split(t.String(), "\n")
	for i, line := range lines {
		lines[i] = strings.TrimRight(line, " ")
	}
	return strings.TrimLeft(strings.Join(lines, "\n"), "\n") + "\n"
}

// Indented puts spaces before every line but the first.
func Indented(s string, by int) string {
	return strings.ReplaceAll(strings.TrimRight(Visible(s), "\n"), "\n", "\n"+strings.Repeat(" ", by))
}

// Quoted formats an argument list: its parts can be distinguished, and nothing in it is hidden.
func Quoted(argv []string) string {
	words := make([]string, len(argv))
	for i, arg := range argv {
		words[i] = OneLine(arg)
		if arg == "" || strings.ContainsAny(arg, " \t\n'\"\\$`;&|<>(){}*?#~") {
			words[i] = "'" + strings.ReplaceAll(words[i], "'", `'\''`) + "'"
		}
	}
	return strings.Join(words, " ")
}

// Count returns a number with its noun, which has an s unless the number is 1.
func Count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// Milliseconds formats a duration in milliseconds for people.
func Milliseconds(ms float64) string {
	switch {
	case ms < 10:
		return fmt.Sprintf("%.2gms", ms)
	case ms < 1000:
		return fmt.Sprintf("%.0fms", ms)
	}
	return time.Duration(ms * float64(time.Millisecond)).Round(100 * time.Millisecond).String()
}
