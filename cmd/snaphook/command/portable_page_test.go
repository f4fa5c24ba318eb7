package command

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/samber/lo"

	"github.com/snaphook-go/snaphook/cmd/snaphook/internal/systems"
	"github.com/snaphook-go/snaphook/internal/portable"
)

// answerTable returns the page's table for the named systems.
func answerTable(names ...string) string {
	chosen := lo.Filter(systems.Portable(), func(s portable.System, _ int) bool { return lo.Contains(names, s.Name) })
	var b strings.Builder
	b.WriteString("| event | answer | " + strings.Join(lo.Map(chosen, func(s portable.System, _ int) string { return s.Title }), " | ") + " |\n")
	b.WriteString("|---|---|" + strings.Repeat("---|", len(chosen)) + "\n")
	for _, a := range portable.Answers {
		b.WriteString("| " + a.Event + " | " + a.Says)
		for _, s := range chosen {
			effect := strings.TrimPrefix(string(s.Effect(a.ID, false)), "has ")
			if _, there := s.Events[a.Event]; !there {
				effect = "no such event"
			}
			if effect == string(portable.Refuses) {
				effect = "**refuses**"
			}
			b.WriteString(" | " + effect)
		}
		b.WriteString(" |\n")
	}
	return b.String()
}

// The page's tables are generated from the declared effects of answers. TestEveryAnswerHasTheEffectThatIsDeclared
// compares these effects with the effects of hooks that run. SNAPHOOK_UPDATE=1 writes the tables.
func TestThePageOfAnswersShowsTheData(t *testing.T) {
	file := filepath.Join("..", "..", "..", "docs", "same-answer.md")
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	page := string(text)
	for mark, names := range map[string][]string{
		"six":      {"claude", "codex", "copilot", "cursor", "llxprt", "gemini"},
		"profiles": {"qwen", "goose", "devin", "kimi", "vscode"},
	} {
		before, rest, found := strings.Cut(page, "<!-- table "+mark+" -->\n")
		_, after, ends := strings.Cut(rest, "<!-- end -->\n")
		if !found || !ends {
			t.Fatalf("the page has no table %s", mark)
		}
		page = before + "<!-- table " + mark + " -->\n" + answerTable(names...) + "<!-- end -->\n" + after
	}
	if page == string(text) {
		return
	}
	if os.Getenv("SNAPHOOK_UPDATE") == "" {
		t.Fatal("docs/same-answer.md shows other effects than the data; run the test with SNAPHOOK_UPDATE=1")
	}
	if err := os.WriteFile(file, []byte(page), 0o644); err != nil {
		t.Fatal(err)
	}
}
