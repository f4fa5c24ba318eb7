//go:build unix

package trust_test

import (
	"cmp"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/internal/testkit"
	"github.com/snaphook-go/snaphook/trust"
)

// commandCase is a command of testdata/commands.json, with the scripts that bash runs for it.
type commandCase struct {
	Command string            `json:"command"`
	Runs    []string          `json:"runs"`  // scripts as in logging
	Files   map[string]string `json:"files"` // other files; a name that begins with * is executable
	Links   map[string]string `json:"links"` // symbolic links, with the paths to which they lead
	Environ []string          `json:"environ"`
}

// logging has scripts in the languages of trust, by the ends of their names. trust cannot see all that they run.
var logging = map[string]string{
	"":     "#!/bin/sh\necho x >> \"$LOG\"\neval \"$(true)\"\n",
	".py":  "import os\nopen(os.environ['LOG'], 'a').write('x')\nexec('')\n",
	".js":  "require('fs').appendFileSync(process.env.LOG, 'x'); eval('')\n",
	".mjs": "import fs from 'fs'; fs.appendFileSync(process.env.LOG, 'x'); eval('')\n",
}

// TestBashRunsNoFileThatTrustDoesNotSee runs each command in bash. If one of its scripts runs, the hook has to be
// unclear: trust has seen that the script runs, or does not know which files run. A grant from before the script was
// there must not hold.
func TestBashRunsNoFileThatTrustDoesNotSee(t *testing.T) {
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Skip("the judge is bash: ", err)
	}
	text, err := os.ReadFile("testdata/commands.json")
	if err != nil {
		t.Fatal(err)
	}
	var cases []commandCase
	if err := json.Unmarshal(text, &cases); err != nil {
		t.Fatal(err)
	}
	ran := 0
	for _, c := range cases {
		dir := project(t, c.Files)
		log := filepath.Join(t.TempDir(), "log")
		for name, to := range c.Links {
			if err := os.Symlink(to, filepath.Join(dir, name)); err != nil {
				t.Fatal(err)
			}
		}
		environ := append([]string{"PATH=/usr/bin:/bin", "HOME=/nonexistent", "LOG=" + log, "CLAUDE_PROJECT_DIR=" + dir}, c.Environ...)
		h := &hook.Hook{Identity: hook.Identity{Dialect: "claude", Event: "PreToolUse", Type: "command", Command: c.Command}}
		cover := func() *trust.Covered {
			covered, err := trust.Cover(t.Context(), dir, []*hook.Hook{h}, trust.Options{Environ: environ})
			if err != nil {
				t.Fatal(err)
			}
			return covered
		}
		before := cover()
		for _, script := range c.Runs {
			testkit.WriteFile(t, filepath.Join(dir, script), cmp.Or(logging[filepath.Ext(script)], logging[""]), 0o755)
		}
		covered := cover()
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
		cmd := exec.CommandContext(ctx, bash, "-c", c.Command)
		cmd.Dir, cmd.Env, cmd.WaitDelay = dir, append(slices.Clone(environ), "PWD="+dir), time.Second
		_ = cmd.Run() // some commands fail after the script
		cancel()
		if _, err := os.Stat(log); err != nil {
			continue // this version of bash does not run it
		}
		if ran++; covered.Hooks[0].Unclear == "" {
			t.Errorf("bash runs %s, and trust does not know: %q %q", strings.Join(c.Runs, " "), c.Command, c.Files)
		}
		if len(c.Runs) > 0 && before.Digest == covered.Digest {
			t.Errorf("bash runs %s, which were not there, and the grant holds: %q %q", strings.Join(c.Runs, " "), c.Command, c.Files)
		}
	}
	if ran < len(cases)*2/3 {
		t.Errorf("of %d commands, %d ran their scripts: the cases do not reach them", len(cases), ran)
	}
	t.Logf("%d of %d commands ran their scripts", ran, len(cases))
}

// TestScriptsThatFindTheirOwnFolderAreClear lists usual ways in which a script finds the files beside it.
func TestScriptsThatFindTheirOwnFolderAreClear(t *testing.T) {
	for _, script := range []string{
		"D=\"$(cd \"$(dirname \"${BASH_SOURCE[0]}\")\" && pwd)\"\nsource \"$D/lib.sh\"",
		"D=\"$(cd \"$(dirname \"$0\")\" && pwd)\"\nE=\"$(cd \"$(dirname \"$0\")\" && pwd)\"\n. \"$E/lib.sh\"",
		"D=$(cd -P \"$(dirname \"${BASH_SOURCE[0]}\")\" >/dev/null 2>&1 && pwd)\nsource \"$D/lib.sh\"",
		"D=$(CDPATH= cd -- \"$(dirname -- \"$0\")\" && pwd -P)\n. \"$D/lib.sh\"",
		"cd \"${CLAUDE_PROJECT_DIR:-$(CDPATH= cd -- \"$(dirname -- \"${BASH_SOURCE[0]}\")/..\" && pwd)}\" || exit 0\n. hooks/lib.sh",
		"D=$(cd \"$(dirname \"$0\")/..\" && pwd)\nsource \"$D/hooks/lib.sh\"",
		"D=$(dirname \"$0\")\nsource \"$D/lib.sh\"",
		"D=$(dirname \"$(readlink -f \"$0\")\")\nsource \"$D/lib.sh\"",
		"cd \"$(dirname \"$0\")\" || exit 1\n. ./lib.sh",
		"cd \"${BASH_SOURCE%/*}\" || exit 1\n. ./lib.sh",
		"for f in a b; do . \"$(dirname \"$0\")/lib.sh\"; done\ncd \"$(dirname \"$0\")\"",
		"set -euo pipefail\nshopt -s nullglob\ncommand -v jq &>/dev/null || exit 0\n. \"${0%/*}/lib.sh\"",
		"log=/tmp/${0##*/}.log\necho x >> \"$log\"\ncp \"$0\" /tmp/backup\n. \"${0%/*}/lib.sh\"",
		"IFS= read -r line\nchmod +x \"$(dirname \"$0\")/lib.sh\"\nbash -euo pipefail \"$(dirname \"$0\")/lib.sh\"",
		"set -a; [ -f .env ] && . ./.env; set +a\ncd \"$CLAUDE_PROJECT_DIR\" && hooks/lib.sh",
	} {
		for _, shell := range []string{"#!/bin/bash", "#!/usr/bin/env bash", "#!/bin/sh"} {
			dir := project(t, map[string]string{"*hooks/g.sh": shell + "\n" + script + "\n", "*hooks/lib.sh": "x=1\n", ".env": "A=1\n"})
			for _, command := range []string{"hooks/g.sh", "\"$CLAUDE_PROJECT_DIR\"/hooks/g.sh", "bash hooks/g.sh", "cd hooks && ./g.sh"} {
				h := &hook.Hook{Identity: hook.Identity{Dialect: "claude", Event: "PreToolUse", Type: "command", Command: command}}
				environ := []string{"PATH=/usr/bin:/bin", "HOME=/nonexistent", "CLAUDE_PROJECT_DIR=" + dir}
				covered, err := trust.Cover(t.Context(), dir, []*hook.Hook{h}, trust.Options{Environ: environ})
				if err != nil {
					t.Fatal(err)
				}
				if is := covered.Hooks[0]; is.Unclear != "" || len(is.Files) < 2 {
					t.Errorf("%s of %q: %q, files %v", command, script, is.Unclear, is.Files)
				}
			}
		}
	}
}
