//go:build unix

package trust_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/run"
	"github.com/snaphook-go/snaphook/trust"
)

// Trust covers a program of the project that a search of PATH finds. Only the covered program runs: the program does
// not run after a change, and another program earlier in PATH does not run either.
func TestAProgramThatPATHLeadsToIsCovered(t *testing.T) {
	const guards = "#!/bin/sh\necho guarded >&2; exit 2\n"
	for name, test := range map[string]struct {
		command string
		path    string // %P is the project, %O a folder elsewhere, %O/L a link to the project's bin
		covered string
		change  string // path in the project
	}{
		"a folder of the project":               {"tool --x", "%P/bin:/usr/bin:/bin", "bin/tool", "bin/tool"},
		"one that is relative":                  {"tool --x", "bin:/usr/bin:/bin", "bin/tool", "bin/tool"},
		"one with dots":                         {"tool", "%P/sub/../bin:/usr/bin:/bin", "bin/tool", "bin/tool"},
		"a link elsewhere to it":                {"tool", "%O/L:/usr/bin:/bin", "bin/tool", "bin/tool"},
		"an empty entry":                        {"tool", ":/usr/bin:/bin", "", "tool"},
		"in a list":                             {"true && tool | cat", "%P/bin:/usr/bin:/bin", "bin/tool", "bin/tool"},
		"set in the command":                    {"PATH=%P/bin:$PATH tool", "/usr/bin:/bin", "bin/tool", "bin/tool"},
		"set before":                            {"PATH=bin:$PATH; tool", "/usr/bin:/bin", "bin/tool", "bin/tool"},
		"exported":                              {"export PATH=$PWD/bin:$PATH && tool", "/usr/bin:/bin", "bin/tool", "bin/tool"},
		"of env":                                {"env tool", "%P/bin:/usr/bin:/bin", "bin/tool", "bin/tool"},
		"env that sets it":                      {"env PATH=%P/bin:/usr/bin tool", "/usr/bin:/bin", "bin/tool", "bin/tool"},
		"of bash -c":                            {"bash -c 'tool --x'", "%P/bin:/usr/bin:/bin", "bin/tool", "bin/tool"},
		"a script of bash":                      {"bash tool", "%P/bin:/usr/bin:/bin", "bin/tool", "bin/tool"},
		"one elsewhere, and then one before it": {"outside", "%P/bin:%O:/usr/bin:/bin", "", "bin/outside"},
		"the same in a list":                    {"true; outside", "%P/bin:%O:/usr/bin:/bin", "", "bin/outside"},
		"an interpreter of a script":            {"./script", "%P/bin:/usr/bin:/bin", "script", "bin/sh2"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := project(t, map[string]string{"*bin/tool": guards, "*script": "#!/usr/bin/env sh2\nexit 2\n", "*bin/sh2": "#!/bin/sh\nexec /bin/sh \"$@\"\n", "sub/x": ""})
			other := t.TempDir()
			if err := os.Symlink(filepath.Join(dir, "bin"), filepath.Join(other, "L")); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(filepath.Join(other, "outside"), []byte(guards), 0o755); err != nil {
				t.Fatal(err)
			}
			fill := strings.NewReplacer("%P", dir, "%O", other)
			command, env := fill.Replace(test.command), []string{"PATH=" + fill.Replace(test.path)}
			direct, _ := run.Direct(command, nil)
			c := &run.Command{Argv: run.Shell(command), Direct: direct, Environ: func(hook.Call) []string { return env }}
			h := &hook.Hook{Identity: hook.Identity{ID: "1", Dialect: "llxprt", Event: "BeforeTool", Source: hook.Project, Type: "command", Command: command}, Runner: c}
			look := func() *trust.Covered {
				covered, err := trust.Cover(t.Context(), dir, []*hook.Hook{h}, trust.Options{Environ: env})
				if err != nil {
					t.Fatal(err)
				}
				return covered
			}
			before := look()
			var files []string
			for _, f := range before.Hooks[0].Files {
				file, err := filepath.EvalSymlinks(f.File)
				if err != nil {
					t.Fatal(err)
				}
				files = append(files, strings.TrimPrefix(file, dir+"/"))
			}
			if test.covered != "" && !strings.Contains(" "+strings.Join(files, " ")+" ", " "+test.covered+" ") {
				t.Errorf("%q is covered, want %s; %s", files, test.covered, before.Hooks[0].Unclear)
			}
			evil := filepath.Join(dir, test.change)
			if err := os.WriteFile(evil, []byte("#!/bin/sh\n: >"+dir+"/ran\n"), 0o755); err != nil {
				t.Fatal(err)
			}
			if look().Digest == before.Digest {
				t.Errorf("the digest is the same with another %s", test.change)
			}
			reply, err := before.Wrap(h, c).Run(t.Context(), hook.Call{Dir: dir})
			if _, there := os.Stat(filepath.Join(dir, "ran")); there == nil {
				t.Errorf("what was not covered has run: %d, %v", reply.Exit, err)
			}
		})
	}
}
