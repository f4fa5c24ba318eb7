package warm

import (
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/snaphook-go/snaphook/internal/inprocess"
)

// A script that would take much memory or time in this process is left to bash before it takes them.
func TestNoScriptTakesTheMemoryOrTheTimeOfItsHost(t *testing.T) {
	many := strings.Repeat("a", 100_000)
	for name, script := range map[string]string{
		"a replacement that grows":           `x=$(</dev/stdin); y=${x//a/$x}; exit 3`,
		"words of a function that calls":     `f() { f "$@" "$@" "$@" "$@"; }; f a b`,
		"a word of many values":              `x=$(</dev/stdin); y="` + strings.Repeat("$x", 5000) + `"; exit 3`,
		"echo of many words":                 `x=$(</dev/stdin); echo` + strings.Repeat(` "$x"`, 5000) + `; exit 3`,
		"printf of many words":               `x=$(</dev/stdin); printf '` + strings.Repeat("%s", 5000) + `'` + strings.Repeat(` "$x"`, 5000) + `; exit 3`,
		"printf of a list":                   `x=$(</dev/stdin); printf '%s'` + strings.Repeat(` "$x"`, 5000) + `; exit 3`,
		"all elements of an array":           `x=$(</dev/stdin); a=(` + strings.Repeat(`"$x" `, 5000) + `); y="${a[*]}"; exit 3`,
		"all parameters":                     `x=$(</dev/stdin); f() { y="$*"; }; f` + strings.Repeat(` "$x"`, 5000) + `; exit 3`,
		"a pattern of many values":           `x=$(</dev/stdin); case b in ` + strings.Repeat(`"$x"`, 5000) + `*) ;; esac; exit 3`,
		"an expression of many instructions": `x=$(</dev/stdin); [[ $x =~ ` + strings.Repeat("(.{1,50})?", 10) + `z ]]; exit 3`,
		"grep with many instructions":        `grep -qE '` + strings.Repeat("(.{1,50})?", 10) + `z'; exit 3`,
		"jq with many instructions":          `jq -R 'test("` + strings.Repeat("(.{1,50})?", 10) + `z")'; exit 3`,
		"a replacement of sed that grows":    `sed 's/a/&&&&/g' | sed 's/a/&&&&/g' | sed 's/a/&&&&/g'; exit 3`,
		"sed with many commands": `for i in 1 2 3 4 5 6 7 8 9; do sed '` + strings.Repeat("s/a*a*a*b//;", 4000) +
			`'; done; exit 3`,
		"sed with one command, often": `while true; do sed 's/(a|b)*(.{1,50})?c/\1/' </dev/null; done`,
		"git in a loop":               `while true; do git rev-parse --git-dir 2>/dev/null; done`,
	} {
		t.Run(name, func(t *testing.T) {
			s, err := Tools().Compile(script)
			if err != nil {
				return // the script is left to bash
			}
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			start := time.Now()
			_, why, ok := s.Run(&inprocess.Call{Stdin: []byte(many), Env: map[string]string{"PATH": "/usr/bin:/bin", "LANG": "C.UTF-8", "HOME": "/nowhere"}})
			took := time.Since(start)
			runtime.ReadMemStats(&after)
			if ok {
				t.Error("it ran here")
			}
			if size := after.TotalAlloc - before.TotalAlloc; size > 64<<20 || took > 2*time.Second {
				t.Errorf("it took %d MiB and %v (%s)", size>>20, took, why)
			}
		})
	}
}
