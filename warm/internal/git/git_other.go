//go:build !linux

package git

import "github.com/snaphook-go/snaphook/warm/internal/shell"

// Programs returns nothing: git runs in this process on Linux only.
func Programs() map[string]shell.Program { return nil }
