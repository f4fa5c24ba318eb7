package environ

import (
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestRedactionKeepsWhatIsHarmless(t *testing.T) {
	ghp := "ghp_" + strings.Repeat("a", 36)
	tests := []struct {
		name string
		r    Redaction
		env  []string
		want []string
	}{
		{"a common name is kept whatever its value",
			Redaction{}, []string{"PATH=/bin", "SystemRoot=C:\\Windows", "HOME=" + ghp}, []string{"PATH=/bin", "SystemRoot=C:\\Windows", "HOME=" + ghp}},
		{"the engine's own prefix is kept, with a telling word behind it too",
			Redaction{}, []string{"LLXPRT_CLI_TOKEN=x", "llxprt_cli_b=y"}, []string{"LLXPRT_CLI_TOKEN=x", "llxprt_cli_b=y"}},
		{"a name of an account is withheld",
			Redaction{}, []string{"DATABASE_URL=x", "client_id=x", "MY_CLIENT_ID=x"}, []string{"MY_CLIENT_ID=x"}},
		{"a telling word anywhere in the name withholds, in any case",
			Redaction{}, []string{"MY_API_TOKEN=x", "AppSecret=x", "KEYNOTE=x", "author=x", "USEFUL=x"}, []string{"USEFUL=x"}},
		{"a telling word in the value does not",
			Redaction{}, []string{"INFO=a public key"}, []string{"INFO=a public key"}},
		{"a value that looks like a secret is withheld",
			Redaction{}, []string{"A=" + ghp, "B=x" + strings.ToUpper(ghp), "C=ghp_1"}, []string{"C=ghp_1"}},
		{"a name that is allowed wins over everything",
			Redaction{Allowed: []string{"my_Token"}, Blocked: []string{"MY_TOKEN"}}, []string{"My_TOKEN=" + ghp}, []string{"My_TOKEN=" + ghp}},
		{"a name that is blocked wins over the harmless names",
			Redaction{Blocked: []string{"path", "plain"}}, []string{"PATH=x", "PLAIN=y", "PLAINER=z"}, []string{"PLAINER=z"}},
		{"in a GitHub Action only known names are kept",
			Redaction{Allowed: []string{"OK"}}, []string{"PLAIN=x", "OK=y", "GITHUB_SHA=1", "TITLE=z", "LLXPRT_CLI_A=a"}, []string{"OK=y", "TITLE=z", "LLXPRT_CLI_A=a"}},
		{"an empty GITHUB_SHA is no GitHub Action",
			Redaction{}, []string{"GITHUB_SHA=", "PLAIN=x"}, []string{"GITHUB_SHA=", "PLAIN=x"}},
		{"odd entries are kept if they are harmless",
			Redaction{}, []string{"=C:=C:\\dir", "", "=", "plain", "=X=" + ghp, ghp, "a_token", "E="}, []string{"=C:=C:\\dir", "", "=", "plain", "E="}},
		{"equal names are judged one by one", Redaction{}, []string{"A=1", "A=" + ghp, "A=2"}, []string{"A=1", "A=2"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			tt.r.Enabled = true
			before := slices.Clone(tt.env)
			if diff := cmp.Diff(tt.want, tt.r.Apply(tt.env)); diff != "" {
				t.Errorf("kept (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(before, tt.env); diff != "" {
				t.Errorf("Apply changed its argument (-before +after):\n%s", diff)
			}
		})
	}
}

func TestEveryListedNameIsJudgedAsListed(t *testing.T) {
	for name := range harmless {
		if got := (Redaction{Enabled: true}).Apply([]string{name + "=x", "GITHUB_SHA=1"}); len(got) != 1 {
			t.Errorf("%s: got %q, want it kept", name, got)
		}
	}
	withheld := slices.Clone(telling[:])
	for name := range sensitive {
		withheld = append(withheld, name)
	}
	for _, name := range withheld {
		if got := (Redaction{Enabled: true}).Apply([]string{strings.ToLower(name) + "=x"}); len(got) != 0 {
			t.Errorf("%s: got %q, want it withheld", name, got)
		}
	}
}

func TestRedactionThatIsNotEnabledPassesEverything(t *testing.T) {
	env := []string{"A_TOKEN=x", "=C:=x", "broken", ""}
	if diff := cmp.Diff(env, Redaction{Blocked: []string{"A_TOKEN"}}.Apply(env)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if got := (Redaction{}).Apply(nil); got != nil {
		t.Errorf("Apply(nil) = %q, want nil, which means the engine's own environment", got)
	}
}

func BenchmarkApply(b *testing.B) {
	env := os.Environ()
	b.ReportAllocs()
	for b.Loop() {
		Redaction{Enabled: true}.Apply(env)
	}
}
