package permission

import (
	"testing"

	"github.com/snaphook-go/snaphook/wire"
)

func TestPathsAreComparedAsInGitignore(t *testing.T) {
	const dir = "/repo/app/pkg"
	for _, tt := range []struct {
		spec, file string
		want       bool
	}{
		{"*.ts", "/repo/app/pkg/a.ts", true},
		{"*.ts", "/repo/app/pkg/x/y/a.ts", true},
		{"*.ts", "/repo/app/a.ts", false},
		{"*.ts", "/repo/app/pkg/a.js", false},
		{"*.ts", "/repo/app/pkg/A.TS", false},
		{"*.ts", "a.ts", true},
		{"*.ts", "../a.ts", false},
		{"*.ts", "/repo/app/pkg/../a.ts", false},
		{"*.ts", "/repo/app/pkg/x/../a.ts", true},
		{"./*.ts", "/repo/app/pkg/x/a.ts", true},
		{".env", "/repo/app/pkg/.env", true},
		{".env", "/repo/app/pkg/x/.env", true},
		{".env", "/repo/app/pkg/.env.local", false},
		{"src/**", "/repo/app/pkg/src/x/y.go", true},
		{"src/**", "/repo/app/pkg/src/y.go", true},
		{"src/**", "/repo/app/pkg/vendor/src/y.go", false},
		{"src/**", "/repo/app/src/y.go", false},
		{"src/**", "/repo/app/pkg/srcs/y.go", false},
		{"src/**", "/repo/app/pkg/src/../other/y.go", false},
		{"src/**", "/repo/app/pkg/other/../src/y.go", true},
		{"src/**", "src/y.go", true},
		{"src/**", "./src//y.go", true},
		{"./src/**", "src/y.go", true},
		{"**/src/**", "/repo/app/pkg/vendor/p/src/y.go", true},
		{"**/src/**", "/repo/app/pkg/src/y.go", true},
		{"**/src/**", "/repo/app/src/y.go", false},
		{"src/*", "src/a", true},
		{"src/*", "src/a/b", false},
		{"src/*.go", "src/a.go", true},
		{"src/*.go", "src/x/a.go", false},
		{"src/**/*.go", "src/a.go", true},
		{"src/**/*.go", "src/x/y/a.go", true},
		{"src/?.go", "src/a.go", true},
		{"src/?.go", "src/ab.go", false},
		{"src/[ab].go", "src/a.go", true},
		{"*.{ts,tsx}", "x/a.tsx", true},
		{"build/", "build/a", true},
		{"build/", "x/build/a", true},
		{"build/", "buildx/a", false},
		{"a/build/", "a/build/x/y", true},
		{"a/build/", "x/a/build/y", false},
		{"secrets", "secrets/a/b", true},
		{"secrets", "x/secrets/a", true},
		{"a/secrets", "a/secrets/b", true},
		{"a/secrets", "x/a/secrets/b", false},
		{"**", "a/b", true},
		{"**", "/etc/passwd", false},
		{".", "a/b", true},
		{".", "/etc/passwd", false},
		{"//etc/passwd", "/etc/passwd", true},
		{"//etc/passwd", "../../../etc/passwd", true},
		{"//etc/**", "/etc/ssh/x", true},
		{"//etc", "/etc/ssh/x", true},
		{"//**", "/anything", true},
		{"//etc/passwd", "/repo/app/etc/passwd", false},
		{"//*.ts", "/a.ts", true},
		{"//*.ts", "/x/a.ts", false},
		{"~/.ssh/**", "/home/ann/.ssh/id", true},
		{"~/.ssh/**", "~/.ssh/id", true},
		{"~/.ssh/**", "/home/bob/.ssh/id", false},
		{"~/.env", "/home/ann/.env", true},
		{"~/.env", "/home/ann/x/.env", false},
		{"~/", "/home/ann/x/.env", true},
		{"/src/**", "/repo/app/src/a", true},
		{"/src/**", "/repo/app/pkg/src/a", false},
		{"/src/**", "/src/a", false},
		{"/*.ts", "/repo/app/a.ts", true},
		{"/*.ts", "/repo/app/pkg/a.ts", false},
		{"/", "/repo/app/x", true},
		{"/", "/repo/application/x", false},
		{"//c/Users/**", `C:\Users\ann\a.ts`, true},
		{`C:\Users\**`, `c:\Users\ann\a.ts`, true},
		{`C:/Users/**`, `/c/Users/ann/a.ts`, true},
		{`C:\Users\**`, `D:\Users\ann\a.ts`, false},
		{"a b/*.ts", "a b/x.ts", true},
		{`\*.ts`, "*.ts", true},
		{`\*.ts`, "a.ts", false},
	} {
		if got := fileCall("Edit", tt.file, dir).matches(t, "Edit("+tt.spec+")"); got != tt.want {
			t.Errorf("Edit(%s) matches %s in %s: %v, want %v", tt.spec, tt.file, dir, got, tt.want)
		}
	}
}

func TestADirectorysNameIsNeverAPattern(t *testing.T) {
	for _, dir := range []string{"/w/[a]", "/w/{a,b}", "/w/*", "/w/?", `/w/a\b`, "/w/**"} {
		if !fileCall("Edit", dir+"/src/x", dir).matches(t, "Edit(src/**)") {
			t.Errorf("src/** does not match in %s, want a match", dir)
		}
		if fileCall("Edit", "/w/a/src/x", dir).matches(t, "Edit(src/**)") {
			t.Errorf("src/** matches beside %s, want none", dir)
		}
		r, err := Parse("Edit(/src/**)", Origin{Root: dir})
		if err != nil || !r.Match(fileCall("Edit", dir+"/src/x", "/").Call) {
			t.Errorf("/src/** does not match below the root %s (%v), want a match", dir, err)
		}
	}
}

func TestWindowsPathsAreComparedInPosixForm(t *testing.T) {
	for p, want := range map[string]string{
		`C:\Users\ann`: "/c/Users/ann", `c:/Users`: "/c/Users", "C:": "/c", `C:\`: "/c/", `\\srv\share\a`: "/srv/share/a", `\\?\C:\a`: "/c/a",
		`\\?\UNC\srv\a`: "/srv/a", "/a/b": "/a/b", `a\b`: `a\b`, "C:a": "C:a", "": "", "1:/a": "1:/a",
	} {
		if got := posix(p); got != want {
			t.Errorf("posix(%q) = %q, want %q", p, got, want)
		}
	}
	for file, want := range map[string]bool{
		`C:\w\src\a.ts`: true, `src\a.ts`: true, "src/a.ts": true, `.\src\..\src\a.ts`: true, "/c/w/src/a.ts": true, `C:\w\x\src\a.ts`: false, `D:\w\src\a.ts`: false,
	} {
		if got := fileCall("Edit", file, `C:\w`).matches(t, "Edit(src/**)"); got != want {
			t.Errorf("src/** in C:\\w matches %s: %v, want %v", file, got, want)
		}
	}
}

func TestOtherToolsNameTheirPathInOtherWays(t *testing.T) {
	for _, tt := range []struct {
		rule, input string
		want        bool
	}{
		{"NotebookEdit(*.ipynb)", `{"notebook_path":"/w/a.ipynb"}`, true},
		{"NotebookRead(*.ipynb)", `{"notebook_path":"/w/a.py"}`, false},
		{"Grep(secrets/**)", `{"path":"/w/secrets","pattern":"x"}`, true},
		{"Grep(secrets/**)", `{"path":"/w","pattern":"x"}`, false},
		{"Glob(**)", `{"pattern":"*"}`, true},
		{"Glob(//w/**)", `{"pattern":"*"}`, true},
		{"Glob(src/**)", `{"pattern":"*"}`, false},
		{"Read(**)", `{}`, false},
		{"Read(**)", `{"file_path":7}`, true},
		{"Read(//etc/**)", `{"file_path":["/etc/passwd"]}`, true},
		{"Read(//etc/**)", `{"file_path":{"path":"/etc/passwd"}}`, true},
		{"Read(//etc/**)", `{"file_path":null}`, false},
		{"Read(//etc/**)", `{"file_path":"/w/a","path":7}`, true},
		{"Glob(//etc/**)", `{"pattern":"/etc/*"}`, true},
		{"Glob(//etc/**)", `{"pattern":"/etc/ssh/*.conf"}`, true},
		{"Glob(//etc/**)", `{"pattern":"/e*/passwd"}`, true},
		{"Glob(//etc/**)", `{"pattern":"/**/passwd"}`, true},
		{"Glob(//etc/**)", `{"pattern":"../../etc/*"}`, true},
		{"Glob(//etc/**)", `{"pattern":"*/../../etc/*"}`, true},
		{"Glob(//etc/**)", `{"pattern":"../etc/*","path":"/w"}`, true},
		{"Glob(//etc/**)", `{"pattern":"{/etc/*,a}"}`, true},
		{"Glob(//etc/**)", `{"pattern":"/usr/*"}`, false},
		{"Glob(//etc/**)", `{"pattern":"*.go","path":"/usr"}`, false},
		{"Glob(~/.ssh/**)", `{"pattern":"~/.ssh/*"}`, true},
		{"Read(**)", `not json`, false},
		{"Read(*.py)", `{"file_path":"/w/a.txt"}`, false},
		{"Write(*.ts)", `{"file_path":"/w/a.ts","path":"/w/b"}`, true},
	} {
		r := mustParse(t, tt.rule)
		if got := r.Match(Call{Tool: r.tool[0][0], Input: wire.Object(tt.input), Dir: "/w"}); got != tt.want {
			t.Errorf("%s matches %s: %v, want %v", tt.rule, tt.input, got, tt.want)
		}
	}
}

type testCall struct{ Call }

func fileCall(tool, file, dir string) testCall {
	return testCall{Call{Tool: tool, Input: wire.Object(`{"file_path":` + string(wire.Quote(file)) + `}`), Dir: dir}}
}

func (c testCall) matches(t *testing.T, rule string) bool {
	t.Helper()
	return mustParse(t, rule).Match(c.Call)
}
