package command

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/expand"
	"mvdan.cc/sh/v3/syntax"

	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/internal/bounded"
)

// script is a file that a command runs.
type script struct {
	File   string `json:"file"`
	SHA256 string `json:"sha256"`
}

// hookScripts finds the files that a hook runs: those of its command, and the
// scripts among its arguments.
func hookScripts(ctx context.Context, dir string, h *hook.Hook) (scripts []script, err error) {
	switch h.Type {
	case moduleType:
		return moduleScripts(ctx, within(dir, filepath.FromSlash(h.Command)))
	case "command":
	default:
		return nil, nil
	}
	found := paths(dir, h.Command)
	if len(h.Argv) > 1 && h.Argv[1] != "-c" { // what follows -c is the command
		for _, arg := range h.Argv[1:] {
			if path := within(dir, arg); looksLikeScript(path) && !slices.Contains(found, path) {
				found = append(found, path)
			}
		}
	}
	return readScripts(found)
}

// within gives the path that a word means to a program that runs in dir.
func within(dir, word string) string {
	if filepath.IsAbs(word) {
		return word
	}
	return filepath.Join(dir, word)
}

// scriptsOf finds the files that a command runs, as far as they can be told
// from its text: commands that are paths, and arguments and input that look
// like scripts ("python3 check.py"). What a script runs in turn is not found,
// and programs of the search path are the system's.
func scriptsOf(dir, command string) (scripts []script, err error) {
	return readScripts(paths(dir, command))
}

func readScripts(paths []string) (scripts []script, err error) {
	for _, path := range paths {
		s, found, err := readScript(path)
		if err != nil {
			return nil, err
		}
		if found {
			scripts = append(scripts, s)
		}
	}
	return scripts, nil
}

// paths gives the files, existing or not, that the words of a command may
// name, each once.
func paths(dir, command string) (found []string) {
	add := func(word *syntax.Word, first bool) {
		text, err := expand.Literal(hookExpansion(dir), word)
		if err != nil || text == "" {
			return // it depends on what commands print
		}
		path := within(dir, text)
		isScript := !first && looksLikeScript(path) || first && strings.ContainsRune(text, '/')
		if isScript && !slices.Contains(found, path) {
			found = append(found, path)
		}
	}
	visit := func(node syntax.Node) bool {
		switch node := node.(type) {
		case *syntax.CallExpr:
			for i, word := range node.Args {
				add(word, i == 0)
			}
		case *syntax.Redirect:
			if node.Op == syntax.RdrIn && node.Word != nil {
				add(node.Word, false)
			}
		}
		return true
	}
	if bounded.Shell(command) != nil {
		return nil // such a hook never runs
	}
	var mistake error // the shell, too, runs what stands before it
	for s, err := range syntax.NewParser().StmtsSeq(strings.NewReader(command)) {
		if mistake = cmp.Or(mistake, err); mistake == nil { // a loop that is left here panics: the parser goes on
			syntax.Walk(s, visit)
		}
	}
	return found
}

// hookExpansion expands variables as a hook's shell would, and runs nothing.
func hookExpansion(dir string) *expand.Config {
	return &expand.Config{
		Env: expand.FuncEnviron(func(name string) string {
			switch name {
			case "LLXPRT_PROJECT_DIR", "GEMINI_PROJECT_DIR", "CLAUDE_PROJECT_DIR", "PWD":
				return dir
			}
			return os.Getenv(name)
		}),
		CmdSubst:  func(io.Writer, *syntax.CmdSubst) error { return errors.ErrUnsupported },
		ProcSubst: func(*syntax.ProcSubst) (string, error) { return "", errors.ErrUnsupported },
	}
}

var scriptEndings = []string{".sh", ".bash", ".zsh", ".fish", ".ps1", ".py", ".js", ".mjs", ".cjs", ".ts", ".mts", ".cts", ".rb", ".pl", ".php", ".lua"}

// looksLikeScript tells scripts from the data that a command works on: log
// files change with every run.
func looksLikeScript(path string) bool {
	if slices.Contains(scriptEndings, strings.ToLower(filepath.Ext(path))) {
		return true
	}
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular() && info.Mode().Perm()&0o111 != 0
}

// largestScript bounds the work that a command can ask for by naming a file.
const largestScript = 1 << 30

// readScript gives the digest of a regular file. No more is read than the file
// says it has: some of the system's say 0 and never end.
func readScript(path string) (s script, found bool, err error) {
	f, info, err := bounded.Open(path)
	if errors.Is(err, fs.ErrPermission) {
		return s, false, err
	}
	if err != nil {
		return s, false, nil
	}
	defer f.Close()
	if info.Size() > largestScript {
		return s, false, fmt.Errorf("%s has %d bytes, and trust covers files of up to %d; run it through a small script", path, info.Size(), largestScript)
	}
	sum := sha256.New()
	if _, err := io.CopyN(sum, f, info.Size()); err != nil && !errors.Is(err, io.EOF) {
		return s, false, err
	}
	return script{File: path, SHA256: hex.EncodeToString(sum.Sum(nil))}, true, nil
}
