package command

import (
	"fmt"
	"runtime"
	"runtime/debug"
	"strings"

	"github.com/samber/lo"
	"github.com/spf13/cobra"

	"github.com/snaphook-go/snaphook/cmd/snaphook/internal/cli"
	"github.com/snaphook-go/snaphook/cmd/snaphook/internal/systems"
)

// version is set in builds that have no module version: -ldflags "-X
// github.com/snaphook-go/snaphook/cmd/snaphook/command.version=1.2.3".
var version string

// latestRelease is the release that the pages and the workflow of init install.
const latestRelease = "v0.1.0"

// versions is the answer of version.
type versions struct {
	Version  string            `json:"version"`
	Commit   *string           `json:"commit"`
	Go       string            `json:"go"`
	Dialects map[string]string `json:"dialects"` // the supported part of each dialect
}

func newVersion() *cobra.Command {
	var f cli.JSONFlag
	cmd := &cobra.Command{
		Use:     "version",
		Short:   "Print the version, and the release of each dialect that snaphook follows",
		Example: "snaphook version --json",
		Args:    cli.NoArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if v := thisVersion(); f.JSON {
				return cli.SayJSON(cmd, v)
			} else {
				return cli.Say(cmd, v.text())
			}
		},
	}
	f.AddJSON(cmd)
	return cmd
}

// thisVersion returns the version of the running program.
func thisVersion() versions {
	v := versions{Version: version, Go: runtime.Version(), Dialects: map[string]string{}}
	if info, ok := debug.ReadBuildInfo(); ok {
		v.Version = lo.CoalesceOrEmpty(version, strings.TrimPrefix(info.Main.Version, "v"))
		for _, s := range info.Settings {
			if s.Key == "vcs.revision" {
				v.Commit = &s.Value
			}
		}
	}
	v.Version = lo.CoalesceOrEmpty(v.Version, "(devel)")
	for _, d := range systems.Main() {
		v.Dialects[d.Name] = d.Supports
	}
	return v
}

func (v versions) text() string {
	var b strings.Builder
	fmt.Fprintf(&b, "snaphook %s\n", v.Version)
	if v.Commit != nil {
		fmt.Fprintf(&b, "commit   %s\n", *v.Commit)
	}
	fmt.Fprintf(&b, "go       %s\n", strings.TrimPrefix(v.Go, "go"))
	for _, d := range systems.Main() {
		fmt.Fprintf(&b, "%-8s %s\n", d.Name, d.Supports)
	}
	return b.String()
}
