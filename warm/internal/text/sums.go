package text

import (
	"encoding/hex"
	"hash"
	"strings"

	"github.com/snaphook-go/snaphook/warm/internal/shell"
)

// sum prints a checksum of standard input, or of files.
func sum(algorithm func() hash.Hash) func(args []string) (run, error) {
	return func(args []string) (run, error) {
		for _, name := range args {
			if strings.HasPrefix(name, "-") || strings.ContainsAny(name, "\\\n\r") || name == "" {
				return nil, errArguments
			}
		}
		return func(p *shell.Process) int {
			one := func(text []byte, name string) {
				p.Spend(8 * len(text))
				h := algorithm()
				h.Write(text)
				p.Print([]byte(hex.EncodeToString(h.Sum(nil)) + "  " + name + "\n"))
			}
			if len(args) == 0 {
				one(p.Stdin(), "-")
			}
			for _, name := range args {
				one(p.Open(name), name)
			}
			return 0
		}, nil
	}
}
