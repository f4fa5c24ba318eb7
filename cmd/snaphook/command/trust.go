package command

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/samber/lo"
	"github.com/spf13/cobra"

	"github.com/snaphook-go/snaphook/cmd/snaphook/internal/cli"
	"github.com/snaphook-go/snaphook/cmd/snaphook/internal/project"
	"github.com/snaphook-go/snaphook/cmd/snaphook/internal/systems"
	"github.com/snaphook-go/snaphook/trust"
)

// trustFlags holds the flags of trust.
type trustFlags struct {
	project.SourceFlags
	cli.JSONFlag
}

func newTrust(global *cli.Global) *cobra.Command {
	f := &trustFlags{SourceFlags: project.SourceFlags{Global: global}}
	cmd := &cobra.Command{
		Use:   "trust",
		Short: "Show, grant or revoke trust in a project's hooks",
		Long: "Shows what the project's own hooks would run: commands, and the scripts they name, or modules, and the files they import, with a digest of each. " +
			"Trust covers exactly these hooks and files; when one of them changes, none of the project's hooks runs until trust is granted again.",
		Example: `# What would the hooks of this project run?
snaphook trust
# Allow these hooks
snaphook trust grant`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) > 0 {
				return fmt.Errorf(
					"snaphook trust has no action %q%s; write grant or revoke, or nothing to see the state",
					args[0],
					cli.DidYouMean("", args[0], []string{"grant", "revoke"}),
				)
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, _ []string) error { return f.trust(cmd, "") },
	}
	cmd.AddCommand(
		f.newDecision("grant", "Allow the project's hooks, as they are now", trust.Granted),
		f.newDecision("revoke", "Forbid the project's hooks", trust.Revoked),
	)
	f.addTrust(cmd)
	return cmd
}

func (f *trustFlags) newDecision(name, short, decision string) *cobra.Command {
	cmd := &cobra.Command{
		Use:     name,
		Short:   short,
		Example: "snaphook trust " + name + " --dir ~/project",
		Args:    cli.NoArguments,
		RunE:    func(cmd *cobra.Command, _ []string) error { return f.trust(cmd, decision) },
	}
	f.addTrust(cmd)
	return cmd
}

func (f *trustFlags) addTrust(cmd *cobra.Command) {
	f.AddJSON(cmd)
	f.AddSources(cmd.Flags())
	f.AddPolicy(cmd.Flags())
	f.AddDialect(cmd.Flags())
}

// trust records a decision, if there is one, and shows the state of trust.
func (f *trustFlags) trust(cmd *cobra.Command, decision string) error {
	all, err := f.AllSources(cmd)
	if err != nil {
		return err
	}
	st, err := project.TrustStatusOf(cmd.Context(), all...)
	if err != nil {
		return err
	}
	if decision != "" {
		d := trust.Decision{
			State: decision, Digests: st.Digests, Guards: st.Guards, Time: time.Now().UTC().Truncate(time.Second),
		}
		if err := st.Store.Decide(cmd.Context(), st.Dir, d); err != nil {
			return err
		}
		st.Judge(trust.Decisions{st.Dir: d})
	}
	if f.JSON {
		return cli.SayJSON(cmd, st)
	}
	return cli.Say(cmd, trustText(st, all))
}

var meanings = map[trust.State]string{
	trust.Trusted:   "the hooks of this project run",
	trust.Untrusted: "the hooks of this project do not run; `snaphook trust grant` allows them",
	trust.Unknown:   "no decision yet; the project's hooks run when you fire events, but not with --interactive; the project's settings affect only the project's hooks",
	trust.Changed:   "the hooks or their scripts have changed since trust was granted; no hook runs until `snaphook trust grant`",
}

// exceptions names the dialects that require trust only in a session with a user, and in which the project has hooks.
// Without a user these hooks run in every state of trust.
func exceptions(st project.TrustStatus, all []*project.Sources) (names []string) {
	for _, src := range all {
		of := func(h project.TrustHook) bool { return strings.HasPrefix(h.Event, src.Dialect.Name+".") }
		if src.Dialect.Headless && slices.ContainsFunc(st.Hooks, of) {
			names = append(names, src.Dialect.Name)
		}
	}
	return names
}

// trustText shows the state of trust, and the hooks that it concerns.
func trustText(st project.TrustStatus, all []*project.Sources) string {
	var b strings.Builder
	style := cli.Odd
	if st.State == trust.Trusted {
		style = cli.Good
	}
	fmt.Fprintf(&b, "%s: %s: %s\n", cli.Visible(st.Dir), style.Render(string(st.State)), meanings[st.State])
	for _, name := range exceptions(st, all) {
		fmt.Fprintf(
			&b,
			"with --interactive, the hooks of %s from all sources need trust; without --interactive, all of them run, trusted or not\n",
			name,
		)
	}
	if st.State == trust.Unknown &&
		slices.ContainsFunc(st.Hooks, func(h project.TrustHook) bool { return h.Type == systems.ModuleType }) {
		fmt.Fprintf(&b, "modules of %s are loaded only once trust is granted\n", systems.Xcsh.Name)
	}
	if len(st.Reaches) > 0 {
		b.WriteString(
			lo.Ternary(
				st.State == trust.Trusted,
				"effects of the project settings, which trust covers:\n",
				"effects that the project settings have once trust is granted:\n",
			),
		)
		for _, words := range st.Reaches {
			fmt.Fprintf(&b, "  %s\n", cli.Visible(words))
		}
	}
	if len(st.Hooks) == 0 {
		b.WriteString("the project has no hooks of its own\n")
		return b.String()
	}
	fmt.Fprintf(&b, "%s of this project:\n", cli.Count(len(st.Hooks), "hook"))
	for _, h := range st.Hooks {
		fmt.Fprintf(&b, "  %s  %s  %s\n", cli.Strong.Render(h.Event), project.Label(h.HookID), project.Place(h.HookID))
		if len(h.Argv) > 0 {
			fmt.Fprintf(&b, "    runs    %s\n", cli.Quoted(h.Argv))
		}
		if h.Unclear != nil {
			fmt.Fprintf(
				&b,
				"    %s\n",
				cli.Odd.Render(
					"unclear, and may run other files: "+cli.OneLine(
						*h.Unclear,
					)+"; trust covers "+cli.Count(len(h.Scripts), "file")+" of the project",
				),
			)
			continue
		}
		for _, s := range h.Scripts {
			fmt.Fprintf(&b, "    script  %s  sha256:%s\n", cli.OneLine(s.File), s.SHA256)
		}
	}
	return b.String()
}
