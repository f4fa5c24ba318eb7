package match_test

import (
	"testing"

	"github.com/snaphook-go/snaphook/match"
)

// Node 20 has the same results.
func TestEscapedSurrogatesMatchTheirCharacter(t *testing.T) {
	for _, tt := range []struct {
		pattern, subject string
		want             bool
	}{
		{`\ud83d\ude00`, "a😀b", true},
		{`\uD83D\uDE00`, "😀", true},
		{`^\ud83d\ude00$`, "😀", true},
		{`\ud83d\ude00`, "😁", false},
		{`\ud83d\ude00`, `\ud83d\ude00`, false},
		{`\ud83d`, "😁", true},
		{`[\ud800-\udbff][\udc00-\udfff]`, "x😀", true},
		{`[\ud800-\udbff][\udc00-\udfff]`, "x", false},
		{`^[\ud83d\ude00]{2}$`, "😀", true},
		{`^\ud83d\ude00+$`, "😀😀", false},
		{`^(?:\ud83d\ude00)+$`, "😀😀", true},
		{`\\ud83d\ude00`, "😀", false},
		{`\ud83d\ude00|a`, "a", true},
		{`😀\ud83d\ude00`, "😀😀", true},
		{`^..$|\ud800`, "😀", true},
		{`\u0041\ud83d\ude00`, "A😀", true},
		{`^\ud83d\ude00.$`, "😀\U00100041", false}, // two units more
		{`^\ud83d\ude00..$`, "😀\U00100041", true},
	} {
		p, err := match.Regexp(tt.pattern)
		if err != nil {
			t.Errorf("%q: %v", tt.pattern, err)
			continue
		}
		if got := p.Match(tt.subject); got != tt.want {
			t.Errorf("%q matches %q: %v; want %v", tt.pattern, tt.subject, got, tt.want)
		}
		if got, err := p.Test(tt.subject); got != tt.want || err != nil {
			t.Errorf("%q tests %q: %v, %v; want %v", tt.pattern, tt.subject, got, err, tt.want)
		}
	}
}
