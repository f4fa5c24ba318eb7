package environ

import (
	"strings"
	"testing"
)

func TestAddressesAreShownWithoutTheirSecrets(t *testing.T) {
	for address, want := range map[string]string{
		"https://hooks.example.com/guard":                                             "https://hooks.example.com/guard",
		"http://127.0.0.1:8080/v1/hooks/check-2024":                                   "http://127.0.0.1:8080/v1/hooks/check-2024",
		"https://hooks.example.com/api/pre-tool-use/hook.php":                         "https://hooks.example.com/api/pre-tool-use/hook.php",
		"https://me:pw@example.com/a":                                                 "https://[redacted]@example.com/a",
		"https://token@example.com/a":                                                 "https://[redacted]@example.com/a",
		"https://example.com/a?key=s3cret":                                            "https://example.com/a?[redacted]",
		"https://example.com/a#s3cret":                                                "https://example.com/a#[redacted]",
		"https://hooks.slack.com/services/T0A1B2C3D/B0A1B2C3D/abcdefghijklmnopqrstuv": "https://hooks.slack.com/services/[redacted]/[redacted]/[redacted]",
		"https://discord.com/api/webhooks/123456789012345678/Ab-9_xYzAb9xYz":          "https://discord.com/api/webhooks/[redacted]/[redacted]",
		"https://example.com/01890a5d-ac96-774b-bcce-b302099a8057/hook":               "https://example.com/[redacted]/hook",
		"https://example.com/s%33cret12345":                                           "https://example.com/[redacted]",
		"not an address s3cret":                                                       "[redacted]",
		"http://s3cret:s3cret/s3cret@host/":                                           "[redacted]",
		"":                                                                            "[redacted]",
	} {
		if got := MaskURL(address); got != want {
			t.Errorf("MaskURL(%q) = %q; want %q", address, got, want)
		}
	}
}

func FuzzNoPasswordOrQueryIsShown(f *testing.F) {
	f.Add("https://a:s3cret@b/c?d=e")
	f.Fuzz(func(t *testing.T, address string) {
		masked := MaskURL(address)
		if MaskURL("https://user:Zq9secretZq9@h/p?Zq9secretZq9="+strings.ReplaceAll(address, "#", "")) == "" || strings.Contains(MaskURL("https://u:Zq9secretZq9@h/?x=Zq9secretZq9"+address), "Zq9secretZq9") {
			t.Errorf("a secret is shown of %q", address)
		}
		if _, query, ok := strings.Cut(masked, "?"); ok && query != redacted && !strings.HasPrefix(query, redacted+"#") {
			t.Errorf("MaskURL(%q) = %q shows a query", address, masked)
		}
	})
}
