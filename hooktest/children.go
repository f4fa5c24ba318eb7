package hooktest

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// children returns the number of child processes that are running, if the system can list them.
func children() (n int, err error) {
	stats, err := filepath.Glob("/proc/[0-9]*/stat")
	if err == nil && len(stats) == 0 {
		err = os.ErrNotExist
	}
	parent := fmt.Sprint(os.Getpid())
	for _, stat := range stats {
		text, err := os.ReadFile(stat)
		if err != nil {
			continue // the process has just ended
		}
		_, after, _ := bytes.Cut(text, []byte(") ")) // the name is followed by state and parent
		if fields := strings.Fields(string(after)); len(fields) > 1 && fields[1] == parent {
			n++
		}
	}
	return n, err
}
