package xcsh

import (
	"slices"
	"sync"
)

var linked struct {
	sync.Mutex
	loaders []ModuleLoader
}

// RegisterLoader registers a loader for programs that find modules by themselves. A package that loads modules calls it
// in its init, as jsrun/modules does.
func RegisterLoader(l ModuleLoader) {
	linked.Lock()
	defer linked.Unlock()
	linked.loaders = append(linked.loaders, l)
}

// Loaders returns the registered loaders.
func Loaders() []ModuleLoader {
	linked.Lock()
	defer linked.Unlock()
	return slices.Clone(linked.loaders)
}
