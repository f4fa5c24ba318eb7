package modules_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/samber/lo"

	"github.com/snaphook-go/snaphook/conformance/judge/llxprtcases"
	xcshcases "github.com/snaphook-go/snaphook/conformance/judge/xcshcases"
	"github.com/snaphook-go/snaphook/events/xcsh"
	"github.com/snaphook-go/snaphook/internal/testkit"
	"github.com/snaphook-go/snaphook/jsrun"
	"github.com/snaphook-go/snaphook/jsrun/modules"
)

// TestXcsh runs every case with modules in JavaScript in place of those in Go.
func TestXcsh(t *testing.T) { runCases(t, jsrun.Sandbox) }

// TestXcshInAProcess runs every case with the same modules in processes of Node.js and of Bun; without SNAPHOOK_TIMES,
// every fourth.
func TestXcshInAProcess(t *testing.T) {
	for _, runtime := range []string{jsrun.Node, jsrun.Bun} {
		t.Run(runtime, func(t *testing.T) {
			if _, err := exec.LookPath(runtime); err != nil {
				t.Skipf("%s is not installed", runtime)
			}
			runCases(t, runtime)
		})
	}
}

func runCases(t *testing.T, runtime string) {
	dir, found := llxprtcases.Dir("xcsh")
	if !found {
		t.Skip("there are no xcsh cases in the directory of SNAPHOOK_CASES")
	}
	cases, err := xcshcases.Load(dir)
	if err != nil {
		t.Fatal(err)
	}
	loader := &modules.Loader{Runtime: runtime}
	for _, c := range testkit.Part(cases, lo.Ternary(runtime == jsrun.Sandbox, 1, 4)) {
		maker := &maker{t: t, dir: t.TempDir(), loader: loader}
		xcshcases.Run(t, []xcshcases.Case{c}, xcshcases.Options{Make: maker.make, Loader: loader})
		maker.close()
	}
}

// maker makes the modules of a case.
type maker struct {
	t      *testing.T
	dir    string
	loader *modules.Loader
	made   []func() error
}

func (m *maker) make(h xcshcases.Hook) (string, xcsh.Factory) {
	path := filepath.Join(m.dir, strconv.Itoa(len(m.made)), "hook.mjs")
	return h.Path, func(api *xcsh.API) error {
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			return err
		}
		if err := os.WriteFile(path, []byte(xcshcases.GenerateJS(h)), 0o600); err != nil {
			return err
		}
		f, closer, err := m.loader.Load(m.t.Context(), path, m.dir)
		if err != nil {
			return err
		}
		m.made = append(m.made, closer.Close)
		return f(api)
	}
}

func (m *maker) close() {
	for _, end := range m.made {
		if err := end(); err != nil {
			m.t.Error(err)
		}
	}
}
