package tests

import (
	"fmt"

	"github.com/samber/lo"
	"github.com/spf13/cobra"

	"github.com/snaphook-go/snaphook/cmd/snaphook/internal/cli"
	"github.com/snaphook-go/snaphook/cmd/snaphook/internal/fixture"
)

// updateFixtures writes the observed outcome into fixtures with unmet expectations, and into steps without
// expectations. The written fixtures then pass.
func updateFixtures(cmd *cobra.Command, results []*fixtureResult) error {
	for _, some := range lo.PartitionBy(results, func(r *fixtureResult) string { return r.At.File }) {
		var all []fixture.Update
		for _, r := range some {
			for i, step := range r.steps {
				all = append(all, fixture.Update{
					Fixture: r.Fixture, Step: i, Wrong: step.wrong, Seen: &step.seen, Place: step.place,
				})
			}
		}
		file := some[0].At.File
		n, err := fixture.Write(cmd.Context(), file, all)
		if err != nil {
			return fmt.Errorf("--update: %w", err)
		}
		if n == 0 {
			continue
		}
		for _, r := range some {
			for i := range r.steps {
				r.steps[i].wrong = nil
			}
		}
		if err := cli.Say(cmd, "updated "+file+": "+cli.Count(n, "expectation")); err != nil {
			return err
		}
	}
	return nil
}
