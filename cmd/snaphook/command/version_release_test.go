package command

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// Pages and workflows install the newest release of the changelog: with an older release, users would get an outdated
// guard.
func TestPagesInstallTheLatestRelease(t *testing.T) {
	const root = "../../.."
	changelog, err := os.ReadFile(filepath.Join(root, "CHANGELOG.md"))
	if err != nil {
		t.Fatal(err)
	}
	newest := regexp.MustCompile(`(?m)^## \[?([0-9]+\.[0-9]+\.[0-9]+)\]? - \d{4}-\d\d-\d\d$`).FindSubmatch(changelog)
	if newest == nil {
		t.Fatal("CHANGELOG.md has no dated release: write ## 1.2.3 - 2006-01-02")
	}
	if got := strings.TrimPrefix(latestRelease, "v"); got != string(newest[1]) {
		t.Errorf("latestRelease is %s; the newest release of CHANGELOG.md is %s", got, newest[1])
	}
	pages, err := filepath.Glob(filepath.Join(root, "docs/*.md"))
	if err != nil {
		t.Fatal(err)
	}
	installed := regexp.MustCompile(`cmd/snaphook@(v[0-9][0-9A-Za-z.-]*)`)
	seen := 0
	for _, page := range append(pages, filepath.Join(root, "README.md")) {
		text, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range installed.FindAllSubmatch(text, -1) {
			if seen++; string(m[1]) != latestRelease {
				t.Errorf("%s installs %s; the newest release is %s", page, m[1], latestRelease)
			}
		}
	}
	if seen == 0 {
		t.Error("no page says how to install the command")
	}
}
