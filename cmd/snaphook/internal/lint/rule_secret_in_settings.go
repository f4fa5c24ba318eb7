package lint

import (
	"strings"

	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/internal/lazyregexp"
	"github.com/snaphook-go/snaphook/settings"
)

var ruleSecretInSettings = Rule{
	ID: "secret-in-settings", Severity: Error, Security: true,
	Doc:     "A settings file, or a module, contains a text that looks like a token, a key or a password.",
	Why:     "Settings are committed, and shown in plans, records and logs.",
	Mistake: `{"type": "http", "url": "https://example.com/hook", "headers": {"Authorization": "Bearer 4f9c…"}}`,
	Fix: `{"type": "http", "url": "https://example.com/hook", "headers": {"Authorization": "Bearer $HOOK_TOKEN"}, ` +
		`"allowedEnvVars": ["HOOK_TOKEN"]}`,
}

// secrets looks for secrets in a settings file.
func secrets(l *linter, d *settingsDocument) { secretsIn(l, d.root, "", 0) }

func secretsIn(l *linter, v settings.Value, name string, level int) {
	if level > maxLevels+8 {
		return
	}
	for _, element := range v.Elements() {
		secretsIn(l, element, name, level+1)
	}
	for member, value := range v.Members() {
		secretsIn(l, value, member, level+1)
	}
	text, ok := v.Text()
	if !ok {
		return
	}
	if what := secretOf(text, name); what != "" {
		l.add(Finding{
			ID: "secret-in-settings", Severity: ruleOf("secret-in-settings").Severity, Position: v.Position(),
			Message: "this looks like " + what,
			Fix:     "revoke it, and put a new one into a variable of the environment: $NAME",
			around:  []hook.Position{v.Position()},
		})
	}
}

// checkSecret looks for secrets, which must not be committed.
func checkSecret(v *hookView, s *hookScript, t codeToken) {
	for _, form := range secretForms {
		if found := form.form.FindString(t.text); found != "" && !isPlaceholder(found) && strings.ContainsAny(found, "0123456789") {
			v.add(*v.report("secret-in-settings", s.position(t.at),
				"revoke the secret, and read a new secret at run time: process.env.NAME", "this looks like %s", form.what))
			return
		}
	}
}

// secretForms lists tokens that have a recognizable form, with their issuers.
var secretForms = []struct {
	what string
	form *lazyregexp.Regexp
}{
	{"a key of Anthropic", lazyregexp.New(`\bsk-ant-[A-Za-z0-9_-]{16,}`)},
	{"a key of OpenAI", lazyregexp.New(`\bsk-(?:proj-|svcacct-)?[A-Za-z0-9_-]{20,}`)},
	{"a token of GitHub", lazyregexp.New(`\b(?:gh[posur]_\w{30,}|github_pat_\w{30,})`)},
	{"a token of GitLab", lazyregexp.New(`\bglpat-[\w-]{18,}`)},
	{"a key of Google", lazyregexp.New(`\bAIza[\w-]{33,}`)},
	{"a key of AWS", lazyregexp.New(`\b(?:AKIA|ASIA)[0-9A-Z]{16}\b`)},
	{"a token of Slack", lazyregexp.New(`\bxox[abeoprs]-[\w-]{10,}`)},
	{"a webhook of Slack", lazyregexp.New(`https://hooks\.slack\.com/(?:services|workflows|triggers)/[A-Za-z0-9/_-]{20,}`)},
	{"a webhook of Discord", lazyregexp.New(`https://(?:\w+\.)?discord(?:app)?\.com/api/webhooks/\d{5,}/[\w-]{20,}`)},
	{"a token of a Telegram bot", lazyregexp.New(`\b(?:bot)?\d{8,10}:[A-Za-z0-9_-]{35}\b`)},
	{"a key of Stripe", lazyregexp.New(`\b[rs]k_(?:live|test)_\w{20,}`)},
	{"a token of npm", lazyregexp.New(`\bnpm_[A-Za-z0-9]{36}`)},
	{"a token of Hugging Face", lazyregexp.New(`\bhf_[A-Za-z0-9]{30,}`)},
	{"a JSON Web Token", lazyregexp.New(`\beyJ[\w-]{10,}\.eyJ[\w-]{10,}\.[\w-]{10,}`)},
	{"a private key", lazyregexp.New(`-----BEGIN (?:[A-Z]+ )*PRIVATE KEY-----`)},
}

var (
	secretURL    = lazyregexp.New(`://[^/\s:@$<>{}"']+:([^/\s@$<>{}"']{6,})@`)
	secretName   = lazyregexp.New(`(?i)(^|[_-])(token|secret|passwd|password|pwd|api_?key|access_?key|auth_?token|private_?key|credential)s?$`)
	secretHeader = lazyregexp.New(`(?i)\b(?:bearer|basic|token)\s+([A-Za-z0-9._~+/=-]{12,})`)
	secretAssign = lazyregexp.New(`(?i)\b[A-Za-z0-9_-]*(?:token|secret|passwd|password|api_?key|access_?key)["']?\s*[=:]\s*["']?([A-Za-z0-9._~+/-]{16,})`)
)

// secretOf returns the kind of the secret that a text resembles; empty if the text resembles no secret.
func secretOf(text, member string) string {
	for _, s := range secretForms {
		if found := s.form.FindString(text); found != "" && !isPlaceholder(found) && strings.ContainsAny(found, "0123456789") {
			return s.what
		}
	}
	if m := secretURL.FindStringSubmatch(text); m != nil && !isPlaceholder(m[1]) {
		return "a password in an address"
	}
	if m := secretHeader.FindStringSubmatch(text); m != nil && !isPlaceholder(m[1]) && random(m[1]) {
		return "a credential"
	}
	if secretName.MatchString(member) && len(text) >= 8 && !strings.ContainsAny(text, "$ <>{}") && !isPlaceholder(text) && random(text) {
		return "the value of " + member
	}
	if m := secretAssign.FindStringSubmatch(text); m != nil && !isPlaceholder(m[1]) && random(m[1]) && !strings.Contains(m[1], "/") {
		return "a credential"
	}
	return ""
}

// isPlaceholder reports whether a text is a placeholder for a secret.
func isPlaceholder(text string) bool {
	lower := strings.ToLower(text)
	for _, word := range []string{"xxxx", "your", "placeholder", "changeme", "change-me", "change_me", "dummy", "<", "…", "...", "****", "replace", "redacted", "process.env", "os.environ"} {
		if strings.Contains(lower, word) {
			return true
		}
	}
	return false
}

// varied reports whether a text has many different characters, unlike sk-aaaaaaaaaaaaaaaaaaaa.
func varied(text string) bool {
	seen := map[rune]bool{}
	for _, c := range text {
		seen[c] = true
	}
	return len(seen) >= 8
}

// random reports whether a text is unlikely to be a word: it has letters, digits and many different characters.
func random(text string) bool {
	return strings.ContainsAny(text, "0123456789") && strings.ContainsFunc(text, func(c rune) bool {
		return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
	}) && varied(text)
}
