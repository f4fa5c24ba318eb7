package environ

import (
	"cmp"
	"slices"
	"strings"
)

// Getenv returns the value of a variable in env, or "". If a name occurs twice, the last entry counts.
func Getenv(env []string, name string) string {
	for _, entry := range slices.Backward(env) {
		if value, ok := strings.CutPrefix(entry, name+"="); ok {
			return value
		}
	}
	return ""
}

// WithVar returns a copy of env in which a variable is set.
func WithVar(env []string, name, value string) []string {
	env = slices.DeleteFunc(slices.Clone(env), func(entry string) bool { return strings.HasPrefix(entry, name+"=") })
	return append(env, name+"="+value)
}

// Etc returns the directory for machine-wide files: /etc, or the value of SNAPHOOK_ETC in env, for tests and
// for building images.
func Etc(env []string) string { return cmp.Or(Getenv(env, "SNAPHOOK_ETC"), "/etc") }
