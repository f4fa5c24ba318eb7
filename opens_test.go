package snaphook_test

import (
	"regexp"
	"strings"
	"testing"
)

// rawOpens lists the files that open or lock a file by name without internal/bounded. The reason says why neither a
// hook nor a project can replace the file, or why a file that they put in its place cannot block the opener.
var rawOpens = map[string]string{
	"internal/bounded/":                         "is the bounded opener",
	"internal/scratch/":                         "makes a directory of its own with a new file in it, and only tries its lock",
	"warm/internal/shell/files_other.go":        "opens without waiting, and reads a regular file up to its limit",
	"warm/internal/shell/files_linux.go":        "opens without waiting, and reads a regular file up to its limit",
	"warm/internal/shell/write.go":              "opens without waiting the files that a script writes, after it has looked at them",
	"run/warm_shell_linux.go":                   "opens without waiting, and reads a regular file up to its limit",
	"run/warm_worker_process_linux.go":          "reads a file of /proc",
	"run/strays_linux.go":                       "reads files of /proc",
	"internal/processor/times_linux.go":         "reads files of /proc",
	"run/guardian_unix.go":                      "opens the null device",
	"jsrun/process.go":                          "opens the null device",
	"internal/publichooks/":                     "reads copies of repositories in tests",
	"hooktest/children.go":                      "reads files of /proc",
	"record/lock_":                              "opens without waiting, only appends, and locks as state does",
	".ci/":                                      "runs in the gate alone",
	"state/own_":                                "locks a file of bounded.OpenLock through bounded.Lock, which waits for a bounded time",
	"trust/store.go":                            "opens its lock for writing, which waits for no pipe, and tries it for a bounded time",
	"cmd/snaphook/command/tests/recordtest.go":  "makes a new file",
	"cmd/snaphook/internal/project/terminal.go": "opens the terminal",
	"cmd/snaphook/internal/cli/interrupt.go":    "waits for a pipe that the user has named, until the context ends",
	"cmd/snaphook/internal/fixture/tree.go":     "makes a new file",
	"cmd/snaphook/command/init.go":              "makes a new file",
	"pipeline/session.go":                       "makes a new file",
	"fleet/spool.go":                            "makes new files in a directory of its own, for this user alone",
	"conformance/":                              "reads its own cases",
	"examples/":                                 "is read by people, and runs in their hosts",
	"bench/":                                    "measures",
}

var rawOpen = regexp.MustCompile(`\bos\.(?:Open|OpenFile|ReadFile|Create)\(|\b(?:unix|syscall)\.Open(?:at2?)?\(|\bFlock\(|\bLockFileEx\(|\bflock\.New\(`)

// A file that a hook can replace may be a pipe, a device or endless: internal/bounded opens each,
// and rawOpens lists every exception with its reason.
func TestFilesAreOpenedWithinBounds(t *testing.T) {
	used := map[string]bool{}
	for _, path := range tracked(t, "*.go") {
		text := read(t, path)
		at := rawOpen.FindStringIndex(text)
		if strings.HasSuffix(path, "_test.go") || strings.Contains(path, "testkit/") || at == nil {
			continue
		}
		known := false
		for prefix := range rawOpens {
			if strings.HasPrefix(path, prefix) {
				known, used[prefix] = true, true
			}
		}
		if !known {
			t.Errorf("%s:%d opens a file without a bound: use internal/bounded, or write in rawOpens why it is safe",
				path, lineAt(text, at[0]))
		}
	}
	for prefix := range rawOpens {
		if !used[prefix] && prefix != "bench/" {
			t.Errorf("rawOpens has %q, which opens no file", prefix)
		}
	}
}
