package xcsh_test

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/snaphook-go/snaphook/events/xcsh"
	"github.com/snaphook-go/snaphook/events/xcsh/discover"
	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/internal/testkit"
)

// files loads .txt files: the text of a file names the result of loading it, or else the command
// that the module registers.
type files struct{ closed []string }

func (f *files) Match(path string) bool { return strings.HasSuffix(path, ".txt") }

func (f *files) Load(_ context.Context, path, _ string) (xcsh.Factory, io.Closer, error) {
	text, err := os.ReadFile(path)
	switch {
	case err != nil:
		return nil, nil, err
	case string(text) == "no factory":
		return nil, nil, xcsh.ErrNoFactory
	case string(text) == "nil":
		return nil, closer{f, path}, nil
	}
	return func(api *xcsh.API) error {
		api.RegisterCommand(xcsh.Command{Name: string(text)})
		if string(text) == "fails" {
			return errors.New("no license")
		}
		return nil
	}, closer{f, path}, nil
}

type closer struct {
	f    *files
	path string
}

func (c closer) Close() error {
	c.f.closed = append(c.f.closed, filepath.Base(c.path))
	return nil
}

func texts(errs []*xcsh.LoadError) (all []string) {
	for _, err := range errs {
		all = append(all, err.Error())
	}
	return all
}

func TestAModuleThatCannotBeLoadedDoesNotStopTheOthers(t *testing.T) {
	for _, extensions := range []bool{false, true} {
		dir, f := t.TempDir(), &files{}
		for name, text := range map[string]string{"a.txt": "one", "b.txt": "no factory", "c.txt": "fails", "d.sh": "", "e.txt": "nil", "z.txt": "two"} {
			testkit.WriteFile(t, filepath.Join(dir, name), text, 0o644)
		}
		m := start(t, xcsh.Config{Dir: dir, Extensions: extensions, Loaders: []xcsh.ModuleLoader{f}})
		errs := m.Load(t.Context(), []string{"a.txt", "b.txt", "c.txt", "d.sh", "e.txt", "gone.txt", "./z.txt", "a.txt"}, "")
		gone := "gone.txt: Failed to load hook: open " + filepath.Join(dir, "gone.txt") + ": no such file or directory"
		want := []string{
			"b.txt: Hook must export a default function",
			"c.txt: Failed to load hook: no license",
			`d.sh: Hook must export a default function: nothing here can load ".sh" files`,
			"e.txt: Hook must export a default function",
			gone,
		}
		if extensions {
			want = []string{
				"b.txt: Extension does not export a valid factory function: b.txt",
				"c.txt: Failed to load extension: no license",
				`d.sh: Extension does not export a valid factory function: d.sh: nothing here can load ".sh" files`,
				"e.txt: Extension does not export a valid factory function: e.txt",
				strings.Replace(gone, "hook", "extension", 1),
			}
		}
		if got := texts(errs); !slices.Equal(got, want) {
			t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
		}
		if !errors.Is(errs[0], xcsh.ErrNoFactory) || !errors.Is(errs[2], xcsh.ErrNoFactory) {
			t.Error("a module without a factory is no ErrNoFactory")
		}
		if got := m.Paths(); !slices.Equal(got, []string{"a.txt", "./z.txt", "a.txt"}) {
			t.Errorf("loaded %q", got)
		}
		if got := m.Infos()[1]; got.Resolved != filepath.Join(dir, "z.txt") || !slices.Equal(got.Commands, []string{"two"}) {
			t.Errorf("the second is %+v", got)
		}
		if err := m.Close(); err != nil || !slices.Equal(f.closed, []string{"c.txt", "e.txt", "a.txt", "z.txt", "a.txt"}) {
			t.Errorf("%v, closed %q", err, f.closed)
		}
	}
}

// Discovered modules are loaded first, and each file once (rule X40).
func TestDiscoveredModulesComeFirstAndEachFileOnce(t *testing.T) {
	dir := t.TempDir()
	at := discover.Place{Cwd: filepath.Join(dir, "proj"), Home: filepath.Join(dir, "home"), User: ".xcsh"}
	pre := filepath.Join(at.Cwd, ".xcsh", "hooks", "pre")
	testkit.WriteFile(t, filepath.Join(pre, "b.txt"), "b", 0o644)
	testkit.WriteFile(t, filepath.Join(pre, "a.txt"), "a", 0o644)
	testkit.WriteFile(t, filepath.Join(pre, "gate.sh"), "", 0o644)
	testkit.WriteFile(t, filepath.Join(at.Cwd, "mine.txt"), "mine", 0o644)
	m := start(t, xcsh.Config{Loaders: []xcsh.ModuleLoader{&files{}}})
	d := xcsh.Discovery{Registry: discover.Standard(), Place: at}
	warnings, errs := m.DiscoverAndLoad(t.Context(), d, []string{"mine.txt", "./.xcsh/hooks/pre/a.txt", filepath.Join(at.Cwd, "x", "..", "mine.txt")})
	var got []string
	for _, c := range m.Commands() {
		got = append(got, c.Name)
	}
	if want := []string{"a", "b", "mine"}; !slices.Equal(got, want) || len(warnings) > 0 {
		t.Errorf("loaded %q, want %q; warnings %q", got, want, warnings)
	}
	if i := m.Infos(); i[0].Source != hook.Project || i[2].Source != hook.Host {
		t.Errorf("they come from %v and %v, want project and host", i[0].Source, i[2].Source)
	}
	if len(errs) != 1 || errs[0].Path != filepath.Join(pre, "gate.sh") || errs[0].Source != hook.Project || !strings.Contains(errs[0].Error(), "nothing here can load") {
		t.Errorf("errors: %q", texts(errs))
	}
}

func TestALevelThatIsNotKnownIsTheProjects(t *testing.T) {
	for level, want := range map[string]hook.Source{"user": hook.User, "project": hook.Project, "local": hook.Local, "managed": hook.Managed, "": hook.Project, "friend": hook.Project} {
		if got := xcsh.SourceOf(level); got != want {
			t.Errorf("%q: got %v, want %v", level, got, want)
		}
	}
}
