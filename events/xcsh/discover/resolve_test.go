package discover_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/snaphook-go/snaphook/events/xcsh/discover"
)

// Configured paths are resolved (rule X39).
func TestPathsAreResolved(t *testing.T) {
	for _, tt := range []struct{ path, want string }{
		{"/abs/x.ts", "/abs/x.ts"},
		{"/abs/../y.ts", "/abs/../y.ts"},
		{"~", "/home/me"},
		{"~/h.ts", "/home/me/h.ts"},
		{"~foo", "/home/me/foo"},
		{"rel/x.ts", "/proj/rel/x.ts"},
		{"./x.ts", "/proj/x.ts"},
		{"../x.ts", "/x.ts"},
		{"", "/proj"},
		{"@/abs/z.ts", "/abs/z.ts"},
		{"@~", "/home/me"},
		{"@~/h.ts", "/home/me/h.ts"},
		{"@~foo", "/proj/@~foo"},
		{"@rel.ts", "/proj/@rel.ts"},
		{"@@/abs/z.ts", "/proj/@@/abs/z.ts"},
		{`C:\hooks\a.ts`, `C:\hooks\a.ts`},
		{`@C:\hooks\a.ts`, `C:\hooks\a.ts`},
		{"file:///tmp/u%20v.ts", "/tmp/u v.ts"},
		{"@file:///tmp/u.ts", "/tmp/u.ts"},
		{"file://localhost/tmp/u.ts", "/tmp/u.ts"},
		{"file:///C:/hooks/a.ts", "C:/hooks/a.ts"},
		{"file://elsewhere/tmp/u.ts", "/proj/file:/elsewhere/tmp/u.ts"},
		{"file:///%zz", "/proj/file:/%zz"},
		{"a\u00a0b\u3000c.ts", "/proj/a b c.ts"},
	} {
		if got := discover.Resolve(tt.path, "/proj", "/home/me"); got != tt.want {
			t.Errorf("%q is %q, want %q", tt.path, got, tt.want)
		}
	}
}

func FuzzResolve(f *testing.F) {
	for _, seed := range []string{"/a", "~", "~x", "@~/x", "file:///a%20b", "@file://x", "..", "a\u00a0b", `C:\x`, "\\\\host"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, path string) {
		got := discover.Resolve(path, "/proj", "/home/me")
		if !filepath.IsAbs(got) && !strings.Contains(got, `\`) && !strings.Contains(got, ":/") {
			t.Errorf("%q is %q, which is not absolute", path, got)
		}
		if again := discover.Resolve(got, "/elsewhere", "/nobody"); filepath.IsAbs(got) && again != got {
			t.Errorf("%q is %q, and that %q", path, got, again)
		}
	})
}
