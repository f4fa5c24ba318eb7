package xcshcases

import (
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/snaphook-go/snaphook/events/xcsh"
	"github.com/snaphook-go/snaphook/pipeline"
)

// Options configure a run of cases.
type Options struct {
	// Make makes the modules. Nil means [Typed], and [Untyped] for cases that
	// require it.
	Make Maker

	// Loader loads modules from files of a case. If Loader is nil, cases that require it are skipped.
	Loader xcsh.ModuleLoader

	// Lacks holds the reason for each further capability that is missing.
	Lacks map[string]string
}

// Run runs each case as a subtest that is named after it.
func Run(t *testing.T, cases []Case, opt Options) {
	for _, c := range cases {
		t.Run(c.Name, func(t *testing.T) { c.run(t, opt) })
	}
}

// skip returns why a case cannot run; empty if it can.
func (o *Options) skip(c *Case) string {
	for _, capability := range c.Requires {
		switch {
		case o.Lacks[capability] != "":
			return capability + ": " + o.Lacks[capability]
		case capability == "js-modules" && o.Loader == nil:
			return "js-modules: the nested module jsrun runs it"
		case capability == "locale-collation":
			return "locale-collation: keys are in byte order, a decided difference"
		case (capability == "posix-paths" || capability == "subprocess") && runtime.GOOS == "windows":
			return capability + ": this is Windows"
		}
	}
	return ""
}

func (c *Case) run(t *testing.T, opt Options) {
	if why := opt.skip(c); why != "" {
		t.Skip(why)
	}
	w := c.open(t, opt)
	for i, step := range w.c.Steps {
		got := operations[step.Op](w, &step)
		if same, want, seen := w.compareStep(&step, w.c.Expect.Steps[i], got); !same {
			t.Errorf(
				"%s\n%s, step %d (%s)\nwant %s\ngot  %s",
				c.Title,
				c.Path,
				i+1,
				step.Op,
				toJSON(want),
				toJSON(seen),
			)
		}
	}
	w.compareLists(c.Title)
}

// runningCase holds the state of one running case.
type runningCase struct {
	*caseRecorder
	t       *testing.T
	c       Case // with the directories filled in
	opt     Options
	dirs    map[string]string
	ses     *pipeline.Session
	modules *xcsh.Modules
	apis    map[string]*xcsh.API // APIs of the modules, by path

	listeners map[string]*xcsh.Listener // by id
	unlisten  map[string]func()
}

// open creates the directories, the session, the host and the modules of a case.
func (c *Case) open(t *testing.T, opt Options) *runningCase {
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	w := &runningCase{
		caseRecorder: &caseRecorder{at: map[string]int{}}, t: t, opt: opt, apis: map[string]*xcsh.API{},
		listeners: map[string]*xcsh.Listener{}, unlisten: map[string]func(){},
		dirs: map[string]string{
			"$PROJ": filepath.Join(root, "proj"),
			"$HOME": filepath.Join(root, "home"),
			"$ROOT": root,
		},
	}
	if w.c, err = c.place(w.dirs); err != nil {
		t.Fatal(err)
	}
	w.writeFiles()
	sys := pipeline.NewSystem(pipeline.Config{Log: slog.New(slog.NewTextHandler(io.Discard, nil))})
	t.Cleanup(func() { sys.Close() })
	if w.ses, err = sys.NewSession(t.Context(), pipeline.SessionConfig{ID: "s", Dir: w.dirs["$PROJ"]}); err != nil {
		t.Fatal(err)
	}
	w.modules = w.newModules()
	w.prepareHost()
	w.loadHooks()
	return w
}

func (w *runningCase) writeFiles() {
	for _, dir := range []string{filepath.Join(w.dirs["$PROJ"], ".git"), w.dirs["$HOME"]} {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			w.t.Fatal(err)
		}
	}
	for path, file := range w.c.Files {
		mode := os.FileMode(0o644)
		if file.Executable {
			mode = 0o755
		}
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			w.t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(file.Text), mode); err != nil {
			w.t.Fatal(err)
		}
	}
}

// newModules creates empty modules, and closes them when the case ends.
func (w *runningCase) newModules() *xcsh.Modules {
	cfg := xcsh.Config{
		Dir: w.c.Runner.Cwd, Extensions: w.c.Runtime == "extension", Home: w.dirs["$HOME"],
		Session: entries{list: w.c.Runner.Entries}, Log: slog.New(w.caseRecorder),
	}
	if cfg.Dir == "" {
		cfg.Dir = "/proj"
	}
	if w.opt.Loader != nil {
		cfg.Loaders = []xcsh.ModuleLoader{w.opt.Loader}
	}
	m := xcsh.New(w.ses, cfg)
	w.t.Cleanup(func() {
		if err := m.Close(); err != nil {
			w.t.Error(err)
		}
	})
	return m
}

func (w *runningCase) prepareHost() {
	listeners := []Listener{{ID: "L1"}}
	if w.c.Runner.Listeners != nil {
		listeners = *w.c.Runner.Listeners
	}
	for _, l := range listeners {
		w.listen(l)
	}
	if w.c.Runner.Initialize != nil {
		w.modules.Initialize(w.host(w.c.Runner.Initialize))
	}
}

func (w *runningCase) listen(l Listener) {
	if w.listeners[l.ID] == nil {
		w.listeners[l.ID] = w.listener(l)
	}
	w.unlisten[l.ID] = w.modules.Listen(w.listeners[l.ID])
}

// loadHooks makes and adds the modules of the case.
func (w *runningCase) loadHooks() {
	maker := w.opt.Make
	if maker == nil {
		maker = Typed
		if slices.Contains(w.c.Requires, "dynamic-values") {
			maker = Untyped
		}
	}
	for _, h := range w.c.Hooks {
		path, factory := maker(h)
		err := w.modules.Add(path, func(api *xcsh.API) error {
			w.apis[path] = api
			return factory(api)
		})
		if err != nil {
			w.add(&w.loadErrors, map[string]any{"path": path, "error": strings.TrimPrefix(err.Error(), path+": ")})
		}
	}
}
