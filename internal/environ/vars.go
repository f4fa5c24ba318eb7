package environ

import (
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
