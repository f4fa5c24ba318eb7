package permission

import (
	"testing"

	"github.com/snaphook-go/snaphook/wire"
)

func TestDomainsAreComparedByLabels(t *testing.T) {
	for _, tt := range []struct {
		host, url string
		want      bool
	}{
		{"example.com", "https://example.com/a", true},
		{"example.com", "https://EXAMPLE.com.:8443/a", true},
		{"Example.COM.", "http://example.com", true},
		{"example.com", "https://ann:pw@example.com/", true},
		{"example.com", "https://example.com@evil.org/", false},
		{"example.com", "https://www.example.com", false},
		{"example.com", "https://example.com.evil.org", false},
		{"example.com", "https://evil.org/example.com", false},
		{"*.example.com", "https://a.example.com", true},
		{"*.example.com", "https://a.b.example.com", true},
		{"*.example.com", "https://example.com", false},
		{"*.example.com", "https://badexample.com", false},
		{"api-*.example.com", "https://api-1.example.com", true},
		{"api-*.example.com", "https://api-1.x.example.com", false},
		{"api.*.com", "https://api.x.com", true},
		{"api.*.com", "https://api.x.y.com", false},
		{"*.*.com", "https://b.com", false},
		{"*.*.com", "https://a.b.com", true},
		{"*", "https://a.b.com", true},
		{"127.0.0.1", "http://127.0.0.1:80/", true},
		{"[::1]", "http://[::1]:80/", true},
		// What browsers may read in another way than we do.
		{"example.com", "", true},
		{"example.com", "example.com/a", true},
		{"example.com", `https://other.org\@example.com`, true},
		{"example.com", "https://ex%61mple.com", true},
		{"example.com", "https://ｅxample.com", true},
	} {
		r := mustParse(t, "WebFetch(domain:"+tt.host+")")
		c := Call{Tool: "WebFetch", Input: wire.Object(`{"url":` + string(wire.Quote(tt.url)) + `}`)}
		if got := r.Match(c); got != tt.want {
			t.Errorf("%s matches %q: %v, want %v", r, tt.url, got, tt.want)
		}
	}
}

func TestPowerShellIsComparedInPartsAndInAnyCase(t *testing.T) {
	for _, tt := range []struct {
		pattern, command string
		want             bool
	}{
		{"Remove-Item *", "remove-item x", true},
		{"Remove-Item *", "Remove-Item", true},
		{"Remove-Item:*", "Remove-Item   x", true},
		{"Remove-Item *", "Remove-ItemProperty x", false},
		{"Remove-Item *", "Get-Item x; Remove-Item x", true},
		{"Remove-Item *", "Get-Item x | Remove-Item", true},
		{"Remove-Item *", "a && Remove-Item x", true},
		{"Remove-Item *", "a || Remove-Item x", true},
		{"Remove-Item *", "a\r\nRemove-Item x", true},
		{"Remove-Item *", "if ($x) { Remove-Item y }", true},
		{"Remove-Item *", "& { Remove-Item y }", true},
		{"Remove-Item *", "(Remove-Item y)", true},
		{"Remove-Item *", `echo "$(Remove-Item y)"`, true},
		{"Remove-Item *", `echo "a; Remove-Item y"`, false},
		{"Remove-Item *", `echo 'a; Remove-Item y'`, false},
		{"Remove-Item *", `echo 'a"; Remove-Item y'`, false},
		{"Remove-Item *", "echo \"a`\"; Remove-Item y\"", false},
		{"Remove-Item *", "echo a`; Remove-Item y", false},
		{"Remove-Item *", `echo "open`, true},
		{"Get-Item C:\\*", `get-item c:\users`, true},
		{"a | b", "A | B", true},
		{"*", `"`, true},
	} {
		r := mustParse(t, "PowerShell("+tt.pattern+")")
		c := bashCall(tt.command)
		c.Tool = "PowerShell"
		if got := r.Match(c); got != tt.want {
			t.Errorf("%s matches %q: %v, want %v", r, tt.command, got, tt.want)
		}
	}
	if !mustParse(t, "PowerShell(a *)").Match(Call{Tool: "PowerShell"}) {
		t.Error("a call without a command does not match, want a match")
	}
}
