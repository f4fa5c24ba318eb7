package jsrun

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/snaphook-go/snaphook/internal/lazyregexp"
)

// The runtimes of modules; see [Options]. A process of [Node] or [Bun] has the files, the network, the programs and the
// packages of its user, and the same API objects of the host as in the sandbox.
const (
	Sandbox = "sandbox" // a separate engine inside this process, without access to the system
	Node    = "node"    // a process of the node in PATH
	Bun     = "bun"     // a process of the bun in PATH
	Auto    = "auto"    // the sandbox if the module needs no more, otherwise Node.js, or Bun if node is not in PATH
)

// Runtimes lists the values of [Options.Runtime].
var Runtimes = []string{Sandbox, Node, Bun, Auto}

// choose returns the bundle for the runtime in opt.
func choose(ctx context.Context, path string, opt Options) (*bundle, error) {
	switch opt.Runtime {
	case "", Sandbox:
		b, err := bundled(ctx, path, opt)
		if err == nil {
			b.runtime, b.why = Sandbox, "the default"
		}
		return b, err
	case Node, Bun:
		return bundledFor(ctx, path, opt, opt.Runtime, "as the host says")
	case Auto:
		return chosen(ctx, path, opt)
	}
	return nil, fmt.Errorf("there is no runtime %q; write one of %s", opt.Runtime, strings.Join(Runtimes, ", "))
}

// chosen returns a bundle for the sandbox if the sandbox has everything that the module needs, otherwise one for a
// process, if node or bun is in PATH.
func chosen(ctx context.Context, path string, opt Options) (*bundle, error) {
	b, err := bundledWith(ctx, path, opt, opt.library(), marks(opt))
	need := ""
	switch broken := new(BuildError); {
	case err == nil:
		need = b.marked()
	case errors.As(err, &broken):
		need = broken.need()
	}
	if need == "" && err != nil {
		return nil, err
	}
	if need == "" {
		b.runtime, b.why = Sandbox, "it needs nothing of Node.js"
		return b, nil
	}
	kinds := []string{Node, Bun}
	if strings.HasPrefix(need, "it imports bun") || strings.HasPrefix(need, "it uses Bun ") {
		slices.Reverse(kinds)
	}
	for _, kind := range kinds {
		if _, missing := exec.LookPath(kind); missing == nil {
			return bundledFor(ctx, path, opt, kind, need)
		}
	}
	if err != nil {
		return nil, fmt.Errorf("%w; it could run in Node.js or Bun, but neither node nor bun is in PATH", err)
	}
	if b, err = bundled(ctx, path, opt); err == nil {
		b.runtime, b.why = Sandbox, need+", but neither node nor bun is in PATH"
	}
	return b, err
}

// mark is the prefix that the bundler adds to globals that the sandbox lacks. A name with this prefix in a bundle is
// therefore a missing global that the module uses.
const mark = "__snaphook_needs_"

func marks(opt Options) map[string]string {
	names := map[string]string{}
	for name := range foreign {
		if name == "require" { // the argument of require is resolved as an import
			continue
		}
		names[name], names["globalThis."+name] = mark+name, mark+name
	}
	granted := []string{"process.platform"}
	if current(opt.Dir) != "" {
		granted = append(granted, "process.cwd")
	}
	if opt.Environ != nil {
		granted = append(granted, "process.env")
	}
	if len(granted) > 1 {
		for _, name := range granted {
			names[name] = name
		}
	}
	return names
}

var marking = lazyregexp.New(mark + `(\w+)`)

// marked returns a global, with its position, that the module uses and the sandbox lacks.
func (b *bundle) marked() string {
	at := marking.FindStringSubmatchIndex(b.code)
	if at == nil {
		return ""
	}
	before := b.code[:at[0]]
	row, column := strings.Count(before, "\n")+1, at[0]-strings.LastIndexByte(before, '\n')
	text := fmt.Sprintf("%s:%d:%d", b.name, row, column)
	text = readSourceMap(b.lines).mapped(text, frame.FindStringSubmatch(text))
	return "it uses " + b.code[at[2]:at[3]] + " (" + text + ")"
}

// need returns the first mistake of a module if only the sandbox causes it; empty if it is a mistake in every runtime.
func (e *BuildError) need() string {
	if len(e.Mistakes) == 0 {
		return ""
	}
	m := e.Mistakes[0]
	name, rest, _ := strings.Cut(m.Message, " is not available: ")
	if rest == "" || strings.Contains(rest, "only files can be imported") {
		return ""
	}
	return fmt.Sprintf("it imports %s (%s:%d:%d)", name, m.File, m.Line, m.Column)
}

// bundledFor returns a bundle for a process. If the module needs a part of a package that the host does not provide,
// the bundle uses the installed package, if there is one.
func bundledFor(ctx context.Context, path string, opt Options, kind, why string) (*bundle, error) {
	program, err := exec.LookPath(kind)
	if err != nil {
		return nil, fmt.Errorf("%s cannot be started: %w; install it, or let modules run in the sandbox", kind, err)
	}
	if program, err = filepath.Abs(program); err != nil {
		return nil, err
	}
	modules := opt.library()
	modules.host = maps.Clone(modules.host)
	modules.beside = &surroundings{kind: kind, dir: filepath.Dir(path), partial: opt.Partial, lacking: map[string]bool{}}
	for {
		b, err := bundledWith(ctx, path, opt, modules, nil)
		if broken := new(BuildError); errors.As(err, &broken) && modules.beside.learn(broken) {
			continue
		}
		if err != nil {
			return nil, err
		}
		b.runtime, b.why, b.program, b.name = kind, why, program, processModule
		return b, nil
	}
}
