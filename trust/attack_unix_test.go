//go:build unix

package trust_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/trust"
)

// attacked is a project with every file that a probe needs.
var attacked = map[string]string{
	"hooks/a.js": `const u = require("../lib/u.js"); process.exit(u())`, "lib/u.js": "module.exports = () => require('./v')", "lib/v.json": "2",
	"hooks/esm.mjs": `import { x } from "../lib/e.mjs"; await import("../lib/f.mjs")`, "lib/e.mjs": "export const x = 1", "lib/f.mjs": "", "hooks/pkg.js": `require("left-pad")`, "node_modules/left-pad/index.js": "", "hooks/dir.js": `require("./d")`, "hooks/d/index.js": "",
	"hooks/a.py": "import sys, os\nsys.path.insert(0, os.path.join(os.path.dirname(__file__), '..', 'lib'))\nimport m\n", "lib/m.py": "", "hooks/json1.py": "import json, sys\nprint(json.load(sys.stdin))\n", "hooks/b.py": "import helper\n", "hooks/helper.py": "from pack import thing\n", "hooks/pack/__init__.py": "", "hooks/pack/thing.py": "",
	"hooks/sub.py": "import subprocess\nsubprocess.run(['./lib/x.sh'])\n", "hooks/exec.py": "exec(open('lib/m.py').read())\n", "hooks/imp.py": "m = __import__('m')\n", "hooks/fstr.py": "print(f\"{exec(open('lib/m.py').read())}\")\n", "hooks/third.py": "import yaml\n",
	"app/__main__.py": "import part\n", "app/part.py": "", "hooks/only.pyc": "\x00\x01", "hooks/usepyc.py": "import compiled\n", "hooks/compiled.pyc": "\x00\x01", "venv/x.pth": "import m\n", "*venv/bin/python": "\x7fELF\x00",
	"*lib/x.sh": "#!/bin/sh\nexit 2\n", "lib/M.pm": "1;", "hooks/a.pl": "use M;", "*parts/10-a": "#!/bin/sh\n. lib/part\n", "lib/part": "exit 2\n", "d/1.sh": "exit 0\n", "*bin/tool": "#!/bin/sh\nexit 2\n",
	"*hooks/elf": "\x7fELF\x00\x00", "Makefile": "check:\n\t./lib/x.sh\n", "package.json": "{}", "tasks.py": "", "tests/test_a.py": "", "*hooks/self.sh": "#!/bin/bash\nsource \"$(dirname \"$0\")/../lib/part\"\n", "hooks/f.sh": "f() { ./lib/x.sh; }\nf\n",
	".githooks/pre-commit": "#!/bin/sh\n", "prog.awk": "BEGIN { system(\"lib/x.sh\") }", "prog.sed": "1e lib/x.sh", "mod.jq": "def f: 1;", "*hooks/envs": "#!/usr/bin/env -S bash -e\n. lib/part\n", "*hooks/unknown": "#!/usr/bin/env frob\nx\n", "rc": "x=1\n", ".bunfig": "", "deno.json": "{}",
}

// notes is a Runner that records that it ran.
type notes struct{ ran *bool }

func (n notes) Run(context.Context, hook.Call) (hook.Reply, error) {
	*n.ran = true
	return hook.Reply{}, nil
}

// TestNoCodeChangesUnderAGrant changes or adds a file that a command runs, for each command: trust then no longer
// covers the hook, and the hook does not run in an open session.
func TestNoCodeChangesUnderAGrant(t *testing.T) {
	for _, probe := range [][2]string{
		{"node hooks/a.js", "lib/u.js"}, {"node hooks/a.js", "lib/v.json"}, {"node hooks/a.js", "lib/v.js"}, {"node hooks/a.js", "hooks/package.json"}, {"node hooks/esm.mjs", "lib/e.mjs"}, {"node hooks/esm.mjs", "lib/f.mjs"},
		{"node hooks/pkg.js", "node_modules/left-pad/index.js"}, {"node hooks/dir.js", "hooks/d/index.js"}, {"node hooks/dir.js", "hooks/d.js"}, {"node hooks/dir.js", "hooks/d/package.json"}, {"node -r ./lib/u.js hooks/d/index.js", "lib/u.js"}, {"node --import ./lib/e.mjs hooks/d/index.js", "lib/e.mjs"},
		{"NODE_OPTIONS='--require ./lib/u.js' node hooks/d/index.js", "lib/u.js"}, {`node -e 'require("./lib/u.js")'`, "lib/u.js"}, {`node -e 'require("./lib/" + x)'`, "lib/u.js"}, {`node -p 'process.binding("x")'`, "lib/u.js"}, {"node <<'E'\nrequire('./lib/u.js')\nE", "lib/u.js"}, {"cat lib/u.js | node", "lib/v.json"},
		{"python3 hooks/a.py", "lib/m.py"}, {"python3 hooks/json1.py", "hooks/json.py"}, {"python3 hooks/json1.py", "hooks/json/__init__.py"}, {"python3 hooks/json1.py", "hooks/re.pyc"}, {"python3 hooks/b.py", "hooks/helper.py"}, {"python3 hooks/b.py", "hooks/pack/thing.py"}, {"python3 hooks/b.py", "hooks/pack/new.py"}, {"python3 hooks/b.py", "hooks/__pycache__/helper.cpython-312.pyc"}, {"python3 hooks/b.py", "hooks/helper.cpython-312-x86_64-linux-gnu.so"},
		{"python3 hooks/sub.py", "lib/x.sh"}, {"python3 hooks/exec.py", "lib/m.py"}, {"python3 hooks/imp.py", "lib/m.py"}, {"python3 hooks/fstr.py", "lib/m.py"}, {"python3 hooks/third.py", "yaml.py"}, {"python3 app", "app/part.py"}, {"python3 app", "app/__main__.py"}, {"python3 hooks/only.pyc", "hooks/only.pyc"}, {"python3 hooks/usepyc.py", "hooks/compiled.pyc"},
		{"python3 -m app", "app/part.py"}, {"python3 -c 'import json'", "json.py"}, {"python3 -c 'import m'", "lib/m.py"}, {"PYTHONPATH=lib python3 hooks/json1.py", "lib/m.py"}, {"PYTHONPATH=lib python3 hooks/json1.py", "lib/json.py"}, {"python3 -X pycache_prefix=lib hooks/b.py", "lib/m.py"}, {"python3 -Ic 'exec(1)'", "lib/m.py"}, {"python3 <<'E'\nimport app.part\nE", "app/part.py"}, {"env -C hooks python3 b.py", "hooks/helper.py"}, {"venv/bin/python x.py", "venv/x.pth"}, {"python3.12 hooks/b.py", "hooks/helper.py"},
		{"perl -I lib hooks/a.pl", "lib/M.pm"}, {"perl -Ilib -MM -e 1", "lib/M.pm"}, {"ruby -r ./lib/x hooks/a.rb", "lib/part"}, {"lua x.lua", "lib/part"}, {"./hooks/elf", "lib/lib.so"}, {"LD_LIBRARY_PATH=lib ls", "lib/libc.so"}, {"LD_PRELOAD=lib/part ls", "lib/part"},
		{"env -C lib ./x.sh", "lib/x.sh"}, {"env --chdir=lib sh x.sh", "lib/x.sh"}, {"env -S 'sh lib/x.sh'", "lib/x.sh"}, {"sudo -D lib sh x.sh", "lib/x.sh"}, {"timeout 5 lib/x.sh", "lib/x.sh"}, {"timeout --new 5 x", "lib/x.sh"}, {"flock l -c 'lib/x.sh'", "lib/x.sh"}, {"watch -n1 lib/x.sh", "lib/x.sh"}, {"ssh h lib/x.sh", "lib/x.sh"}, {"frob lib", "lib/x.sh"}, {"nice frob", "lib/x.sh"},
		{"pytest", "tests/test_a.py"}, {"eslint .", "package.json"}, {"prettier --check .", "package.json"}, {"bun run guard", "package.json"}, {"deno task guard", "deno.json"}, {"mise run guard", "rc"}, {"invoke guard", "tasks.py"}, {"make check", "Makefile"}, {"npm test", "package.json"}, {"npx x", "package.json"}, {"uv run hooks/b.py", "hooks/helper.py"}, {"tsx hooks/a.js", "lib/u.js"},
		{"for f in d/*.sh; do sh \"$f\"; done", "d/2.sh"}, {"for f in d/*.sh; do . $f; done", "d/1.sh"}, {"run-parts parts", "parts/20-b"}, {"run-parts parts", "lib/part"}, {"PATH=bin:$PATH tool", "bin/tool"}, {"PATH=bin:$PATH tool", "bin/sh"}, {"PATH=bin:$PATH; jq .", "bin/jq"}, {"PATH=$X:$PATH jq .", "bin/jq"}, {"find d -name '*.sh' -exec sh {} \\;", "d/3.sh"}, {"find . -exec {} \\;", "lib/x.sh"}, {"cat d/*.sh | sh", "d/4.sh"},
		{"link/l.sh", "outside/l.sh"}, {"sh link/l.sh", "outside/l.sh"}, {"python3 link/p.py", "outside/q.py"}, {"python3 link/p.py", "outside/json.py"}, {"run-parts link/parts", "outside/parts/z"}, {"make", "outside/deep/x"}, {"sh one.sh", "outside/l.sh"}, {"node link/n.js", "outside/o.js"},
		{"hooks/self.sh", "lib/part"}, {"sh hooks/f.sh", "lib/x.sh"}, {"hooks/envs", "lib/part"}, {"hooks/unknown", "lib/part"}, {"git commit -m x", ".githooks/pre-commit"}, {"git -c core.fsmonitor=lib/x.sh status", "lib/x.sh"}, {"awk -f prog.awk", "lib/x.sh"}, {"awk 'BEGIN{system(\"lib/x.sh\")}'", "lib/x.sh"}, {"awk 'BEGIN{\"lib/\" x | getline}'", "lib/x.sh"}, {"sed -f prog.sed rc", "lib/x.sh"}, {"sed '1e lib/x.sh' rc", "lib/x.sh"}, {"sed 's/x/lib\\/x.sh/e' rc", "lib/x.sh"}, {"jq -L . 'import \"mod\" as m; m::f'", "mod.jq"},
		{"sort --compress-program=lib/x.sh rc", "lib/x.sh"}, {"sort --comp=./lib/x.sh rc", "lib/x.sh"}, {"tar --to-command=lib/x.sh -xf a", "lib/x.sh"}, {"enable -f ./lib/part x", "lib/part"}, {"mapfile -C 'lib/x.sh' -c 1 a", "lib/x.sh"}, {"x='sh lib/x.sh'; $x", "lib/x.sh"}, {"trap 'lib/x.sh' EXIT", "lib/x.sh"}, {"xargs -a rc lib/x.sh", "lib/x.sh"}, {"bash --new hooks/f.sh", "lib/x.sh"}, {"bash -O extglob -c 'lib/x.sh'", "lib/x.sh"}, {"BASH_ENV=rc bash -c :", "rc"}, {"export BASH_ENV=$X; bash -c :", "rc"},
		{"for p in jq frob; do $p; done", "lib/x.sh"}, {"make() { :; }; sh -c make", "Makefile"}, {"bash <(cat rc)", "rc"}, {"exec -a x sh lib/x.sh", "lib/x.sh"}, {"! sh lib/x.sh", "lib/x.sh"}, {"time sh lib/x.sh", "lib/x.sh"}, {"coproc sh lib/x.sh", "lib/x.sh"}, {"sh -e -u lib/x.sh", "lib/x.sh"}, {"sh < lib/x.sh", "lib/x.sh"}, {"x=(sh lib/x.sh); \"${x[@]}\"", "lib/x.sh"}, {"declare x=sh; $x lib/x.sh", "lib/x.sh"}, {"printf -v x 'sh lib/x.sh'; $x", "lib/x.sh"}, {"read x < rc; $x", "lib/x.sh"},
		{"set -- sh lib/x.sh; \"$@\"", "lib/x.sh"}, {"alias ls=lib/x.sh; ls", "lib/x.sh"}, {"hash -p lib/x.sh ls; ls", "lib/x.sh"}, {"shopt -s expand_aliases; alias ls=lib/x.sh\nls", "lib/x.sh"}, {"f() { frob; }; f", "rc"}, {"find d -execdir ./1.sh \\;", "d/1.sh"}, {"ls d | while read f; do sh d/$f; done", "d/1.sh"}, {"PROMPT_COMMAND=lib/x.sh bash -ic :", "lib/x.sh"}, {"export PATH=$PWD/bin:$PATH; jq .", "bin/jq"}, {"cd lib && sh x.sh", "lib/x.sh"},
		{"git diff --ext-diff", "rc"}, {"GIT_EXTERNAL_DIFF=lib/x.sh git diff", "lib/x.sh"}, {"rg --pre lib/x.sh x", "lib/x.sh"}, {"ssh-add", "rc"}, {"man x", "rc"}, {"vim -es -S rc", "rc"}, {"less rc", "rc"}, {"ld.so lib/x.sh", "lib/x.sh"}, {"script -c lib/x.sh /dev/null", "lib/x.sh"}, {"node --test", "hooks/a.js"}, {"node .", "package.json"}, {"node hooks/d", "hooks/d/index.js"}, {"pypy3 hooks/b.py", "hooks/helper.py"}, {"python3 -S -m hooks.b", "hooks/helper.py"}, {"nodejs hooks/a.js", "lib/u.js"}, {"node -r fs hooks/a.js", "lib/u.js"},
		{"sed -n '/x/e lib/x.sh' rc", "lib/x.sh"}, {"sed -e p -e '1e lib/x.sh' rc", "lib/x.sh"}, {"sed --expression='1e lib/x.sh' rc", "lib/x.sh"}, {"sed p -e '1e lib/x.sh' rc", "lib/x.sh"}, {"awk -i inplace -f prog.awk", "lib/x.sh"}, {"gawk '@load \"x\"'", "lib/x.sh"}, {"awk -v x=1 -f prog.awk", "lib/x.sh"}, {"jq --from-file mod.jq .", "mod.jq"}, {"jq -f mod.jq", "mod.jq"}, {"git log --ext-diff", "lib/x.sh"}, {"command . lib/part", "lib/part"}, {"busybox sh lib/x.sh", "lib/x.sh"},
	} {
		command, change := probe[0], probe[1]
		dir, outside := project(t, attacked), project(t, map[string]string{
			"*l.sh": "#!/bin/sh\nexit 2\n", "p.py": "import q\n", "q.py": "", "*parts/y": "#!/bin/sh\n", "deep/x": "", "n.js": "require('./o')", "o.js": "",
		})
		for name, to := range map[string]string{"link": "", "one.sh": "l.sh"} {
			if err := os.Symlink(filepath.Join(outside, to), filepath.Join(dir, name)); err != nil {
				t.Fatal(err)
			}
		}
		h := &hook.Hook{Identity: hook.Identity{ID: "1", Dialect: "llxprt", Event: "BeforeTool", Source: hook.Project, Type: "command", Command: command}}
		look := func() *trust.Covered {
			c, err := trust.Cover(t.Context(), dir, []*hook.Hook{h}, trust.Options{Environ: []string{"PATH=/usr/bin:/bin", "HOME=/nonexistent"}})
			if err != nil {
				t.Fatalf("%s: %v", command, err)
			}
			return c
		}
		before := look()
		ran := false
		r := before.Wrap(h, notes{&ran})
		if _, err := r.Run(t.Context(), hook.Call{Dir: dir}); err != nil || !ran {
			t.Errorf("%s: unchanged, it does not run: %v", command, err)
		}
		file := filepath.Join(dir, change)
		if rest, is := strings.CutPrefix(change, "outside/"); is {
			file = filepath.Join(outside, rest)
		}
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte("#!/bin/sh\nexit 0 # changed\n"), 0o755); err != nil {
			t.Fatal(err)
		}
		if look().Digest == before.Digest {
			t.Errorf("%s: the digest is the same with another %s", command, change)
		}
		ran = false
		if _, err := r.Run(t.Context(), hook.Call{Dir: dir}); err == nil || ran {
			t.Errorf("%s: it runs with another %s, %v", command, change, err)
		}
	}
}

// Common hooks are clear: trust in such a hook covers only a few files, and lasts while other files change.
func TestCommonHooksAreClear(t *testing.T) {
	dir := project(t, map[string]string{
		"*hooks/g.sh": "#!/usr/bin/env bash\nset -euo pipefail\n# guard\ninput=$(cat)\ncmd=$(jq -r '.tool_input.command // empty' <<< \"$input\")\nlog() { printf '%s\\n' \"$*\" >&2; }\nif echo \"$cmd\" | grep -qE 'rm -rf'; then log no; exit 2; fi\ncase \"$cmd\" in *sudo*) exit 2;; esac\nbranch=$(git rev-parse --abbrev-ref HEAD 2>/dev/null || true)\n[[ $branch == main ]] && { log main; exit 2; }\nexit 0\n",
		"hooks/g.py":  "#!/usr/bin/env python3\n\"\"\"Guard. exec is a word here.\"\"\"\nimport json, re, sys\nfrom pathlib import Path\nimport os.path\n\ndef main():\n    data = json.load(sys.stdin)\n    cmd = data.get('tool_input', {}).get('command', '')\n    if re.compile(r'rm\\s+-rf').search(cmd) or os.environ.get('X'):\n        print(f\"no: {cmd!r}\", file=sys.stderr)\n        sys.exit(2)\n\nif __name__ == '__main__':\n    main()\n",
		"hooks/g.js":  "#!/usr/bin/env node\n// guard\nconst fs = require('fs');\nconst path = require('node:path');\nconst input = JSON.parse(fs.readFileSync(0, 'utf8'));\nif (/rm\\s+-rf/.test(input.tool_input.command)) { console.error(`no ${input.x}`); process.exit(2); }\n",
	})
	for _, command := range []string{
		"hooks/g.sh", "bash hooks/g.sh --x", `"$CLAUDE_PROJECT_DIR"/hooks/g.sh`, "python3 hooks/g.py", "python3 -u hooks/g.py", "node hooks/g.js", "node --no-warnings hooks/g.js", "timeout 5 python3 hooks/g.py",
		"jq -r '.tool_input.file_path' | grep -q '\\.env$' && exit 2 || exit 0", `python3 -c "import json,sys; d=json.load(sys.stdin); sys.exit(2 if '.env' in d.get('tool_input',{}).get('file_path','') else 0)"`, `node -e 'const i=JSON.parse(require("fs").readFileSync(0)); if (i.tool_name==="Bash") process.exit(2)'`,
		"echo '{\"decision\":\"block\"}'", "date >> /tmp/log", "git diff --stat", "git status --porcelain | head -5", "sed -n 's/a/b/p' | awk '{print $1}' | sort | uniq -c", "env X=1 hooks/g.sh", "if [ -f x ]; then cat; fi", "notify-send done", "awk -F: '{ print $2 }'", "xargs -n1 grep -l x",
	} {
		if _, c := covered(t, dir, command); c.Hooks[0].Unclear != "" {
			t.Errorf("%s: %s", command, c.Hooks[0].Unclear)
		}
	}
}
