package trust_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/samber/lo"

	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/internal/testkit"
	"github.com/snaphook-go/snaphook/trust"
)

// project makes a directory with files, and returns its path with links resolved. A file whose name
// begins with * is executable.
func project(t testing.TB, files map[string]string) string {
	t.Helper()
	dir := testkit.Dir(t)
	for name, text := range files {
		path := filepath.Join(dir, strings.TrimPrefix(name, "*"))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), lo.Ternary(strings.HasPrefix(name, "*"), os.FileMode(0o755), 0o644)); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func covered(t testing.TB, dir, command string, argv ...string) (files []string, c *trust.Covered) {
	t.Helper()
	h := &hook.Hook{Identity: hook.Identity{Dialect: "llxprt", Event: "BeforeTool", Type: "command", Command: command, Argv: argv}}
	c, err := trust.Cover(t.Context(), dir, []*hook.Hook{h}, trust.Options{Environ: []string{"HOME=" + dir + "/home", "PATH=/usr/bin"}})
	if err != nil {
		t.Fatalf("%s: %v", command, err)
	}
	for _, f := range c.Hooks[0].Files {
		files = append(files, strings.TrimPrefix(filepath.ToSlash(f.File), filepath.ToSlash(dir)+"/"))
	}
	return files, c
}

func TestEveryFileThatACommandRunsIsCovered(t *testing.T) {
	files := map[string]string{
		"*hooks/g.sh": "#!/bin/sh\n. \"$(dirname \"$0\")/lib\"\nexit 0\n", "*hooks/guard": "#!/bin/bash\nexit 0\n", "hooks/lib": "x=1\n", "*hooks/here.sh": "cd \"$(dirname \"${BASH_SOURCE[0]}\")\" && source ./lib\n",
		"*hooks/other": "#!hooks/interpreter -x\nbody\n", "*hooks/interpreter": "#!/bin/sh\ncat \"$2\"\n", "parts/10-a": "echo a\n", "parts/20-b": "echo b\n",
		"bin/tool": "echo\n", "rc": "echo rc\n", "check.py": "import helper\n", "helper.py": "", "notes.txt": "echo hi\n", "with space.sh": "echo\n", "deep/a/b.sh": "../c.sh\n", "deep/c.sh": "echo\n",
		"*zero/g.sh": "#!/bin/bash\n. zero/lib/b.sh\n", "zero/lib/b.sh": ". \"$(dirname \"$0\")/a.sh\"\n", "zero/a.sh": "", "*zero/index.sh": "#!/bin/bash\n. \"${BASH_SOURCE[1]}\"\n",
	}
	dir := project(t, files)
	for command, want := range map[string]string{
		"./hooks/g.sh":                               "hooks/g.sh hooks/lib",
		"hooks/g.sh --x":                             "hooks/g.sh hooks/lib",
		"bash hooks/guard":                           "hooks/guard",
		"sh -x hooks/guard arg":                      "hooks/guard",
		"cd hooks && ./g.sh":                         "hooks/g.sh hooks/lib",
		"cd hooks; ./guard":                          "hooks/guard",
		"(cd hooks && bash guard)":                   "hooks/guard",
		"pushd hooks >/dev/null && ./guard":          "hooks/guard",
		"source hooks/lib":                           "hooks/lib",
		". hooks/lib && true":                        "hooks/lib",
		". ./hooks/lib":                              "hooks/lib",
		"H=hooks; bash $H/g.sh":                      "hooks/g.sh hooks/lib",
		"H=hooks/guard bash -c '$H'":                 "hooks/guard",
		`export H=hooks; "$H/guard"`:                 "hooks/guard",
		"H=parts; H=hooks; $H/guard":                 "hooks/guard",
		"bash hooks/*.sh":                            "hooks/g.sh hooks/here.sh hooks/lib",
		"bash hooks/g?ar[d]":                         "hooks/guard",
		"bash hooks/{guard,lib}":                     "hooks/guard hooks/lib",
		"for f in hooks/gu*; do bash \"$f\"; done":   "hooks/guard",
		"for f in hooks/guard; do $f; done":          "hooks/guard",
		`bash -c "./hooks/guard --x"`:                "hooks/guard",
		`bash -lc 'cd hooks && ./guard'`:             "hooks/guard",
		`sh -c 'sh -c "sh hooks/guard"'`:             "hooks/guard",
		"bash < hooks/guard":                         "hooks/guard",
		"bash -s < hooks/lib":                        "hooks/lib",
		"cat hooks/guard | bash":                     "hooks/guard",
		"cat hooks/guard | sh -s -- x":               "hooks/guard",
		"echo ./hooks/guard | sh":                    "hooks/guard",
		"bash <<< './hooks/guard'":                   "hooks/guard",
		"bash <<E\n./hooks/guard\nE":                 "hooks/guard",
		"sh <<'E'\ncd hooks\n./guard\nE":             "hooks/guard",
		"PATH=bin:$PATH tool":                        "bin/tool",
		"PATH=$PWD/bin:$PATH; tool":                  "bin/tool",
		"BASH_ENV=rc bash -c true":                   "rc",
		"env BASH_ENV=rc bash -c true":               "rc",
		"bash --rcfile rc -i -c true":                "rc",
		"bash --rcfile=rc -c true":                   "rc",
		"run-parts parts":                            "parts/10-a parts/20-b",
		"find parts -type f -exec sh {} \\;":         "parts/10-a parts/20-b",
		"find . -name x -exec hooks/guard {} +":      "*",
		"find -L parts -type f -exec sh {} \\;":      "parts/10-a parts/20-b",
		"find -H -O3 -D exec parts -exec sh {} \\;":  "parts/10-a parts/20-b",
		"find -EL parts -type f -exec sh {} \\;":     "parts/10-a parts/20-b",
		"find -x -- parts -type f -exec sh {} \\;":   "parts/10-a parts/20-b",
		"find -f parts -- -exec sh {} \\;":           "parts/10-a parts/20-b",
		"find -L . -exec sh {} \\;":                  "*",
		"find -type f -exec sh {} \\;":               "*",
		"x='-exec sh'; find parts $x {} \\;":         "parts/10-a parts/20-b",
		"ls parts/* | xargs -n1 sh":                  "*",
		"./hooks/other":                              "hooks/interpreter hooks/other",
		"env -i hooks/guard":                         "hooks/guard",
		"timeout 5 bash hooks/guard":                 "hooks/guard",
		"nice -n 5 hooks/guard || true":              "hooks/guard",
		"exec hooks/guard":                           "hooks/guard",
		"command . hooks/lib":                        "hooks/lib",
		"hooks/here.sh":                              "hooks/here.sh hooks/lib",
		"python3 check.py":                           "check.py helper.py",
		"'./with space.sh'":                          "with space.sh",
		"eval ./hooks/guard":                         "hooks/guard",
		"trap ./hooks/guard EXIT":                    "hooks/guard",
		"trap './hooks/guard --x' EXIT":              "hooks/guard",
		"f() { hooks/guard; }; f":                    "hooks/guard",
		"if hooks/guard; then :; fi":                 "hooks/guard",
		"x=$(hooks/guard)":                           "hooks/guard",
		"diff <(hooks/guard) /dev/null":              "hooks/guard",
		`"$CLAUDE_PROJECT_DIR"/hooks/guard`:          "hooks/guard",
		`"${LLXPRT_PROJECT_DIR}/hooks/guard" arg`:    "hooks/guard",
		`$(git rev-parse --show-toplevel)/hooks/lib`: "hooks/lib",
		"deep/a/b.sh":                                "deep/a/b.sh deep/c.sh",
		"cat notes.txt >> log.txt":                   "notes.txt",
		"tee notes.txt":                              "",
		"./missing.sh":                               "",
		"zero/g.sh":                                  "zero/a.sh zero/g.sh zero/lib/b.sh",
		"sh zero/g.sh":                               "zero/a.sh zero/g.sh zero/lib/b.sh",
		". zero/g.sh":                                "*",
		"sh < zero/lib/b.sh":                         "*",
		"cat zero/lib/b.sh | sh":                     "*",
		"BASH_ENV=zero/lib/b.sh bash -c :":           "*",
		"bash --rcfile zero/lib/b.sh -i -c :":        "*",
		"sh -c '. \"$0\"' hooks/lib":                 "*",
		"zero/index.sh":                              "*",
		"true":                                       "",
		"":                                           "",
		"jq -r .tool_name":                           "",

		"$X/guard":                    "*",
		"$(cat notes.txt)":            "*",
		"eval \"$(cat notes.txt)\"":   "*",
		"curl -s http://x | sh":       "*",
		"source <(cat rc)":            "*",
		`bash -c "$X"`:                "*",
		"while read f; do $f; done":   "*",
		"make check":                  "*",
		"npm run guard":               "*",
		"python3 -m guard":            "*",
		`python3 -c 'import guard'`:   "*",
		"hooks/guard (":               "*",
		`cd "$X" && ./guard`:          "*",
		"PATH=.:$PATH guard":          "*",
		strings.Repeat("(", 9000):     "*",
		"bash -c " + "'" + "$X" + "'": "*",
	} {
		got, c := covered(t, dir, command)
		slices.Sort(got)
		unclear := c.Hooks[0].Unclear
		if want == "*" && (unclear == "" || len(got) != len(files)) || want != "*" && (unclear != "" || strings.Join(got, " ") != want) {
			t.Errorf("%.60q\ngot  %q, %q\nwant %q", command, strings.Join(got, " "), unclear, want)
		}
	}
}

// A pattern that matches every file of the machine reads a limited number of files.
func TestAPatternLooksAtABoundedNumberOfFiles(t *testing.T) {
	dir := project(t, map[string]string{"*hooks/a.sh": "exit 2\n", "*hooks/b.sh": "exit 2\n"})
	for command, unclear := range map[string]bool{
		"ls " + strings.Repeat("/*", 60): true, "bash /*/*/*/*/*": true, "cat /proc/*/task/*/fd/*/*": true,
		"bash hooks/*.sh": false, "bash hooks/[ab].sh": false, "bash hooks/[a": false, "ls *": false, "cat missing/*/*": false,
	} {
		files, c := covered(t, dir, command)
		if is := c.Hooks[0].Unclear != ""; is != unclear && !(unclear && len(files) == 0) {
			t.Errorf("%.40s: unclear %q, want %v", command, c.Hooks[0].Unclear, unclear)
		}
		if strings.HasPrefix(command, "bash hooks/") && strings.Contains(command, "sh") && strings.Contains(command, "].sh") && len(files) != 2 {
			t.Errorf("%s covers %q", command, files)
		}
	}
}
