package main

import (
	"archive/zip"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

const (
	pageModule  = "github.com/snaphook-go/snaphook"
	pageRelease = "v0.1.0" // the version that pages install
)

// A pageWorld is the machine of a page's reader.
type pageWorld struct {
	dir      string // where the commands run
	env      []string
	checkout bool // dir is the checkout, which no page may change
}

// cloneWorld returns the machine of a reader who works in a clone of the repository. The clone is this checkout.
func cloneWorld(t *testing.T, _, _ string) pageWorld {
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	return pageWorld{dir: root, checkout: true, env: append(goCaches(t), "HOME="+t.TempDir())}
}

// newPageWorld makes the machine of a reader: it has the command snaphook, Go, and a directory that contains only the
// archive of a release and its checksum.
//
// "go get" finds the engine in a module proxy in a folder. A workspace above the directory names the checkout: the
// engine is compiled from the checkout, and its packages are in the build cache. The engine's requirements come from
// the module cache. "git clone" of the repository's address copies the last commit of the checkout.
func newPageWorld(t *testing.T, page, release string) pageWorld {
	root := t.TempDir()
	w := pageWorld{dir: filepath.Join(root, "project")}
	home, proxy, work := filepath.Join(root, "home"), filepath.Join(root, "proxy"), filepath.Join(root, "go.work")
	for _, dir := range []string{w.dir, filepath.Join(home, ".local", "bin")} {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	checkout := cloneWorld(t, page, release)
	publishModule(t, checkout.dir, filepath.Join(proxy, pageModule, "@v"))
	version := strings.TrimPrefix(runtime.Version(), "go")
	writePageFile(t, work, fmt.Sprintf("go %s\n\nuse (\n\t./project\n\t%q\n)\n", version, checkout.dir))
	if err := os.CopyFS(w.dir, os.DirFS(release)); err != nil {
		t.Fatal(err)
	}

	w.env = append(goCaches(t), "HOME="+home, "GOTOOLCHAIN=local", "GONOSUMDB=*",
		"GOPROXY=file://"+proxy+",file://"+filepath.Join(goEnv(t, "GOMODCACHE"), "cache", "download"),
		"GIT_CONFIG_COUNT=2", "GIT_CONFIG_KEY_0=url."+checkout.dir+".insteadOf", "GIT_CONFIG_VALUE_0=https://"+pageModule,
		"GIT_CONFIG_KEY_1=safe.directory", "GIT_CONFIG_VALUE_1=*")
	if strings.Contains(page, "\ngo get ") { // the modules of this release stay out of the user's own cache
		w.env = append(w.env, "GOMODCACHE="+filepath.Join(root, "modules"), "GOFLAGS=-buildvcs=false -trimpath -modcacherw")
	}
	return w
}

// publishModule writes the files of a module proxy for the engine. The engine's archive has only go.mod and one
// package, because the workspace provides the sources.
func publishModule(t *testing.T, checkout, to string) {
	t.Helper()
	requires, err := os.ReadFile(filepath.Join(checkout, "go.mod"))
	if err != nil {
		t.Fatal(err)
	}
	writePageFile(t, filepath.Join(to, pageRelease+".mod"), string(requires))
	writePageFile(t, filepath.Join(to, pageRelease+".info"), `{"Version": "`+pageRelease+`"}`)
	writePageFile(t, filepath.Join(to, "list"), pageRelease+"\n")
	archive, err := os.Create(filepath.Join(to, pageRelease+".zip"))
	if err != nil {
		t.Fatal(err)
	}
	defer archive.Close()
	z := zip.NewWriter(archive)
	for name, text := range map[string]string{"go.mod": string(requires), "doc.go": "package snaphook\n"} {
		file, err := z.Create(pageModule + "@" + pageRelease + "/" + name)
		if err != nil {
			t.Fatal(err)
		}
		if _, err = file.Write([]byte(text)); err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
}

// packRelease makes the archive that .ci/release --archives makes for Linux, and its checksum, with the snaphook of this
// test. It returns their folder.
func packRelease(t *testing.T) (dir string) {
	t.Helper()
	dir = t.TempDir()
	out, err := exec.CommandContext(t.Context(), "bash", "-euo", "pipefail", "-c", `
		snaphook=$(command -v snaphook)
		cd "$1"
		tar -ch -C "${snaphook%/*}" snaphook | gzip -1 >"$2_linux_amd64.tar.gz"
		sha256sum "$2_linux_amd64.tar.gz" >"$2_checksums.txt"`, "pack", dir, "snaphook_"+pageRelease).CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return dir
}

// goCaches returns the variables with the paths of the caches of the go command, and GOFLAGS. With -trimpath the caches
// serve a clone in any directory; without it, each run compiles every package of a page's clone.
func goCaches(t *testing.T) []string {
	flags := strings.TrimSpace(os.Getenv("GOFLAGS") + " -trimpath")
	return []string{"GOCACHE=" + goEnv(t, "GOCACHE"), "GOMODCACHE=" + goEnv(t, "GOMODCACHE"), "GOFLAGS=" + flags}
}

func goEnv(t *testing.T, name string) string {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), "go", "env", name).Output()
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(string(out))
}
