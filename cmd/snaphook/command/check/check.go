// Package check has the verbs that read the settings of a project and run no hook: check, hooks and
// port.
package check

import (
	"fmt"
	"slices"

	"github.com/samber/lo"
	"github.com/spf13/cobra"

	"github.com/snaphook-go/snaphook/cmd/snaphook/internal/cli"
	"github.com/snaphook-go/snaphook/cmd/snaphook/internal/lint"
	"github.com/snaphook-go/snaphook/cmd/snaphook/internal/project"
	"github.com/snaphook-go/snaphook/pipeline"
	"github.com/snaphook-go/snaphook/settings"
)

// checkFlags holds the flags of check.
type checkFlags struct {
	project.SessionFlags
	cli.JSONFlag
	linting
}

// NewCheck returns the verb check.
func NewCheck(global *cli.Global) *cobra.Command {
	f := &checkFlags{SessionFlags: project.NewSessionFlags(global)}
	cmd := &cobra.Command{
		Use:   "check [FILE…]",
		Short: "Check settings files, and list the hooks that they configure",
		Long: "Checks the settings that are found for the project, or the files given, which are read as a project's. " +
			"Every problem is one line: file:line:column, the mistake, and a correction.\n\n" +
			"The dialect of a file follows from its path (.claude or .llxprt), else from the names of its events; " +
			"if neither tells the dialect, use --dialect. A file of JavaScript or TypeScript is a module of xcsh: it is loaded, " +
			"and no handler runs.\n\n" +
			"Findings about hooks and their scripts have an id and a fix; docs/lint.md lists all of them. " +
			"A comment makes check ignore a finding: // snaphook-ignore ID in settings, # snaphook-ignore ID in a command or a script.\n\n" +
			"If check finds no hook, it lists the files that it looked for, and similar files that it does not read.\n\n" +
			"Exit status: 0 no problem, and no finding other than notes; 1 otherwise, or if --require-hooks is given and no hook is found.",
		Example: `# All settings of this project
snaphook check
# One file
snaphook check .claude/settings.json
# A module: what does it register?
snaphook check gate.ts
# All settings of this project, and a plugin
snaphook check --dialect claude --plugin ./guard
# What would --fix change?
snaphook check --fix --diff
# For GitHub's code scanning, with the tools of MCP servers
snaphook check --sarif hooks.sarif --tools tools.json`,
		RunE: func(cmd *cobra.Command, args []string) error { return f.check(cmd, args) },
	}
	f.AddJSON(cmd)
	f.AddSources(cmd.Flags())
	f.AddModules(cmd.Flags())
	f.AddPolicy(cmd.Flags())
	f.AddDialect(cmd.Flags())
	cmd.Flags().BoolVar(&f.Interactive, "interactive", false,
		"Show the hooks that run if the agent has a user who can be asked: check --interactive")
	f.linting.add(cmd)
	return cmd
}

func (f *checkFlags) check(cmd *cobra.Command, files []string) error {
	if err := f.checkFiles(files); err != nil {
		return err
	}
	if f.linting.sarif == "-" && (f.JSON || f.linting.diff) {
		return fmt.Errorf("--sarif -: standard output is for %s; write --sarif FILE", lo.Ternary(f.JSON, "--json", "--diff"))
	}
	tools, err := f.linting.read(cmd)
	if err != nil {
		return err
	}
	found, problems, err := Load(cmd, &f.SessionFlags, tools)
	if err != nil {
		return err
	}
	switch {
	case f.linting.diff:
		if found.Diff, err = previewFixes(cmd, f, &found, files); err != nil {
			return err
		}
	case f.linting.fix:
		fixed, err := fixFindings(cmd, f, &found, files, lint.Change.Write)
		if err != nil {
			return err
		}
		if found, problems, err = Load(cmd, &f.SessionFlags, tools); err != nil {
			return err
		}
		found.Fixed = fixed
	}
	missing := f.linting.require && len(found.Hooks) == 0
	if missing || len(problems) > 0 || slices.ContainsFunc(found.Findings, finding.counts) {
		f.Status = cli.Failed
	}
	if err := writeSARIF(cmd, f, found, problems); err != nil || f.linting.sarif == "-" {
		return err
	}
	return f.sayChecked(cmd, found, problems)
}

// Load loads the hooks of all sources, and checks the hooks and their scripts. problems has the problems
// of settings files, overlays and modules.
func Load(
	cmd *cobra.Command, f *project.SessionFlags, tools lint.Tools,
) (found Answer, problems []settings.Problem, err error) {
	all, err := f.AllSources(cmd)
	if err != nil {
		return found, nil, err
	}
	if found, problems, err = loadHooks(cmd, f, all); err != nil {
		return found, nil, err
	}
	found.notes = f.Verbose
	if err := missed(f, all, &found); err != nil {
		return found, nil, err
	}
	return found, problems, checkHooks(cmd, f.Global, &found, tools)
}

// loadHooks loads the hooks of the sources under their policies, without findings about scripts.
func loadHooks(
	cmd *cobra.Command, f *project.SessionFlags, all []*project.Sources,
) (found Answer, problems []settings.Problem, err error) {
	found.Findings = []finding{}
	for _, src := range lo.Reject(all, f.Passes) {
		more, err := checkSources(cmd, f, src, &found)
		if err != nil {
			return found, nil, err
		}
		problems = append(problems, more...)
	}
	more, err := checkPolicy(cmd.Context(), &f.SourceFlags, all, &found)
	if err != nil {
		return found, nil, err
	}
	problems = settings.Summary(lo.Uniq(append(problems, more...))) // sources that share a file repeat its problems
	found.addProblems(problems)
	return found, problems, nil
}

// missed adds the modules that are not read. If there is no hook, it also adds the files that were looked for, and
// similar files that are not read. If the flags name files, it adds nothing.
func missed(f *project.SessionFlags, all []*project.Sources, found *Answer) error {
	dir, err := f.Directory()
	if err != nil || len(f.Settings)+len(f.ModuleFiles) > 0 {
		return err
	}
	if slices.ContainsFunc(all, func(s *project.Sources) bool { return s.Dialect.Modules }) {
		found.NearMisses = project.UnreadModules(dir, found.moduleFiles)
	}
	if len(found.Hooks) == 0 {
		found.LookedAt = project.LookedAt(all)
		found.NearMisses = append(found.NearMisses, project.NearMisses(dir)...)
	}
	return nil
}

// checkSources adds the hooks and files of one dialect, and returns the problems found.
func checkSources(
	cmd *cobra.Command, f *project.SessionFlags, src *project.Sources, found *Answer,
) ([]settings.Problem, error) {
	if src.Dialect.Modules {
		return checkModules(cmd, f, src, found)
	}
	loaded, err := src.Load(cmd.Context(), pipeline.Workspace{Dir: src.Dir})
	if err != nil {
		return loaded.Problems, err
	}
	at := f.Workspace(cmd.Context(), src)
	found.undecided = found.undecided || at.Untrusted || at.Undecided
	first := len(found.Hooks)
	found.add(loaded)
	if at != (pipeline.Workspace{Dir: src.Dir}) {
		seen, err := src.Load(cmd.Context(), at)
		if err != nil {
			return loaded.Problems, err
		}
		found.exclude(first, seen)
	}
	return loaded.Problems, nil
}

// checkFiles makes check read the settings files and the modules that the arguments name.
func (f *checkFlags) checkFiles(files []string) error {
	if len(files) > 0 && len(f.Settings) > 0 {
		return fmt.Errorf("--settings %s: give the files either as arguments or with --settings", f.Settings[0])
	}
	for _, file := range files {
		if err := cli.WantFile(file); err != nil {
			return fmt.Errorf("%s: %w", file, err)
		}
		if project.IsModule(file) {
			f.ModuleFiles = append(f.ModuleFiles, file)
			continue
		}
		f.Settings = append(f.Settings, "project="+file)
	}
	return nil
}

func (f *checkFlags) sayChecked(cmd *cobra.Command, found Answer, problems []settings.Problem) error {
	switch {
	case f.JSON:
		return cli.SayJSON(cmd, found)
	case f.linting.diff:
		return sayDiff(cmd, *found.Diff)
	}
	return cli.Say(cmd, found.text(problems))
}
