package jsrun

import (
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/snaphook-go/snaphook/internal/testkit"
)

// asks runs a module that consists of beginning and a handler that returns the value of expression.
func asks(t *testing.T, beginning, expression string, opt Options) string {
	t.Helper()
	a := written(t, beginning+"\nexport default pi => pi.on('call', () => { try { return ("+expression+") } catch (e) { return `${e.name}: ${e.message}` } })", opt)
	got, err := a.call(t, "{}")
	if err != nil {
		t.Fatal(err)
	}
	return string(got)
}

func TestPathsAreTakenApartAsNodeDoes(t *testing.T) {
	for _, test := range []struct{ name, expression, want string }{
		{"join", "[p.join('a', '', '..', '../b', '/c/'), p.join('', ''), p.join('/', '..', 'x'), p.join('a//', './b')]", `["../b/c/",".","/x","a/b"]`},
		{"normalize", "['', 'a/../..', '/../a/', './', '/a//b/./c/..', 'a/b/../'].map(p.normalize)", `[".","..","/a/","./","/a/b","a/"]`},
		{"resolve", "[p.resolve('/a', 'b', '../c'), p.resolve('/a', '/b/'), p.resolve('x', '.'), p.resolve(), p.resolve('/a', '')]", `["/a/c","/b","/here/now/x","/here/now","/a"]`},
		{"relative", "[p.relative('/a/b/c', '/a/d'), p.relative('/a', '/a'), p.relative('/a', '/a/b/'), p.relative('x', '/here/y'), p.relative('/ab', '/a')]", `["../../d","","b","../../y","../a"]`},
		{"dirname", "['/a/b/', '/a', 'a', '', '/', 'a//b', './x'].map(p.dirname)", `["/a","/",".",".","/","a/","."]`},
		{"basename", "[p.basename('/a/b.ts/'), p.basename('a.ts', '.ts'), p.basename('.ts', '.ts'), p.basename('/'), p.basename('')]", `["b.ts","a",".ts","",""]`},
		{"extname", "['a.b.c', '.env', '.env.local', 'a.', '/x.y/z', '..', ''].map(p.extname)", `[".c","",".local",".","","",""]`},
		{"isAbsolute", "['/a', 'a', '', '~'].map(p.isAbsolute)", `[true,false,false,false]`},
		{"parse and format", "[p.parse('/a/b.c'), p.format({ dir: '/a', base: 'b' }), p.format({ root: '/', name: 'x', ext: 'y' })]", `[{"root":"/","dir":"/a","base":"b.c","ext":".c","name":"b"},"/a/b","/x.y"]`},
		{"what is no text", "p.join('a', undefined)", `"TypeError: The \"path\" argument must be of type string. Received undefined"`},
		{"paths of Windows", "[p.win32.normalize('C:/a/..\\\\b/'), p.win32.join('a', '..', 'b\\\\c'), p.win32.resolve('C:\\\\a', '..', 'b'), p.win32.isAbsolute('C:\\\\a'), p.win32.isAbsolute('C:a'), p.win32.basename('C:\\\\x\\\\y.z', '.z'), p.win32.dirname('\\\\\\\\s\\\\t\\\\u'), p.win32.relative('C:\\\\a\\\\B', 'c:\\\\A\\\\c')]",
			`["C:\\b\\","b\\c","C:\\b",true,false,"y","\\\\s\\t\\","..\\c"]`},
		{"both, whichever is the host's", "[p === p.posix, p.posix.win32 === p.win32, p.sep, p.win32.sep, p.delimiter]", `[true,true,"/","\\",":"]`},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			got := asks(t, "import p from 'node:path/posix'", test.expression, Options{Dir: "/here/now"})
			if runtime.GOOS == "windows" && strings.Contains(test.expression, "/here") {
				t.Skip("/here/now is not a directory")
			}
			if got != test.want {
				t.Errorf("got  %s\nwant %s", got, test.want)
			}
		})
	}
}

func TestModulesOfNodeThatNeedNoSystemCanBeImported(t *testing.T) {
	dir := t.TempDir()
	for _, test := range []struct{ name, beginning, expression, want string }{
		{"by names", "import { join, sep } from 'node:path'", "join('a', 'b') === 'a' + sep + 'b'", "true"},
		{"as a whole", "import * as path from 'path'", "path.extname('a.b')", `".b"`},
		{"as the default", "import path from 'node:path'", "path.basename('a/b')", `"b"`},
		{"with require", "const { dirname } = require('path')", "dirname('a/b')", `"a"`},
		{"later", "const path = await import('node:path')", "path.posix.join('a', 'b')", `"a/b"`},
		{"from an address to a file", "import { fileURLToPath } from 'node:url'", "[fileURLToPath('file:///a%20b/c'), fileURLToPath(new URL('file:///d'))]", `["/a b/c","/d"]`},
		{"from no file's address", "import { fileURLToPath } from 'url'", "fileURLToPath('https://a/b')", `"TypeError: The URL must be of scheme file"`},
		{"from an address with a hidden slash", "import { fileURLToPath } from 'url'", "fileURLToPath('file:///a%2Fb')", `"TypeError: File URL path must not include encoded / characters"`},
		{"from a file to its address", "import { pathToFileURL } from 'node:url'", "pathToFileURL('/a b/c#%?d/').href", `"file:///a%20b/c%23%25%3Fd/"`},
		{"without a directory", "import { resolve } from 'node:path'", "resolve('a')", `"Error: a module has no current directory: begin with one, as in resolve(ctx.cwd, path)"`},
		{"without needing one", "import { resolve } from 'node:path'", "resolve('/a', 'b')", `"/a/b"`},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			if runtime.GOOS == "windows" && strings.Contains(test.want, "/") {
				t.Skip("these are not paths of Windows")
			}
			if got := asks(t, test.beginning, test.expression, Options{Dir: "not/absolute"}); got != test.want {
				t.Errorf("got  %s\nwant %s", got, test.want)
			}
		})
	}
	want := literal(filepath.Join(dir, "a"))
	if got := asks(t, "import { resolve } from 'node:path'", "resolve('a')", Options{Dir: dir}); got != want {
		t.Errorf("in a directory: got %s, want %s", got, want)
	}
	if got := asks(t, "import { join } from 'path'", "join()", Options{Modules: map[string]string{"path": "export const join = () => 'mine'"}}); got != `"mine"` {
		t.Errorf("the host's own: got %s", got)
	}
}

func TestFilesKnowWhereTheyAre(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "ä b")
	for name, text := range map[string]string{
		"hook.ts": "#!/usr/bin/env bun\nimport { inner } from './sub/lib';\nimport { own } from './own';\nconst old = require('./sub/old.cjs');\n" +
			"export default (pi: any) => pi.on('call', () => [import.meta.url, import.meta.dir, import.meta.path, __filename, inner(), own, old.dir, typeof import.meta.env])",
		"sub/lib.ts":  "export function inner(): string[] { return [import.meta.dirname, import.meta.filename] }",
		"sub/old.cjs": "exports.dir = __dirname",
		"own.ts":      "const __dirname: string = 'its own'; export const own = __dirname",
	} {
		testkit.WriteFile(t, filepath.Join(dir, name), text, 0o600)
	}
	a := loaded(t, filepath.Join(dir, "hook.ts"), Options{})
	got, err := a.call(t, "{}")
	if err != nil {
		t.Fatal(err)
	}
	file, sub := filepath.Join(dir, "hook.ts"), filepath.Join(dir, "sub")
	sameJSON(t, got, "["+strings.Join([]string{
		literal("file://" + strings.NewReplacer("ä", "%C3%A4", " ", "%20").Replace(filepath.ToSlash(file))),
		literal(dir), literal(file), literal(file),
		"[" + literal(sub) + "," + literal(filepath.Join(sub, "lib.ts")) + "]", `"its own"`, literal(sub), `"undefined"`,
	}, ",")+"]")
}
