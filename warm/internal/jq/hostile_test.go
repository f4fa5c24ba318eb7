package jq

import (
	"strings"
	"testing"
	"time"
)

// No filter keeps its host busy: each is refused, or gives up after a bounded amount of work.
func TestNoFilterKeepsTheHostBusy(t *testing.T) {
	wide := "[" + strings.Repeat("1,", 50_000) + "1]"
	for name, filter := range map[string]string{
		"range": "[range(1e9)]", "recursion": "def f: f; f", "until": "until(false; .)", "repeat": "[repeat(1)]", "a product of texts": `"a" * 1e9`,
		"outputs that double": "[" + strings.TrimSuffix(strings.Repeat("(1,1)|", 60), "|") + "]", "a text that doubles": `reduce .[] as $x ("aaaa"; . + .)`,
		"a value that gets deep": `reduce .[] as $x (0; [.])`, "conditions that double": strings.Repeat("if (true,true) then ", 60) + "1" + strings.Repeat(" else 2 end", 60),
		"and": "[" + strings.TrimSuffix(strings.Repeat("(true,true) and ", 60), " and ") + "]", "all in all": "[.. | ..] | [.. | ..]",
		"brackets": strings.Repeat("[", 100_000), "a long filter": strings.Repeat(".a|", 100_000) + ".", "comparisons": "[.[] as $x | .[] as $y | $x == $y]",
	} {
		t.Run(name, func(t *testing.T) {
			start := time.Now()
			f, err := compile(filter, nil)
			if err == nil {
				in, _ := decode([]byte(wide))
				err = budgeted(f, in[0])
			}
			if err == nil {
				t.Error("it ran to its end")
			}
			if took := time.Since(start); took > 5*time.Second {
				t.Errorf("it took %v", took)
			}
		})
	}
}

// budgeted runs a filter with the limit of work of a script.
func budgeted(f filter, in value) (err error) {
	defer func() {
		if why, ok := recover().(unsure); ok {
			err = why
		}
	}()
	left := 4 << 20
	spend := func(n int) {
		if left -= n; left < 0 {
			panic(unsure("it runs for long"))
		}
	}
	return f(&scope{machine: &machine{spend}}, in, func(v value) error {
		spend(len(encode(nil, v, -1)))
		return nil
	})
}

// FuzzFilter checks that the compiler of filters, the decoder and the filters neither panic nor run on.
func FuzzFilter(f *testing.F) {
	f.Add(".a[0:2] // {b: \"\\(.c)\"} | ..", `{"a":[1,{"b":null}]}`)
	f.Add("reduce .[] as $x (0; . + $x) | test(\"^a[^b-d]{2,3}$\"; \"i\")", `["a"]`)
	f.Fuzz(func(t *testing.T, filter, text string) {
		all, err := decode([]byte(text))
		if err != nil {
			return
		}
		if c, err := compile(filter, nil); err == nil {
			for _, in := range all {
				_ = budgeted(c, in)
			}
		}
	})
}
