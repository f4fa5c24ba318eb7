package adapter

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/snaphook-go/snaphook/wire"
)

// message is a message of a framework. was is the index of the message in the request, or -1 if hooks added the
// message.
type message struct {
	role, text string
	was        int
}

var framework = Messages[message]{
	Role: func(m message) string { return m.role },
	Text: func(m message) string { return m.text },
	New:  func(role, text string) message { return message{role, text, -1} },
	With: func(m message, text string) message { return message{m.role, text, m.was} },
}

func TestMessagesKeepTheirPlaceWhereHooksRewriteThem(t *testing.T) {
	messages := []message{{"system", "be brief", 0}, {"user", "go", 1}, {"model", "ok", 2}}
	for name, tt := range map[string]struct {
		request string
		want    string // for each message, its text and its index before the change
	}{
		"nothing to read":      {`{"messages":7}`, "an error"},
		"no messages":          {`{}`, "an error"},
		"no object":            {`7`, "an error"},
		"all are removed":      {`{"messages":[]}`, ""},
		"as many":              {says("system", "be kind", "user", "stop", "model", "ok"), "be kind:0 stop:1 ok:2"},
		"one is removed":       {says("system", "be brief", "model", "ok"), "be brief:0 ok:2"},
		"one is added":         {says("system", "be brief", "user", "hi", "user", "go", "model", "ok"), "be brief:0 hi:-1 go:1 ok:2"},
		"one is replaced":      {says("user", "other", "model", "ok"), "other:-1 ok:2"},
		"another role is new":  {says("user", "be brief", "model", "ok"), "be brief:-1 ok:2"},
		"the order is changed": {says("model", "ok", "user", "go"), "ok:2 go:-1"},
	} {
		t.Run(name, func(t *testing.T) {
			got := ""
			now, err := framework.rewritten(messages, wire.Object(tt.request))
			if err != nil {
				got = "an error"
			}
			for i, m := range now {
				if i > 0 {
					got += " "
				}
				got += fmt.Sprint(m.text, ":", m.was)
			}
			if got != tt.want {
				t.Errorf("got %q; want %q", got, tt.want)
			}
		})
	}
}

// says makes a request with messages, given by role and text.
func says(texts ...string) string {
	var all []message
	for i := 0; i < len(texts); i += 2 {
		all = append(all, message{role: texts[i], text: texts[i+1]})
	}
	return string(framework.request(all))
}

// In this test part 0 is a picture, and part n > 0 is a text of n letters a.
func TestWhatHooksAddIsOneMorePart(t *testing.T) {
	parts := Parts[int]{
		Text: func(n int) (string, bool) { return strings.Repeat("a", n), n > 0 },
		Part: func(text string) int { return len(text) },
	}
	for name, tt := range map[string]struct {
		text string
		want []int
	}{
		"nothing is changed":   {"a\naa", []int{1, 0, 2}},
		"a context":            {"a\naa\n\naaaa", []int{1, 0, 2, 4}},
		"another text":         {"bbb", []int{3}},
		"the text is gone":     {"", []int{0}},
		"a part of it is left": {"a", []int{1}},
	} {
		t.Run(name, func(t *testing.T) {
			given := make([]int, 3, 8)
			copy(given, []int{1, 0, 2})
			if got := parts.With(given, tt.text); !slices.Equal(got, tt.want) || given[:4][3] != 0 {
				t.Errorf("got %v; want %v, and the given parts as they were: %v", got, tt.want, given[:4])
			}
		})
	}
}
