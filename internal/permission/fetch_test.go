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
		{"127.0.0.1", "http://2130706433/", true},
		{"127.0.0.1", "http://0x7f.1/", true},
		{"127.0.0.1", "http://127.1/", true},
		{"127.0.0.1", "http://0177.0.0.1", true},
		{"127.0.0.1", "http://0x7F000001.", true},
		{"127.0.0.1", "http://[::ffff:127.0.0.1]/", true},
		{"127.0.0.1", "http://[::ffff:7f00:1]/", true},
		{"127.1", "http://127.0.0.1/", true},
		{"127.*.*.*", "http://127.1/", true},
		{"::1", "http://[0:0:0:0:0:0:0:1]/", true},
		{"127.0.0.1", "http://127.0.0.2/", false},
		{"127.0.0.1", "http://2130706434/", false},
		{"127.0.0.1", "http://256.1.1.1/", true},
		{"127.0.0.1", "http://1.2.3.4.5/", true},
		{"example.com", "http://10.0.0.1/", false},
		{"example.com", "http://2130706433/", false},
		// URLs that browsers may read in another way than the engine.
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
		// In doubt a rule matches.
		{"Remove-Item *", "<# ' #> Remove-Item y", true},
		{"Remove-Item *", "a <# \" #>; Remove-Item y", true},
		{"Remove-Item *", "a # it's\nRemove-Item y", true},
		{"Remove-Item *", "a # plain\nb", false},
		{"Remove-Item *", "@'\na'@; Remove-Item y\n'@", true},
		{"Remove-Item *", "$x = @\"\n'\n\"@; Remove-Item y", true},
		{"Remove-Item *", "echo \u2018a\u2019; Remove-Item y", true},
		{"Remove-Item *", "echo \u201ca'\u201d; Remove-Item 'y", true},
		{"Remove-Item *", "& 'Remove-Item' y", true},
		{"Remove-Item *", "&\"Remove-Item\" y", true},
		{"Remove-Item *", "& $c y", true},
		{"Remove-Item *", "& ('Remove-' + 'Item') y", true},
		{"Remove-Item *", "& 'Get-Item' y", false},
		{"Remove-Item *", "Re`move-Item y", true},
		{"Remove-Item *", "Remove-`\nItem y", true},
		{"Remove-Item *", "Re\"move\"-Item y", true},
		{"Remove-Item *", "$x = Remove-Item y", true},
		{"Remove-Item *", "$x=Remove-Item y", true},
		{"Remove-Item *", "$x = Get-Item y", false},
		{"Remove-Item *", "$x = 5", false},
		{"Remove-Item *", ". Remove-Item y", true},
		{"Remove-Item *", ". ./lib.ps1", true},
		{"Remove-Item *", "./lib.ps1", false},
		{"Remove-Item *", "a; . $f", true},
		{"Remove-Item *", "iex 'Remove-Item y'", true},
		{"Remove-Item *", "'Remove-Item y' | Invoke-Expression", true},
		{"Remove-Item *", "[scriptblock]::Create('Remove-Item y').Invoke()", true},
		{"Remove-Item *", "Set-Alias z Remove-Item; z y", true},
		{"Remove-Item *", "return Remove-Item y", true},
		{"Remove-Item *", "foreach ($i in Remove-Item y) { }", true},
		{"Remove-Item *", "Remove-Item>x", true},
		{"Remove-Item *", "2>$null Remove-Item y", true},
		{"Remove-Item *", "Microsoft.PowerShell.Management\\Remove-Item y", true},
		{"Remove-Item *", "rm y", true},
		{"rm *", "Remove-Item y", true},
		{"rm *", "ri y", true},
		{"Remove-Item *", "Remove-Item\u00a0y", true},
		{"Remove-Item *", "a\rRemove-Item y", true},
		{"Remove-Item *", "cmd --% ' ; Remove-Item y", true},
		{"Remove-Item *", "${a'b} = 1; Remove-Item 'y", true},
		{"git push *", "git $x", true},
		{"git push *", "git p*", true},
		{"git push *", "git @x", true},
		{"git push *", "git pull $x", false},
		{"Remove-Item *", "Write-Output 'é'", false},
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
