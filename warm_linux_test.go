package snaphook_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/snaphook-go/snaphook"
	"github.com/snaphook-go/snaphook/internal/testkit"
)

// The project's overlay can make a hook warm; its reports are the same as those of a cold hook.
func TestAnOverlayMakesAHookWarm(t *testing.T) {
	if _, err := exec.LookPath("/usr/bin/python3"); err != nil {
		t.Skip("/usr/bin/python3 is not installed")
	}
	s := open(t, snaphook.Config{}, map[string]string{
		".claude/settings.json": claudeHook("PreToolUse", "", `/usr/bin/python3 "$CLAUDE_PROJECT_DIR"/guard.py`),
		".snaphook.json":        `{"hooks": [{"match": {"command": "*guard.py*"}, "warm": "python"}]}`,
		"guard.py":              "import json, os, sys\ncall = json.load(sys.stdin)\nprint(os.getppid(), file=sys.stderr)\nsys.exit(2 if 'rm' in call['tool_input']['command'] else 0)\n",
	})
	parents := map[string]bool{}
	for until := time.Now().Add(20 * time.Second); len(parents) < 2; {
		for cmd, denied := range map[string]bool{"ls": false, "rm x": true} {
			v, err := s.BeforeTool(t.Context(), command(cmd))
			if err != nil || v.Denied() != denied || len(v.Reports) != 1 {
				t.Fatalf("%s: denied %v, %d reports, err %v", cmd, v.Denied(), len(v.Reports), err)
			}
			if r := v.Reports[0]; (r.Exit == 2) != denied || r.Stderr == "" {
				t.Errorf("%s: exit %d, stderr %q", cmd, r.Exit, r.Stderr)
			}
			parents[strings.TrimSpace(v.Reports[0].Stderr)] = true
		}
		if time.Now().After(until) {
			t.Fatal("no call has run in a warm interpreter")
		}
	}
}

// The overlay can name each of the other kinds of interpreter too. A hook that cannot be kept warm still runs.
func TestAnOverlayNamesTheKind(t *testing.T) {
	examples, err := filepath.Abs("examples/workers")
	if err != nil {
		t.Fatal(err)
	}
	for name, test := range map[string]struct{ program, kind, command, script string }{
		"bash, a file":          {"/bin/bash", "bash", "guard.sh", "#!/bin/bash\nread -r x\n[[ $x == *rm* ]] && { echo no >&2; exit 2; }\nexit 0\n"},
		"bash, a given file":    {"/bin/bash", "bash", "bash guard.sh", "read -r x\n[[ $x == *rm* ]] && { echo no >&2; exit 2; }\nexit 0\n"},
		"bash, with a program":  {"/bin/bash", "bash", "guard.sh", "#!/bin/bash\nif cat | grep -q rm; then echo no >&2; exit 2; fi\n"},
		"node":                  {"/usr/bin/node", "node", "/usr/bin/node guard.sh.mjs", "import fs from 'fs';\nif (fs.readFileSync(0, 'utf8').includes('rm')) { process.stderr.write('no\\n'); process.exit(2); }\n"},
		"a worker in Python":    {"/usr/bin/python3", "worker", "/usr/bin/python3 guard.sh.py", "import json, sys\nsys.path.insert(0, '" + examples + "')\nfrom snaphook_worker import serve\ndef main():\n    if 'rm' in json.load(sys.stdin)['tool_input']['command']:\n        print('no', file=sys.stderr)\n        sys.exit(2)\nserve(main)\n"},
		"no such interpreter":   {"/bin/bash", "python", "/nowhere/python3 guard.sh", ""},
		"a kind that is not it": {"/bin/bash", "node", "guard.sh", "#!/bin/bash\nread -r x\n[[ $x == *rm* ]] && { echo no >&2; exit 2; }\nexit 0\n"},
	} {
		t.Run(name, func(t *testing.T) {
			if _, err := os.Stat(test.program); err != nil {
				t.Skipf("%s is not installed", test.program)
			}
			words := strings.Fields(test.command)
			script, file := test.command, words[len(words)-1]
			if script == "guard.sh" {
				script = `"$CLAUDE_PROJECT_DIR"/guard.sh`
			}
			s := open(t, snaphook.Config{}, map[string]string{
				".claude/settings.json": claudeHook("PreToolUse", "", script),
				".snaphook.json":        `{"hooks": [{"match": {"command": "*guard.sh*"}, "warm": "` + test.kind + `"}]}`,
				file:                    test.script,
			})
			missing := name == "no such interpreter"
			for range 6 {
				for cmd, denied := range map[string]bool{"ls": false, "rm x": true} {
					v, err := s.BeforeTool(t.Context(), command(cmd))
					if err != nil || v.Denied() != (denied && !missing) || len(v.Reports) != 1 {
						t.Fatalf("%s: denied %v, reports %+v, err %v", cmd, v.Denied(), v.Reports, err)
					}
					if r := v.Reports[0]; denied && !missing && (r.Exit != 2 || r.Stderr != "no\n") || missing && r.Exit != 127 {
						t.Errorf("%s: exit %d, stderr %q", cmd, r.Exit, r.Stderr)
					}
				}
			}
		})
	}
}

// With prewarm the interpreter runs before the first event, and the overlay limits the number of
// interpreters.
func TestAnOverlayMakesHooksReadyWithTheSession(t *testing.T) {
	if _, err := os.Stat("/usr/bin/python3"); err != nil {
		t.Skip("/usr/bin/python3 is not installed")
	}
	for name, test := range map[string]struct {
		limit string
		want  int
	}{"without a limit": {"", 3}, "with a limit": {`, "limits": {"warm": 2}`, 2}} {
		t.Run(name, func(t *testing.T) {
			var entries []string
			for _, hook := range []string{"a", "b", "c"} {
				entries = append(entries, `{"type": "command", "command": "/usr/bin/python3 guard.py `+hook+`"}`)
			}
			s := open(t, snaphook.Config{}, map[string]string{
				".claude/settings.json": `{"hooks": {"PreToolUse": [{"hooks": [` + strings.Join(entries, ", ") + `]}]}}`,
				".snaphook.json":        `{"hooks": [{"match": {"command": "*guard.py*"}, "warm": "python", "prewarm": true}]` + test.limit + `}`,
				"guard.py":              "import os, sys\nprint(os.getppid(), file=sys.stderr)\n",
			})
			testkit.Eventually(t, fmt.Sprintf("%d interpreters are ready before the first event", test.want), func() bool {
				return interpreters() == test.want
			})
			v, err := s.BeforeTool(t.Context(), command("ls"))
			if err != nil || len(v.Reports) != 3 {
				t.Fatalf("%d reports, err %v", len(v.Reports), err)
			}
		})
	}
}

// interpreters returns the number of children of this process that are waiting Python interpreters.
func interpreters() (n int) {
	files, _ := filepath.Glob("/proc/self/task/*/children")
	for _, file := range files {
		list, _ := os.ReadFile(file)
		for pid := range strings.FieldsSeq(string(list)) {
			if line, _ := os.ReadFile("/proc/" + pid + "/cmdline"); strings.Contains(string(line), "guard.py") {
				n++
			}
		}
	}
	return n
}
