package genai

import (
	"reflect"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/snaphook-go/snaphook/wire"
)

var seeds = []string{
	chat, reply, ``, `null`, `[]`, `{}`, `"x"`, `{"contents":"a"}`, `{"contents":["a",{"text":"b"},{"inlineData":1},null]}`,
	`{"contents":[{"role":"user","parts":[{"functionResponse":1},{"text":"a"}]}],"config":{"toolConfig":{"functionCallingConfig":{"mode":"ANY"}}}}`,
	`{"messages":[{"role":"user","content":"a"},{"role":"model","content":{"text":"b"}}],"config":{"topK":1},"toolConfig":{"mode":"NONE"}}`,
	`{"messages":[{"content":[]},null,{"role":"user","content":""}]}`,
	`{"candidates":[{"content":{"parts":["a",{"text":"b"}]}},null,{"safetyRatings":[{}]}],"usageMetadata":{}}`,
	`{"contents":"\ud800","contents":{"role":"user","parts":{"text":"b"}}}`,
}

func fuzz(f *testing.F, check func(t *testing.T, hook, base wire.Object)) {
	for _, hook := range seeds {
		for _, base := range seeds {
			f.Add(hook, base)
		}
	}
	f.Fuzz(func(t *testing.T, hook, base string) {
		for _, v := range [...]string{hook, base} {
			if v != "" && !jsontext.Value(v).IsValid(asJavaScript) {
				t.Skip()
			}
		}
		check(t, wire.Object(hook), wire.Object(base))
	})
}

// FuzzRequest checks that a request that is converted to the hooks' format and back stays the same. After any change by
// a hook, the parts that hooks do not see have to stay in order, and the messages have to be the hook's.
func FuzzRequest(f *testing.F) {
	fuzz(f, func(t *testing.T, hook, base wire.Object) {
		if len(base) > 0 {
			wantJSON(t, FromHookRequest(ToHookRequest(base), base), string(base))
		}
		got := FromHookRequest(hook, base)
		MergeRequest(base, hook)
		if !value(got).IsValid(asJavaScript) {
			t.Fatalf("got %q, want JSON", got)
		}
		was, is := hiddenParts(base.Get("contents")), hiddenParts(got.Get("contents"))
		if len(was) > 0 && !reflect.DeepEqual(is, was) {
			t.Errorf("hidden parts\n got %v\nwant %v", is, was)
		}
		if want, ok := wantMessages(hook, base); ok && !reflect.DeepEqual(shown(got), want) {
			t.Errorf("messages\n got %v\nwant %v", shown(got), want)
		}
	})
}

func shown(sdk wire.Object) (all []hookMessage) {
	for _, content := range list(sdk.Get("contents")) {
		if m, ok := show(content); ok {
			all = append(all, m)
		}
	}
	return all
}

// wantMessages returns the messages that a hook wrote; ok is false if it wrote anything else, or if
// a message may be moved.
func wantMessages(hook, base wire.Object) (all []hookMessage, ok bool) {
	messages := hook.Get("messages")
	if messages.Kind() != '[' || !base.IsObject() {
		return nil, false
	}
	for _, content := range list(base.Get("contents")) {
		if responds(content) {
			return nil, false
		}
	}
	for _, v := range list(messages) {
		m := readMessage(v)
		if m.garbled {
			return nil, false
		}
		if m.role = hookRole(m.role); m.text != "" {
			all = append(all, m)
		}
	}
	return all, true
}

func hiddenParts(contents jsontext.Value) (hidden []any) {
	for _, content := range list(contents) {
		for _, part := range readElement(content).list(content) {
			if _, isText := partText(part); !isText {
				hidden = append(hidden, decode(part))
			}
		}
	}
	return hidden
}

// hiddenInCandidate returns the parts of a candidate's content that hooks do not see. Unlike an element of a request's
// contents, a content without parts is not a part itself.
func hiddenInCandidate(candidate jsontext.Value) (hidden []any) {
	for _, part := range list(object(object(candidate).Get("content")).Get("parts")) {
		if _, isText := partText(part); !isText {
			hidden = append(hidden, decode(part))
		}
	}
	return hidden
}

// FuzzResponse checks that a response that is converted to the hooks' format and back stays the same. After any change
// by a hook, the parts that hooks do not see have to stay in order.
func FuzzResponse(f *testing.F) {
	fuzz(f, func(t *testing.T, hook, base wire.Object) {
		if len(base) > 0 {
			wantJSON(t, FromHookResponse(ToHookResponse(base), base), string(base))
		}
		got := FromHookResponse(hook, base)
		if !value(got).IsValid(asJavaScript) {
			t.Fatalf("got %q, want JSON", got)
		}
		var was, is []any
		for _, candidate := range list(base.Get("candidates")) {
			was = append(was, hiddenInCandidate(candidate)...)
		}
		for _, candidate := range list(got.Get("candidates")) {
			is = append(is, hiddenInCandidate(candidate)...)
		}
		if len(was) > 0 && base.Get("candidates").Kind() == '[' && !reflect.DeepEqual(is, was) {
			t.Errorf("hidden parts\n got %v\nwant %v", is, was)
		}
	})
}

// FuzzToolConfig checks that a calling config survives the way to the hook's format and back.
func FuzzToolConfig(f *testing.F) {
	fuzz(f, func(t *testing.T, hook, base wire.Object) {
		got := ApplyToolConfig(hook, base)
		if !value(got).IsValid(asJavaScript) {
			t.Fatalf("got %q, want JSON", got)
		}
		config := FromHookToolConfig(hook)
		wantJSON(t, FromHookToolConfig(ToHookToolConfig(config)), string(config))
	})
}

// FuzzConversation checks the hidden parts and the messages like FuzzRequest, with requests and edits that are always
// well formed: each byte of base is an element, and each byte of edits a message that is kept, changed, removed or new.
func FuzzConversation(f *testing.F) {
	f.Add([]byte{0, 1, 2, 3, 4, 5}, []byte{0, 1, 2, 3, 4})
	f.Add([]byte{3, 2, 3, 2, 0, 0}, []byte{3, 0, 3, 0, 2, 1})
	elements := []string{`"a"`, user1, call, answer, done, `{"text":"b"}`, `{"parts":{"inlineData":1}}`,
		`{"role":"user","parts":[{"text":"t","thought":true},"c",{"fileData":1}]}`}
	f.Fuzz(func(t *testing.T, base, edits []byte) {
		var contents []jsontext.Value
		for _, b := range base[:min(len(base), 40)] {
			contents = append(contents, jsontext.Value(elements[int(b)%len(elements)]))
		}
		sdk := wire.Object(nil).With("contents", array(contents))
		messages := list(ToHookRequest(sdk).Get("messages"))
		hook := wire.Object(nil).With("messages", array(edited(messages, edits)))
		got := FromHookRequest(hook, sdk)
		if was, is := hiddenParts(array(contents)), hiddenParts(got.Get("contents")); !reflect.DeepEqual(is, was) {
			t.Errorf("hidden parts\n got %v\nwant %v", is, was)
		}
		if want, ok := wantMessages(hook, sdk); ok && !reflect.DeepEqual(shown(got), want) {
			t.Errorf("messages\n got %v\nwant %v", shown(got), want)
		}
	})
}

func edited(messages []jsontext.Value, edits []byte) (now []jsontext.Value) {
	added := hookMessage{role: "system", text: "new"}.encode()
	for i, m := range messages {
		if i >= len(edits) {
			return append(now, messages[i:]...)
		}
		switch edits[i] % 4 {
		case 0:
			now = append(now, m)
		case 1:
			now = append(now, jsontext.Value(wire.Object(m).With("content", wire.Quote("changed"))))
		case 2:
			now = append(now, added, m)
		}
	}
	if len(edits) > len(messages) {
		now = append(now, added)
	}
	return now
}
