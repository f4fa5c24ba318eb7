//go:build !unix

package copilot

// checkOwner accepts every file: the system guards the directory of policies.
func checkOwner(string, []string) error { return nil }
