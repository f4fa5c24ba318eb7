package trust

import (
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"
)

func TestNoTextOfPythonHidesWhatItLoads(t *testing.T) {
	for _, text := range []string{
		"exec('x')", "x = exec\nx('y')", "import os\nos.system('x')", "from os import system as s\ns('x')", "import os as o; o.popen('x')", "import sys\nsys.path.append('x')", "from sys import path\npath.append('x')", "from sys import modules",
		"import sys; sys.modules['x']", "from os import *", "__import__('x')", "().__class__.__subclasses__()", "__builtins__['x']", "getattr(os, 'x')", "import importlib", "import os\nos.environ['PATH'] = 'x'", "import os\nos.environ.update(x)", "os.putenv('a', 'b')",
		"print(f'{exec(1)}')", "print(f\"{x!r} {os.system(1)}\")", "x = rf'''{eval(1)}'''", "\"\"\"a\"\"\"; exec(1)", "'''a\\'''' ; exec(1)", "# '\nexec(1)", "x = 'a\\\\'; exec(1)", "operator.attrgetter('x')", "sys._getframe()", "'unclosed", "platform.os.system(1)", "logging.config.dictConfig(x)",
		"import json, yaml", "import json as j, yaml as y", "if 1: import yaml", "import json; import yaml", "from yaml import (a,\n b)", "import json, \\\n yaml",
	} {
		imports, why := pythonImports(text)
		if why == "" && !strings.Contains(strings.Join(imports, " ")+" ", "yaml") && !strings.Contains(strings.Join(imports, " "), "importlib") {
			t.Errorf("%q: clear, it imports %q", text, imports)
		}
	}
	for _, text := range []string{
		"", "# exec", "'exec(1)'", "import re\nre.compile('x')", "import platform\nplatform.system()", "x = {'modules': 1}", "modules = []", "def f():\n    '''import yaml'''\n    return 1", "import os\nos.environ.get('x')", "x = os.environ['a'] == 'b'", "raise X from e", "b'\\''",
	} {
		if imports, why := pythonImports(text); why != "" || strings.Contains(strings.Join(imports, " "), "yaml") {
			t.Errorf("%q: %s, it imports %q", text, why, imports)
		}
	}
}

func TestNoTextOfJavaScriptHidesWhatItLoads(t *testing.T) {
	for _, text := range []string{
		"eval('x')", "require(x)", "require('./a' + x)", "require(`./a`)", "const r = require; r('x')", "import(x)", "import('x' + 1)", "module.require('x')", "module['require']('x')", "process['binding']('x')", "new Function('x')", "[]['constructor']", "[].constructor", "globalThis.x", "global['x']",
		"/\"/; require(x); /\"/", "/'/; eval(1); /'/", "/[/*]/; require(x); /*/*/", "a = /[//]/; require(x)", "`${require(x)}`", "\\u0065val('x')", "new Worker('x')", "process.mainModule", "process.env.NODE_OPTIONS = 'x'", "(0, eval)('x')", "import { createRequire } from 'node:module'",
	} {
		if names, why := nodeLoads(text); why == "" {
			t.Errorf("%q: clear, it loads %q", text, names)
		}
	}
	for text, want := range map[string]string{
		"require('./a')": "./a", `const a = require("fs"), b = require('./b')`: "fs ./b", "import x from './a'; import './b'; export * from './c'": "./a ./b ./c", "await import('./a')": "./a", "// a\nmodule.exports = 1": "", "if (require.main === module) f()": "", "import.meta.url": "",
	} {
		if names, why := nodeLoads(text); why != "" || strings.Join(names, " ") != want {
			t.Errorf("%q: %q, %s; want %q", text, names, why, want)
		}
	}
}

func FuzzTextsOfOtherLanguages(f *testing.F) {
	for _, text := range []string{"import a\nfrom b import c", "f'{f\"{x}\"}'", "require('x')", "`${`${x}`}`", "/*", "'''", "1,/a/s/b/c/g;p", "\\\n"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		late := time.AfterFunc(10*time.Second, func() { panic("no end with " + text) })
		defer late.Stop()
		_, _ = pythonImports(text)
		_, _ = nodeLoads(text)
		_ = clearText("sed", text)
		_ = clearText("awk", text)
	})
}

// TestTextsOfManyEqualPartsAreReadInTime reads texts whose parts each make a reader look at the parts before or after
// them. The time grows like the length, and not like its square: a text of eight times the length took 64 times as long.
func TestTextsOfManyEqualPartsAreReadInTime(t *testing.T) {
	read := func(part string, length int) time.Duration {
		text := strings.Repeat(part, length/len(part))
		begin := time.Now()
		_, _ = pythonImports(text)
		_, _ = nodeLoads(text)
		_, _ = nodeLoads("{" + text)
		return max(time.Since(begin), time.Millisecond)
	}
	for _, part := range []string{
		"environ[", "a[os.environ[b]] + ", "from os import (a\n", "f'''{ ", "f'{x:\"", "f\"{'\"}'", "os.environ", "require.main === module;",
		"const {a} = process;", "{a} = process } = process;", "} = process;", "typeof process;", "'a' +", "from 'a'\n", "[//]",
	} {
		most := 0.0
		for range 3 { // another process may have taken the time
			short := read(part, mostText/64)
			most = float64(read(part, mostText/8)) / float64(short)
			if most < 24 {
				break
			}
		}
		if most >= 24 {
			t.Errorf("%q: a text of eight times the length takes %.0f times as long", part, most)
		}
	}
}

func TestWrittenFilesAreComparedWithFoldersWithinTheLimit(t *testing.T) {
	dir := t.TempDir()
	c := newCollector(t.Context(), dir, nil)
	c.written, c.code = map[string]bool{}, map[string]bool{}
	for i := range 3000 {
		c.written[filepath.Join(dir, strconv.Itoa(i))] = true
	}
	compared := 0
	for range 3000 {
		c.folders = append(c.folders, &folder{dir: dir, use: searched, counts: func(string) bool { compared++; return false }})
	}
	if path := c.writtenCode(); path != "" || compared > mostLooks || c.spent() == nil {
		t.Errorf("%q after %d comparisons, the limit is %d", path, compared, mostLooks)
	}
}
