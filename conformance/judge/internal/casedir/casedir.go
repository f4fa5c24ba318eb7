// Package casedir finds the directory of the conformance cases.
package casedir

import (
	"os"
	"path/filepath"
	"runtime"
)

// Root returns $SNAPHOOK_CASES if that is set, else the directory of the module conformance. A
// relative $SNAPHOOK_CASES is relative to the root of the repository.
func Root() string {
	root := module()
	switch elsewhere := os.Getenv("SNAPHOOK_CASES"); {
	case filepath.IsAbs(elsewhere):
		return elsewhere
	case elsewhere != "":
		return filepath.Join(root, "..", elsewhere)
	default:
		return root
	}
}

// module returns the directory of the module conformance: three above the directory of this file or, in a
// binary built with -trimpath, the first directory conformance in or above the working directory.
func module() string {
	if _, source, _, _ := runtime.Caller(0); filepath.IsAbs(source) {
		return filepath.Join(filepath.Dir(source), "..", "..", "..")
	}
	dir, _ := os.Getwd() // without a working directory, no case is found
	for above := dir; above != filepath.Dir(above); above = filepath.Dir(above) {
		for _, candidate := range []string{above, filepath.Join(above, "conformance")} {
			if _, err := os.Stat(filepath.Join(candidate, "judge", "clicases")); err == nil {
				return candidate
			}
		}
	}
	return dir
}
