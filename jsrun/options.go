package jsrun

import (
	"cmp"
	"maps"
	"slices"
	"strings"
	"time"
)

// Options set the limits and the environment of a module. The zero value is a good default.
type Options struct {
	CPU time.Duration // longest run without a pause, in wall time; 0 means 1 s, or 30 s in a process
	// bytes of the heap; 0: 64 MiB. In a process, 0 means 512 MiB, and the resident memory may be 128 MiB larger
	Memory uint64
	Stack  int // depth of calls; 0 means 5000, 20000 is the maximum; not used in a process

	// Load limits the total time of [Open] and [Module.Start]: bundling, and a top level or a factory that awaits. 0
	// means ten seconds ([MaxLoad]).
	Load time.Duration

	// Runtime selects where modules run: [Sandbox] (the default), or a process of [Node] or [Bun] with the rights of
	// this process. [Auto] uses a process for modules that need one. See [Module.Runtime].
	Runtime string

	// Console receives the module's console output, and uncaught exceptions as level "error". It
	// is called on the module's goroutine. Nil drops the output.
	Console func(level, text string)

	// Modules holds the texts, JavaScript or TypeScript, of modules that are imported by a bare
	// name, in addition to node:path and node:url.
	Modules map[string]string

	// Partial lists packages, and scopes that end in "/". If such a package is not installed, a process has only the
	// parts of the package that Modules has; use of another part throws an error.
	Partial []string

	// Members names the members that are read from a result that is an object. Each member is read once, as JavaScript
	// reads it: also inherited members, members that are not enumerable, getters and Proxies. A result without any of
	// Members is encoded by JSON.stringify. Flags names those Members that are booleans; an object as the value of such
	// a member counts as true.
	Members, Flags []string

	// Watched lists members of arguments, by the member "type" of the argument. If a function changes such a member in
	// place, or assigns another value to it, the result of the call has the change too; see [Split]. The cost of a call
	// grows with the number of values in the watched members.
	Watched map[string][]string

	// Root is the directory that contains all files the module may import, after links are
	// resolved; empty means the module's own directory. An import of a file elsewhere fails when
	// the module is loaded.
	Root string

	// Check is called with each file of the module before it is read as code, on goroutines of the bundler. If it
	// returns an error, the module is not loaded. Nil accepts all.
	Check func(path string, text []byte) error

	// Dir is the current directory, for process.cwd and for resolve of node:path. If it is empty or relative, a path
	// that needs a directory is an error.
	Dir string

	// Environ holds the variables of process.env, "NAME=value". If Environ is nil, use of process.env is an error,
	// because to a gate an empty environment would look like a setting; a module in a process then has the variables of
	// its host.
	Environ []string
}

// limited returns the options with their defaults.
func (o Options) limited(source *bundle) Options {
	if source.program != "" {
		o.CPU, o.Memory = cmp.Or(o.CPU, processCPU), cmp.Or(o.Memory, processMemory)
		return o
	}
	o.CPU, o.Memory = cmp.Or(o.CPU, time.Second), cmp.Or(o.Memory, 64<<20)
	return o
}

// library returns the modules that can be imported by a bare name.
func (o Options) library() library { return library{host: o.Modules, dir: current(o.Dir)} }

// results returns, as JSON, the names that prelude.js reads.
func (o Options) results() string {
	list := func(names []string) string {
		all := make([]string, len(names))
		for i, name := range names {
			all[i] = literal(name)
		}
		return "[" + strings.Join(all, ",") + "]"
	}
	watched := make([]string, 0, len(o.Watched))
	for _, kind := range slices.Sorted(maps.Keys(o.Watched)) {
		watched = append(watched, literal(kind)+":"+list(o.Watched[kind]))
	}
	return `{"members":` + list(o.Members) + `,"flags":` + list(o.Flags) +
		`,"watched":{` + strings.Join(watched, ",") + `}}`
}
