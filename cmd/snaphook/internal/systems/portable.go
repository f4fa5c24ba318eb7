package systems

import (
	"fmt"
	"strings"

	"github.com/samber/lo"

	"github.com/snaphook-go/snaphook/internal/portable"
)

// Portable returns, for all dialects, the systems between which hooks can be moved.
func Portable() []portable.System {
	return lo.FlatMap(All, func(d *Dialect, _ int) []portable.System {
		if d.portable == nil {
			return nil
		}
		return d.portable()
	})
}

// PortableNamed returns the system with a name that verb port understands.
func PortableNamed(name string) (*portable.System, error) {
	all := Portable()
	for i := range all {
		if all[i].Name == name {
			return &all[i], nil
		}
	}
	names := lo.Map(all, func(s portable.System, _ int) string { return s.Name })
	return nil, fmt.Errorf("there is no system %q with hooks in settings; write one of: %s", name, strings.Join(names, ", "))
}
