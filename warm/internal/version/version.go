// Package version finds out the versions of installed programs.
package version

import (
	"context"
	"os/exec"
	"strings"
	"time"
)

// limit is the time that a program has to print its version.
const limit = 2 * time.Second

// Starts reports whether the first line that a program prints for --version begins with an element of texts.
func Starts(file string, texts ...string) bool {
	line := Line(file)
	for _, text := range texts {
		if strings.HasPrefix(line, text) {
			return true
		}
	}
	return false
}

// Line returns the first line that a program prints for --version, or "" if it fails.
func Line(file string) string {
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	defer cancel()
	cmd := exec.CommandContext(ctx, file, "--version")
	cmd.Env = []string{"LC_ALL=C"}
	out, err := cmd.Output()
	if err != nil {
		return ""
	}
	line, _, _ := strings.Cut(string(out), "\n")
	return line
}
