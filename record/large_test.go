package record

import (
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
)

// allocated returns the bytes that a function allocates.
func allocated(f func()) uint64 {
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}

func TestALongTextCostsNoMoreThanWhatIsKept(t *testing.T) {
	const size = 32 << 20
	plain := strings.Repeat("a line of text\n", size/15)
	value, err := jsontext.AppendQuote(nil, plain)
	if err != nil {
		t.Fatal(err)
	}
	number := jsontext.Value(strings.Repeat("1", size))
	for name, leaf := range map[string]func(*inputShape){
		"text":   func(s *inputShape) { s.leaf(value) },
		"a ref":  func(s *inputShape) { s.ref(value) },
		"number": func(s *inputShape) { s.leaf(number) },
		"answer": func(s *inputShape) { s.out = text(s.out, window([]byte(plain)[:size/2], maxText)) },
	} {
		s := &inputShape{mode: Full, most: 4 << 10}
		took := allocated(func() { leaf(s) })
		if name == "answer" {
			took -= min(took, size) // the test's own allocation
		}
		if took > 4<<20 || len(s.out)+len(s.refs) > 2*s.most+16 || len(s.out)+len(s.refs) == 0 {
			t.Errorf("%s of %d bytes takes %d bytes and leaves %d", name, size, took, len(s.out)+len(s.refs))
		}
		if wrong := jsontext.Value(s.out).IsValid(); len(s.out) > 0 && !wrong {
			t.Errorf("%s leaves %.80q", name, s.out)
		}
	}
}

// A secret is redacted even if the text is cut inside it before the search.
func TestNoHalfOfASecretIsKept(t *testing.T) {
	const most = 1 << 10
	secret := "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N_XgL0n3I9PlFUP0THsR8U"
	fillers := map[string]func(n int) string{
		"nothing else": func(n int) string { return strings.Repeat("x ", n/2) },
		"other secrets": func(n int) string {
			return strings.Repeat(" ", n%(len(secret)+1)) + strings.Repeat(secret+" ", n/(len(secret)+1))
		},
	}
	for name, filler := range fillers {
		for _, cut := range []int{most, most + around} {
			for into := 1; into < len(secret); into += 9 {
				s := filler(cut-into) + " " + secret + strings.Repeat(" y", 100<<10)
				for how, kept := range map[string]string{
					"as text": string(quote(nil, s, most)),
					"as JSON": func() string {
						v, _ := jsontext.AppendQuote(nil, s)
						return string(quote(nil, unquote(v, most), most))
					}(),
				} {
					if strings.Contains(kept, "hbGciOi") || len(kept) > 2*most {
						t.Fatalf("%s, %s, %d bytes before %d: …%.200s", name, how, into, cut, kept[max(0, len(kept)-200):])
					}
				}
			}
		}
	}
}

func FuzzUnquoteCutsNoEscape(f *testing.F) {
	f.Add("a\\\"é\u2028\U0001F600\x00\xff", 3)
	f.Fuzz(func(t *testing.T, s string, repeat int) {
		s = strings.Repeat(s, 1+max(0, min(repeat, (200<<10)/max(1, len(s)))))
		v, _ := jsontext.AppendQuote(nil, s)
		whole, _ := jsontext.AppendUnquote(nil, v)
		got := unquote(v, 16)
		if !strings.HasPrefix(string(whole), strings.TrimRight(got, "\ufffd")) || len(got) < min(len(whole), 16+around) {
			t.Errorf("%s: %d bytes of %d are none of its beginning", fmt.Sprintf("%.60q", s), len(got), len(whole))
		}
	})
}
