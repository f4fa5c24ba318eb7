package serve

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/samber/lo"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/snaphook-go/snaphook/cmd/snaphook/command/check"
	"github.com/snaphook-go/snaphook/cmd/snaphook/internal/cli"
	"github.com/snaphook-go/snaphook/cmd/snaphook/internal/lint"
	"github.com/snaphook-go/snaphook/cmd/snaphook/internal/project"
	"github.com/snaphook-go/snaphook/cmd/snaphook/internal/systems"
	"github.com/snaphook-go/snaphook/fleet"
	"github.com/snaphook-go/snaphook/pipeline"
	"github.com/snaphook-go/snaphook/settings"
)

// The environment variables of the fleet.
const (
	natsVariable     = "SNAPHOOK_NATS"         // address of the server
	passwordVariable = "SNAPHOOK_KEY_PASSWORD" // password of the secret key of policies
)

// defaultServer is the address of the embedded server.
const defaultServer = "nats://127.0.0.1:4222"

// fleetHome returns the directory of the fleet's keys, caches and spools, and of the embedded server's files.
func fleetHome() (string, error) {
	if dir := os.Getenv("XDG_STATE_HOME"); filepath.IsAbs(dir) {
		return filepath.Join(dir, "snaphook", "fleet"), nil
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return "", fmt.Errorf("the directory of the fleet: %w; name one with --data", err)
	}
	return filepath.Join(home, ".local", "state", "snaphook", "fleet"), nil
}

// NewFleet returns the verb fleet.
func NewFleet(global *cli.Global) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "fleet",
		Short: "Hold agents on many machines to one policy",
		Long: "Pushes the policy that workers run for the agents of all machines, and shows which revision each host runs. " +
			"A worker is a process of snaphook serve.",
		Example: `snaphook fleet push ./policy --key policy.key
snaphook fleet status`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(newFleetPush(global), newFleetStatus())
	return cmd
}

// pushFlags holds the flags of fleet push.
type pushFlags struct {
	*cli.Global
	cli.JSONFlag
	server project.FleetFlags
	key    string
}

func newFleetPush(global *cli.Global) *cobra.Command {
	f := &pushFlags{Global: global}
	cmd := &cobra.Command{
		Use:   "push DIR",
		Short: "Sign the policy in a directory and push it to all hosts",
		Long: "Makes a bundle of the settings, the overlay .snaphook.json and the scripts in DIR, at most 8 MiB; checks it as " +
			"snaphook check does, signs it with the secret key of --key, in minisign's format, and pushes it as the next revision. " +
			"Workers and agents verify it, and use it at once. The password of an encrypted key is in " + passwordVariable + ".",
		Example: `snaphook fleet push ./policy --key policy.key
snaphook fleet push . --key policy.key \
  --nats tls://nats.example.org --creds admin.creds --json`,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) != 1 {
				return fmt.Errorf("%d directories are named; name one; see %s --help", len(args), cmd.CommandPath())
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error { return f.push(cmd, args[0]) },
	}
	f.AddJSON(cmd)
	addServer(&f.server, cmd.Flags())
	cmd.Flags().StringVar(&f.key, "key", "", "Sign with the secret key in `FILE`: --key policy.key")
	return cmd
}

// addServer adds the flags of a verb that needs a server.
func addServer(f *project.FleetFlags, to *pflag.FlagSet) {
	f.AddTo(to, "Use the server `URL`; default: the URL in "+natsVariable+", else "+defaultServer+": --nats tls://nats.example.org")
	f.URL = cmp.Or(os.Getenv(natsVariable), defaultServer)
	to.Lookup("nats").DefValue = ""
}

func (f *pushFlags) push(cmd *cobra.Command, dir string) error {
	if f.key == "" {
		return errors.New("--key is missing; name the secret key of the policy: fleet push DIR --key policy.key")
	}
	key, err := fleet.ReadPrivateKey(f.key, func() (string, error) {
		if secret := os.Getenv(passwordVariable); secret != "" {
			return secret, nil
		}
		return "", fmt.Errorf("the key is encrypted; set %s to its password", passwordVariable)
	})
	if err != nil {
		return fmt.Errorf("--key: %w", err)
	}
	nc, err := f.server.Connect(&fleet.ConnectOptions{Need: true, Wait: 10 * time.Second, Log: project.QuietLog})
	if err != nil {
		return err
	}
	defer nc.Close()
	pushed, err := fleet.Push(cmd.Context(), nc, dir, key, fleet.PushOptions{
		Loads: fleetLoads, Check: func(_ context.Context, dir string) error { return checkPolicyDir(cmd, f.Global, dir) },
	})
	if err != nil {
		return err
	}
	if f.JSON {
		return cli.SayJSON(cmd, pushed)
	}
	return cli.Say(cmd, fmt.Sprintf("revision %d: %s, %s, for %s\n", pushed.Revision, cli.Count(pushed.Files, "file"),
		cli.Count(pushed.Bytes, "byte"), strings.Join(pushed.Events, ", ")))
}

// checkPolicyDir returns an error if check finds a problem in the settings of a directory, or an error in a file of the
// directory, such as a broken script.
func checkPolicyDir(cmd *cobra.Command, global *cli.Global, dir string) error {
	there := *global
	there.Dir = dir
	of := project.NewSessionFlags(&there)
	found, problems, err := check.Load(cmd, &of, lint.Tools{})
	if err != nil {
		return err
	}
	wrong := lo.Map(problems, func(p settings.Problem, _ int) string { return p.String() })
	for _, g := range found.Findings {
		if g.Severity == check.IsError && strings.HasPrefix(absolute(g.File), dir+string(filepath.Separator)) {
			wrong = append(wrong, strings.TrimSpace(g.Text()))
		}
	}
	if len(wrong) > 0 {
		return fmt.Errorf("the policy is not pushed; snaphook check --dir %s explains:\n%s", dir, strings.Join(wrong, "\n"))
	}
	return nil
}

func absolute(name string) string {
	if path, err := filepath.Abs(name); err == nil {
		return path
	}
	return name
}

// fleetLoads returns the Loads of a policy, one for each dialect that has settings in the policy's directory. A Load
// reads only that directory, and no settings of the user or the machine.
func fleetLoads(dir string) (loads []pipeline.Load) {
	for _, d := range systems.Main() {
		if d.Modules {
			continue
		}
		profile, level := "", lo.FirstOrEmpty(d.Levels)
		if d.Find != nil {
			profile, _ = d.Find(dir, nil)
		}
		layers := lo.Filter(d.Discover(dir, profile), func(l settings.Layer, _ int) bool {
			below, err := filepath.Rel(dir, absolute(l.File))
			return err == nil && filepath.IsLocal(below)
		})
		layers = lo.FilterMap(layers, func(l settings.Layer, _ int) (settings.Layer, bool) { return systems.ReadOnce(l) })
		if len(layers) > 0 {
			loads = append(loads, fleet.Within(dir, d.Load(systems.Origins{Layers: layers, Level: level, Profile: profile})))
		}
	}
	return loads
}

func newFleetStatus() *cobra.Command {
	var f cli.JSONFlag
	var server project.FleetFlags
	cmd := &cobra.Command{
		Use:   "status",
		Short: "Show which revision of the policy each host runs",
		Long: "Lists every worker and agent of the last ten minutes with the revision that the host uses, the time at which it was " +
			"activated, and the reasons why newer revisions were refused.",
		Example: `snaphook fleet status
snaphook fleet status --json |
  jq '.revision as $r | .hosts[] | select(.revision != $r)'`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			nc, err := server.Connect(&fleet.ConnectOptions{Need: true, Log: project.QuietLog})
			if err != nil {
				return err
			}
			defer nc.Close()
			status, err := fleet.ReadStatus(cmd.Context(), nc)
			if err != nil {
				return err
			}
			if f.JSON {
				return cli.SayJSON(cmd, status)
			}
			return cli.Say(cmd, statusText(status))
		},
	}
	f.AddJSON(cmd)
	addServer(&server, cmd.Flags())
	return cmd
}

func statusText(s *fleet.Status) string {
	var b strings.Builder
	fmt.Fprintf(&b, "revision %d was pushed last\n", s.Revision)
	for _, h := range s.Hosts {
		word := cli.Good.Render("runs it")
		switch {
		case h.Revision == 0:
			word = cli.Bad.Render("has no policy: every event that can block blocks")
		case h.Revision != s.Revision:
			word = cli.Odd.Render(fmt.Sprintf("runs revision %d", h.Revision))
		}
		fmt.Fprintf(&b, "%s  %s  %s\n", cli.OneLine(h.Host), cli.OneLine(h.Role), word)
		for _, why := range h.Errors {
			fmt.Fprintf(&b, "    %s\n", cli.OneLine(why))
		}
	}
	return b.String()
}
