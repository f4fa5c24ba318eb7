//go:build !unix

package bounded

const (
	noWait   = 0
	noFollow = 0
)
