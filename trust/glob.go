package trust

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/snaphook-go/snaphook/internal/bounded"
)

// mostListed limits the number of names compared with patterns, over all hooks: a pattern such as /*/*/*/* matches
// every file of the machine.
const mostListed = 50_000

// The uses of a folder that a pattern names: the files that the pattern matches may run, or they only stand in words.
const (
	searched = "glob "
	listed   = "list "
)

// glob returns the files that a clean absolute pattern matches; whole is false, and matched nil, if list refused a
// directory. use is searched or listed.
func (c *fileCollector) glob(pattern, use string) (matched []string, whole bool) {
	first := strings.IndexAny(pattern, "*?[")
	hard := func(part string) bool { return strings.Contains(pattern, part) }
	if slices.ContainsFunc([]string{"**", "[[", "[]", "-]"}, hard) || !windows && hard(`\`) { // bash reads these otherwise
		return nil, false
	}
	pattern = strings.ReplaceAll(pattern, "[!", "[^")
	if first < 0 {
		return nil, true
	}
	cut := strings.LastIndexByte(pattern[:first], filepath.Separator) + 1
	matched = []string{pattern[:cut]}
	for part := range strings.SplitSeq(pattern[cut:], string(filepath.Separator)) {
		var next []string
		for _, dir := range matched {
			if !strings.ContainsAny(part, `*?[\`) {
				next = append(next, filepath.Join(dir, part))
				continue
			}
			names, ok := c.list(dir)
			if !ok {
				return nil, false
			}
			c.watch(dir, use+part, func(name string) bool { is, err := filepath.Match(part, name); return is || err != nil })
			for _, name := range names {
				if is, err := filepath.Match(part, name); is && err == nil {
					next = append(next, filepath.Join(dir, name))
				}
			}
		}
		matched = next
	}
	matched = slices.DeleteFunc(matched, func(path string) bool { _, err := os.Lstat(path); return err != nil })
	return matched, true
}

// list returns the names in a directory, none if it cannot be read. ok is false if there are too many names, or ctx has
// ended.
func (c *fileCollector) list(dir string) (names []string, ok bool) {
	if c.listed >= mostListed || c.ctx.Err() != nil {
		return nil, false
	}
	c.listed++
	f, err := bounded.OpenDir(dir)
	if err != nil {
		return nil, true
	}
	defer f.Close()
	names, _ = f.Readdirnames(mostListed - c.listed + 1)
	c.listed += len(names)
	slices.Sort(names)
	return names, c.listed <= mostListed
}
