package command

import (
	"fmt"
	"strings"

	"github.com/samber/lo"

	"github.com/snaphook-go/snaphook/internal/portable"
)

// systems are the systems that the dialects describe side by side.
func systems() []portable.System {
	return lo.FlatMap(dialects, func(d *dialect, _ int) []portable.System {
		if d.portable == nil {
			return nil
		}
		return d.portable()
	})
}

func systemNamed(name string) (*portable.System, error) {
	all := systems()
	for i := range all {
		if all[i].Name == name {
			return &all[i], nil
		}
	}
	names := lo.Map(all, func(s portable.System, _ int) string { return s.Name })
	return nil, fmt.Errorf("there is no system %q with hooks in settings; write one of: %s", name, strings.Join(names, ", "))
}
