//go:build ignore

// Types checks the types of every package of the module in the current directory, and of its tests, for the system that
// GOOS names, like a compiler before it generates code. Types generates no code, and reads the module's dependencies as
// source, without the bodies of functions: a check takes seconds, while go vet compiles everything.
//
//	go build -o types .ci/types.go
//	GOOS=windows ./types
//
// Packages are checked without cgo. Types prints all errors, and exits with status 1 if there is one.
package main

import (
	"encoding/json"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
)

// listedPackage is a package in the form of go list. A package that is compiled again for a test has the
// path "path [path.test]".
type listedPackage struct {
	ImportPath, Dir string
	GoFiles         []string
	ImportMap       map[string]string
	Module          *struct {
		Main      bool
		GoVersion string
	}
	Error *struct{ Err string }
}

func main() {
	cmd := exec.Command("go", "list", "-e", "-deps", "-test", "-json=ImportPath,Dir,GoFiles,ImportMap,Module,Error", "./...")
	cmd.Env, cmd.Stderr = append(os.Environ(), "CGO_ENABLED=0"), os.Stderr
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		fatal(err)
	}
	c := &checker{files: token.NewFileSet(), done: map[string]*types.Package{"unsafe": types.Unsafe}}
	ours := 0
	for packages := json.NewDecoder(out); packages.More(); {
		var p listedPackage
		if err := packages.Decode(&p); err != nil {
			fatal(err)
		}
		if c.check(&p); p.own() {
			ours++
		}
	}
	if err := cmd.Wait(); err != nil {
		fatal(err)
	}
	if fmt.Printf("%d packages and tests, %d others\n", ours, len(c.done)-ours); ours == 0 {
		fatal("the module has no packages")
	}
	if c.failed {
		os.Exit(1)
	}
}

// own reports whether a package belongs to the module or its tests.
func (p *listedPackage) own() bool { return p.Module != nil && p.Module.Main }

// checker checks packages, each after its imports.
type checker struct {
	files  *token.FileSet
	done   map[string]*types.Package
	failed bool
}

func (c *checker) check(p *listedPackage) {
	if p.ImportPath == "unsafe" {
		return
	}
	if p.Error != nil {
		c.report(fmt.Errorf("%s: %s", p.ImportPath, p.Error.Err))
	}
	path, _, _ := strings.Cut(p.ImportPath, " ")
	conf := &types.Config{
		Importer:         importer(func(name string) (*types.Package, error) { return c.imported(p, name) }),
		Sizes:            types.SizesFor("gc", arch()),
		IgnoreFuncBodies: !p.own(),
		Error:            c.report,
	}
	if p.Module != nil && p.Module.GoVersion != "" {
		conf.GoVersion = "go" + p.Module.GoVersion
	}
	c.done[p.ImportPath], _ = conf.Check(path, c.files, c.parsed(p), nil) // conf.Error has reported the errors
}

func (c *checker) parsed(p *listedPackage) (files []*ast.File) {
	for _, name := range p.GoFiles {
		if !filepath.IsAbs(name) { // the generated main file of tests has an absolute path
			name = filepath.Join(p.Dir, name)
		}
		file, err := parser.ParseFile(c.files, name, nil, parser.SkipObjectResolution)
		if err != nil {
			c.report(err)
		}
		files = append(files, file)
	}
	return files
}

// imported returns the package that p imports under a name.
func (c *checker) imported(p *listedPackage, name string) (*types.Package, error) {
	if other, is := p.ImportMap[name]; is {
		name = other
	}
	if done := c.done[name]; done != nil {
		return done, nil
	}
	return nil, fmt.Errorf("%s is not listed before %s", name, p.ImportPath)
}

func (c *checker) report(err error) {
	c.failed = true
	fmt.Fprintln(os.Stderr, err)
}

// importer adapts a function to types.Importer.
type importer func(string) (*types.Package, error)

func (i importer) Import(path string) (*types.Package, error) { return i(path) }

func arch() string {
	if arch := os.Getenv("GOARCH"); arch != "" {
		return arch
	}
	return runtime.GOARCH
}

func fatal(v any) {
	fmt.Fprintln(os.Stderr, v)
	os.Exit(1)
}
