package claudecases

import (
	"errors"
	"io/fs"
	"maps"
	"os"
	"slices"
	"strings"

	"github.com/samber/lo"
)

// Environ returns the environment of the case's engine, each name once: the environment of this process
// without the variables of Claude Code and of a desktop (CLAUDE…, XDG_…), a fresh home directory, HOOK_LOG,
// then the case's env. It has to be passed to the engine explicitly.
func (p *Prepared) Environ() []string {
	env := map[string]string{}
	for _, pair := range os.Environ() {
		name, value, ok := strings.Cut(pair, "=")
		if ok && !strings.HasPrefix(name, "CLAUDE") && !strings.HasPrefix(name, "XDG_") {
			env[name] = value
		}
	}
	env["HOME"], env["HOOK_LOG"] = p.Home, p.path("hook.log")
	maps.Copy(env, p.Env)
	pairs := lo.MapToSlice(env, func(name, value string) string { return name + "=" + value })
	slices.Sort(pairs)
	return pairs
}

// log returns the labels in hook.log, one for each hook that ran.
func (p *Prepared) log() ([]string, error) {
	text, err := os.ReadFile(p.path("hook.log"))
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	return lo.Compact(strings.Split(string(text), "\n")), err
}

// mark begins a step: later checks ignore the labels that exist already.
func (p *Prepared) mark() error {
	labels, err := p.log()
	p.logged = len(labels)
	return err
}
