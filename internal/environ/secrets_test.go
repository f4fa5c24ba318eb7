package environ

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
)

func TestScrubTakesSecretsOut(t *testing.T) {
	x := func(n int) string { return strings.Repeat("x", n) }
	tests := []struct{ name, text, want string }{
		{"nothing", "", ""},
		{"plain text stays", "GET https://example.com/a?b=c 200", "GET https://example.com/a?b=c 200"},
		{"the text around stays", "a ghp_" + x(36) + " b", "a [redacted] b"},
		{"a whole token goes, however long", "gho_" + x(300) + ".", "[redacted]."},
		{"a token that is too short stays", "ghp_" + x(35), "ghp_" + x(35)},
		{"every GitHub token", "ghp_" + x(36) + " gho_" + x(36) + " ghu_" + x(36) + " ghs_" + x(36) + " ghr_" + x(36) + " github_pat_" + x(36),
			"[redacted] [redacted] [redacted] [redacted] [redacted] [redacted]"},
		{"a Google key", "key=AIzaSy" + x(31) + "-_&", "key=[redacted]&"},
		{"an Amazon key, in lower case", "akia" + x(16), "[redacted]"},
		{"a JSON Web Token", "Bearer eyJhbGciOiJIUzI1NiJ9.e30.ZRrHA157xAA_7962-a_3rA;", "Bearer [redacted];"},
		{"a long JSON Web Token", "eyJ" + x(9000) + "." + x(9000) + ".s", "[redacted]"},
		{"dots make no token", "this.is.not.a.jwt", "this.is.not.a.jwt"},
		{"Stripe keys", "sk_live_" + x(24) + " rk_test_" + x(24), "[redacted] [redacted]"},
		{"Slack tokens", "xoxb-1 xoxa-2 xoxp-3-4 xoxr-5 xoxc-6", "[redacted] [redacted] [redacted] [redacted] xoxc-6"},
		{"a private key goes with its body", "a\n-----BEGIN RSA PRIVATE KEY-----\nMII+/=\n-----END RSA PRIVATE KEY-----\nb", "a\n[redacted]\nb"},
		{"a private key with headers", "-----BEGIN RSA PRIVATE KEY-----\nProc-Type: 4,ENCRYPTED\nDEK-Info: AES-128-CBC,AB12\n\nMII=\n-----END RSA PRIVATE KEY-----;", "[redacted];"},
		{"a private key without an end goes with its body", "-----BEGIN OPENSSH PRIVATE KEY-----\\nMIIx+/=\\nab\" b", `[redacted]" b`},
		{"the other blocks", "-----BEGIN EC PRIVATE KEY-----; -----begin pgp private key-----; -----BEGIN CERTIFICATE-----;", "[redacted]; [redacted]; [redacted];"},
		{"a password in a URL", "at https://me:pw@example.com/x", "at [redacted]example.com/x"},
		{"every scheme, in any case", "http://a:b@1 HTTPS://a:b@2 ftp://a:b@3 smtp://a:b@4 ssh://a:b@5", "[redacted]1 [redacted]2 [redacted]3 [redacted]4 ssh://a:b@5"},
		{"a user without a password stays", "http://me@example.com", "http://me@example.com"},
		{"an empty user or password is none", "http://:b@c http://a:@c", "http://:b@c http://a:@c"},
		{"the URL before is left alone", "http://x https://a:b@c", "http://x [redacted]c"},
		{"secrets that overlap leave nothing", "sk_live_" + x(24) + "xoxb-123 a", "[redacted] a"},
		{"a token as password", "https://u:ghp_" + x(36) + "@h", "[redacted]h"},
		{"a user's name ends after 2048 characters", "http://" + x(2048) + ":b@ http://" + x(2049) + ":b@", "[redacted] http://" + x(2049) + ":b@"},
		{"characters count, not bytes", "http://a:" + strings.Repeat("é", 2048) + "@", "[redacted]"},
		{"a password ends after 2048 characters", "http://a:" + x(2049) + "@", "http://a:" + x(2049) + "@"},
		{"what comes closer by taking a part out goes too", "http://a:" + x(2000) + "http://b:" + x(1000) + "@ x@", "[redacted]"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := Scrub(tt.text); got != tt.want {
				t.Errorf("got %.200q, want %.200q", got, tt.want)
			}
			if kept, want := !hasSecret(tt.text), tt.want == tt.text; kept != want {
				t.Errorf("as a value it is kept: %v, want %v", kept, want)
			}
		})
	}
}

func FuzzScrub(f *testing.F) {
	for _, s := range []string{
		"ghp_" + strings.Repeat("a", 36), "http://a:b@c@d", "http://http://a:b@:c@", "ftp://a:b@ftp://a:b@",
		"-----BEGIN CERTIFICATE-----eyJ..-----END CERTIFICATE-----", "http://xoxb-1:xoxb-2@", "eyJeyJ...", "\xffhttp://\xff:\xff@",
	} {
		f.Add(s)
	}
	// again has the patterns in their shortest form: a match is a secret that Scrub has left.
	again := regexp.MustCompile(`(?i)-----BEGIN (([A-Z]+ )?PRIVATE KEY|CERTIFICATE)-----|(ghp|gho|ghu|ghs|ghr|github_pat)_\w{36}` +
		`|AIzaSy[\w\\-]{33}|AKIA[A-Z0-9]{16}|eyJ[\w-]*\.[\w-]*\.|[sr]k_(live|test)_[0-9A-Z]{24}|xox[abpr]-[A-Z0-9-]` +
		`|(https?|ftp|smtp)://[^:]{1,200}:[^@]{1,200}@`)
	f.Fuzz(func(t *testing.T, text string) {
		got := Scrub(text)
		if secret := again.FindString(got); secret != "" || hasSecret(got) {
			t.Errorf("Scrub(%q) = %q, in which %q is a secret", text, got, secret)
		}
		if again.MatchString(text) && !hasSecret(text) {
			t.Errorf("no secret is seen in %q", text)
		}
		if !hasSecret(text) && got != text {
			t.Errorf("Scrub(%q) = %q, want it unchanged", text, got)
		}
	})
}

// BenchmarkScrub shows in MB/s that the cost is linear: no text is much slower
// than another, and its length has no influence.
func BenchmarkScrub(b *testing.B) {
	for _, line := range []string{
		"GET http://localhost:8080/path took 12ms\n", "-----BEGIN CERTIFICATE-----", "-----BEGIN CERTIFICATE-----;",
		"eyJ", "eyJ.", "http://", "http://a:b", "http://a:b@", "sk_live_", "ghp_",
	} {
		for _, times := range []int{1000, 10_000} {
			text := strings.Repeat(line, times)
			b.Run(fmt.Sprintf("%q/%d", line, times), func(b *testing.B) {
				b.SetBytes(int64(len(text)))
				for b.Loop() {
					Scrub(text)
				}
			})
		}
	}
}

// The quick check of a text misses no secret that the patterns find: each pattern begins with a text that the check
// looks for.
func TestTheQuickLookMissesNoSecret(t *testing.T) {
	for _, s := range secrets() {
		begins := func(b string) bool { return strings.HasPrefix(strings.ToLower(s.pattern.String()), b) }
		if strings.HasPrefix(s.pattern.String(), "GH[POSUR]_") {
			begins = func(b string) bool { return b == "gho_" } // and the four others
		}
		if strings.HasPrefix(s.pattern.String(), "-----BEGIN ") {
			begins = func(b string) bool { return b == "-----begin " }
		}
		if !slices.ContainsFunc(beginnings[:], begins) {
			t.Errorf("no beginning is that of %s", s.pattern)
		}
	}
	for _, text := range []string{"gHp_", "x://", "a-----Begin ", "SK_LIVE", "fooXoXb-", "Eyj"} {
		if isPlain(text) {
			t.Errorf("%q is taken for plain", text)
		}
	}
	if text := "write_file --session 0199-abc a:b ghx_ xo sk-"; !isPlain(text) || testing.AllocsPerRun(10, func() { Scrub(text) }) != 0 {
		t.Errorf("%q is not plain, or costs something", text)
	}
}
