package command

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/samber/lo"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/snaphook-go/snaphook/settings"
)

// flags are what the command line says besides the verb and its arguments.
type flags struct {
	status int // the exit status of a verb that had no error

	dir     string
	verbose bool
	json    bool

	settings   []string // [LAYER=]FILE
	extensions []string
	plugins    []string
	options    []string // NAME.KEY=VALUE, of plugins
	modules    []string
	js         string // where modules run
	level      string
	profile    string
	policies   []string // [LEVEL=]FILE
	dialect    string
	linting    linting

	id          string
	transcript  string
	interactive bool
	trusted     bool
	untrusted   bool
	ask         bool
	trace       string
	record      string
	recordInput string
}

func newRoot(f *flags) *cobra.Command {
	root := &cobra.Command{
		Use:   "snaphook",
		Short: "Run, explain and check the hooks of AI agents",
		Long: "snaphook fires the events of AI agents and runs the hooks that a project's settings select.\n\n" +
			"Exit status: 0 go ahead, 2 blocked or the agent must stop, 1 snaphook could not do it.",
		Example: `# What would run before this tool does?
echo '{"tool_name": "Bash", "tool_input": {"command": "ls"}}' |
  snaphook plan claude.PreToolUse`,
	}
	root.PersistentFlags().
		StringVar(&f.dir, "dir", "", "Directory of the project, such as ~/project; the current one if not given")
	root.PersistentFlags().
		BoolVarP(&f.verbose, "verbose", "v", false, "Tell on stderr what happens, as in snaphook -v fire EVENT; SNAPHOOK_DEBUG=1 does the same")
	root.SetFlagErrorFunc(explainFlag)
	root.AddCommand(
		newFire(f),
		newPlan(f),
		newEvents(f),
		newCheck(f),
		newTrust(f),
		newLog(f),
		newStats(f),
		newMCPProxy(f),
		newState(f),
		newVersion(f),
		newTest(f),
		newReplay(f),
		newRecordTest(f),
		newInit(f),
	)
	root.AddCommand(newTrace(f), newRecordEvent(f), newBench(f))
	_ = root.MarkPersistentFlagDirname("dir")
	breakLines(root)
	return root
}

// breakLines breaks the long texts of all verbs here, since fang does so at hyphens too,
// which tears flags apart.
func breakLines(cmd *cobra.Command) {
	cmd.Long = inColumns(cmd.Long, 72) // what fang leaves of 80
	for _, verb := range cmd.Commands() {
		breakLines(verb)
	}
}

// inColumns breaks lines at blanks. One that begins with a blank stays: it is part of a
// list.
func inColumns(text string, most int) string {
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

// addJSON adds the flag of the verbs that have an answer for programs.
func (f *flags) addJSON(cmd *cobra.Command) {
	cmd.Flags().BoolVar(&f.json, "json", false, "Answer with one JSON document: --json | jq .")
}

// addSources adds the flags that say where settings come from.
func (f *flags) addSources(to *pflag.FlagSet) {
	to.StringArrayVar(&f.settings, "settings", nil, "Read [LAYER=]FILE in place of the settings found; repeatable. "+
		"LAYER is project, user or system for llxprt, and managed, flag, local, project or user for claude: user=mine.json")
	to.StringArrayVar(
		&f.extensions,
		"extension",
		nil,
		"Add the hooks of an extension (llxprt), hooks/hooks.json below this directory; repeatable: --extension ./ext",
	)
	to.StringArrayVar(
		&f.plugins,
		"plugin",
		nil,
		"Add the hooks of a plugin (claude) in this directory, DIR or NAME@MARKETPLACE=DIR; repeatable: --plugin fmt@acme=./fmt",
	)
	to.StringArrayVar(
		&f.options,
		"plugin-option",
		nil,
		"Set an option of a plugin (claude), NAME.KEY=VALUE; repeatable: --plugin-option fmt.width=100",
	)
	to.StringVar(
		&f.profile,
		"profile",
		"",
		"Act as this agent (llxprt): llxprt or gemini; if not given, gemini where settings of Gemini CLI alone are there: --profile gemini",
	)
	to.StringVar(
		&f.level,
		"level",
		"",
		"Follow this release where releases differ (claude): 2.1.88, which is the default, or "+newerLevel,
	)
}

// addHost adds the flags that say what an agent would know.
func (f *flags) addHost(to *pflag.FlagSet) {
	to.StringVar(&f.id, "session", "", "The session's id, such as s-1; else that of the input, else a random one")
	to.StringVar(
		&f.transcript,
		"transcript",
		"",
		"Path of the conversation's transcript, such as t.jsonl; else that of the input",
	)
	to.BoolVar(
		&f.interactive,
		"interactive",
		false,
		"Act as for an agent that a person talks to: only trusted projects run hooks, see snaphook trust --help",
	)
	to.BoolVar(
		&f.trusted,
		"trusted",
		false,
		"Run the project's hooks whatever snaphook trust says: fire EVENT --interactive --trusted",
	)
	to.BoolVar(
		&f.untrusted,
		"untrusted",
		false,
		"Run none of the project's hooks; for claude, with --interactive, no hooks at all: fire EVENT --interactive --untrusted",
	)
}

// explainFlag says what is wrong with a flag, and offers the nearest names.
func explainFlag(cmd *cobra.Command, err error) error {
	if errors.Is(err, pflag.ErrHelp) {
		return err
	}
	if invalid := (*pflag.InvalidValueError)(nil); errors.As(err, &invalid) && errors.Is(err, strconv.ErrSyntax) {
		return fmt.Errorf("--%s %s: write a number; see %s --help",
			invalid.GetFlag().Name, invalid.GetValue(), cmd.CommandPath())
	}
	var unknown *pflag.NotExistError
	if !errors.As(err, &unknown) {
		return fmt.Errorf("%w; see %s --help", err, cmd.CommandPath())
	}
	var names []string
	cmd.Flags().VisitAll(func(f *pflag.Flag) { names = append(names, f.Name) })
	return fmt.Errorf(
		"%w%s; see %s --help",
		err,
		didYouMean("--", unknown.GetSpecifiedName(), names),
		cmd.CommandPath(),
	)
}

// didYouMean offers the names that a misspelt one may stand for.
func didYouMean(prefix, wrote string, names []string) string {
	near := lo.Map(settings.Near(wrote, names), func(name string, _ int) string { return prefix + name })
	if len(near) == 0 {
		return ""
	}
	return " (did you mean " + strings.Join(near, " or ") + "?)"
}

// count says how many there are of what a noun names.
func count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
