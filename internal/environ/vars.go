package environ

import (
	"cmp"
	"slices"
	"strings"
)

// Getenv returns the value of a variable in env, or "". Of equal names the last one counts.
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

// Etc returns the directory for machine-wide files: /etc, or SNAPHOOK_ETC in env, which stands for
// it in tests and in images that are being built.
func Etc(env []string) string { return cmp.Or(Getenv(env, "SNAPHOOK_ETC"), "/etc") }
