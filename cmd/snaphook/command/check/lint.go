package check

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/samber/lo"
	"github.com/spf13/cobra"

	"github.com/snaphook-go/snaphook/cmd/snaphook/internal/cli"
	"github.com/snaphook-go/snaphook/cmd/snaphook/internal/lint"
	"github.com/snaphook-go/snaphook/cmd/snaphook/internal/systems"
	"github.com/snaphook-go/snaphook/settings"
)

// linting holds the flags of check that concern its findings.
type linting struct {
	tools string
	sarif string
	fix   bool
	diff  bool

	require bool // check fails if it finds no hook
}

func (l *linting) add(cmd *cobra.Command) {
	to := cmd.Flags()
	to.StringVar(&l.tools, "tools", "", "Read from `FILE` names of tools that matchers may match, beside the dialect's own: "+
		"one a line, or a JSON array: --tools tools.json")
	to.StringVar(&l.sarif, "sarif", "", "Write the findings to `FILE` too, as SARIF 2.1.0 for GitHub; - is stdout: --sarif hooks.sarif")
	to.BoolVar(&l.require, "require-hooks", false, "End with status 1 if no hook is found, for CI: check --require-hooks")
	to.BoolVar(&l.fix, "fix", false, "Make the changes that are certain, and check again: check --fix")
	to.BoolVar(&l.diff, "diff", false, "Print the changes that --fix would make, as a unified diff, and write nothing: check --fix --diff")
}

// read returns the tools of --tools.
func (l *linting) read(cmd *cobra.Command) (lint.Tools, error) {
	if l.tools == "" {
		return nil, nil
	}
	tools, err := lint.ReadTools(cmd.Context(), l.tools)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, fmt.Errorf("--tools %s: there is no such file; name a file with the names of tools, one on each line or "+
			"as a JSON array", l.tools)
	case err != nil:
		return nil, fmt.Errorf("--tools: %w", err)
	}
	return tools, nil
}

// checkHooks adds the findings about hooks and their scripts.
func checkHooks(cmd *cobra.Command, global *cli.Global, found *Answer, tools lint.Tools) error {
	dir, err := global.Directory()
	if err != nil {
		return err
	}
	found.linted = lint.Check(cmd.Context(), lint.Options{
		Dir: dir, Hooks: found.loaded, Files: found.settingsFiles, Tools: tools, Modules: found.moduleFiles,
		ModulesExtended: found.modulesExtended, Systems: systems.Portable(),
		More: lo.Map(found.Findings, func(g finding, _ int) lint.Finding { return g.linted() }),
	})
	found.Findings = lo.Map(found.linted, func(g lint.Finding, _ int) finding {
		return newFinding(g.ID, g.Severity, g.Position, g.Message, g.Fix)
	})
	return nil
}

// fixFindings calls use with each change that fixes a displayed finding, and returns the fixed findings.
func fixFindings(
	cmd *cobra.Command, f *checkFlags, found *Answer, files []string, use func(lint.Change) error,
) ([]finding, error) {
	dir, err := f.Directory()
	if err != nil {
		return nil, err
	}
	fixed, left, err := lint.Apply(cmd.Context(), found.shown(), []string{dir}, files, use)
	for _, g := range left {
		cli.Warn(cmd, "%s: %s is not fixed: %s", g.Position, g.ID, g.Why)
	}
	if err != nil {
		return nil, fmt.Errorf("--fix: %w", err)
	}
	return lo.Map(fixed, func(g lint.Finding, _ int) finding {
		return newFinding(g.ID, g.Severity, g.Position, g.Message, g.Fix)
	}), nil
}

// previewFixes returns the changes of --fix as a unified diff.
func previewFixes(cmd *cobra.Command, f *checkFlags, found *Answer, files []string) (*string, error) {
	dir, err := f.Directory()
	if err != nil {
		return nil, err
	}
	var diff strings.Builder
	fixed, err := fixFindings(cmd, f, found, files, func(c lint.Change) error {
		diff.WriteString(c.Diff(dir))
		return nil
	})
	if err != nil {
		return nil, err
	}
	fmt.Fprintf(cmd.ErrOrStderr(), "--fix would fix %d of %s; nothing is written\n", len(fixed), cli.Count(len(found.shown()), "finding"))
	return new(diff.String()), nil
}

// sayDiff prints a diff unchanged, for programs that apply it. On a terminal it adds colours, and escapes control
// characters.
func sayDiff(cmd *cobra.Command, diff string) error {
	if !cli.IsTerminal(cmd.OutOrStdout()) {
		return cli.Write(cmd.OutOrStdout(), []byte(diff))
	}
	var b strings.Builder
	for line := range strings.Lines(diff) {
		line = cli.Visible(strings.TrimSuffix(line, "\n"))
		switch {
		case strings.HasPrefix(line, "diff "), strings.HasPrefix(line, "--- "), strings.HasPrefix(line, "+++ "):
			line = cli.Strong.Render(line)
		case strings.HasPrefix(line, "-"):
			line = cli.Bad.Render(line)
		case strings.HasPrefix(line, "+"):
			line = cli.Good.Render(line)
		case strings.HasPrefix(line, "@@"):
			line = cli.Faint.Render(line)
		}
		b.WriteString(line + "\n")
	}
	return cli.Say(cmd, b.String())
}

// writeSARIF writes problems and findings in GitHub's format.
func writeSARIF(cmd *cobra.Command, f *checkFlags, found Answer, problems []settings.Problem) error {
	if f.linting.sarif == "" {
		return nil
	}
	dir, err := f.Directory()
	if err != nil {
		return err
	}
	all := lo.Map(problems, func(p settings.Problem, _ int) lint.Finding { return lint.Problem(p.Position, p.Message) })
	log := lint.NewSARIF(f.Release, repositoryOf(dir), append(all, found.linted...))
	text, err := json.Marshal(log, jsontext.WithIndent("  "), jsontext.AllowInvalidUTF8(true), json.Deterministic(true))
	if err != nil {
		return fmt.Errorf("encode the findings: %w", err)
	}
	if text = append(cli.VisibleJSON(text), '\n'); f.linting.sarif == "-" {
		return cli.Write(cmd.OutOrStdout(), text)
	}
	if err := cli.SaveFile(f.linting.sarif, text, 0o644); err != nil {
		return fmt.Errorf("--sarif %s: %w", f.linting.sarif, err)
	}
	return nil
}

// repositoryOf returns the root of the repository that contains dir; paths in GitHub annotations and SARIF
// are relative to it. Outside of a repository it returns dir.
func repositoryOf(dir string) string {
	for at := dir; ; at = filepath.Dir(at) {
		if _, err := os.Stat(filepath.Join(at, ".git")); err == nil {
			return at
		}
		if at == filepath.Dir(at) {
			return dir
		}
	}
}
