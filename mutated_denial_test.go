package snaphook_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"log/slog"
	"strconv"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/snaphook-go/snaphook/events/claude"
	"github.com/snaphook-go/snaphook/events/llxprt"
	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/pipeline"
	"github.com/snaphook-go/snaphook/policy"
	"github.com/snaphook-go/snaphook/settings"
)

// answering is a hook outside the process whose answer the test sets.
type answering struct{ stdout string }

func (a *answering) Run(context.Context, hook.Call) (hook.Reply, error) {
	return hook.Reply{Stdout: []byte(a.stdout)}, nil
}

// mutatedSystem is a gate of one system, with one hook from settings.
type mutatedSystem struct {
	event   pipeline.Declared
	load    func([]settings.Layer) pipeline.Load
	denials []string
}

var (
	topDenial  = `{"decision":"block","reason":"no"}`
	ownDenial  = `{"hookSpecificOutput":{"hookEventName":"EVENT","permissionDecision":"deny","permissionDecisionReason":"no"}}`
	stopDenial = `{"continue":false,"stopReason":"no"}`
)

var mutatedSystems = map[string]mutatedSystem{
	"claude": {claude.PreToolUse, func(l []settings.Layer) pipeline.Load { return claude.Settings{Layers: l}.Load },
		[]string{topDenial, ownDenial, stopDenial}},
	"claude 2.1.239": {claude.PreToolUse, func(l []settings.Layer) pipeline.Load {
		return claude.Settings{Layers: l, Level: claude.Docs}.Load
	}, []string{topDenial, ownDenial, stopDenial}},
	"llxprt": {llxprt.BeforeTool, func(l []settings.Layer) pipeline.Load { return llxprt.Settings{Layers: l}.Load },
		[]string{topDenial, `{"decision":"deny","reason":"no"}`, stopDenial}},
	"gemini": {llxprt.BeforeTool, func(l []settings.Layer) pipeline.Load {
		return llxprt.Settings{Layers: l, Profile: llxprt.Gemini}.Load
	}, []string{topDenial, `{"decision":"deny","reason":"no"}`, stopDenial}},
}

// mutations returns spellings of a denial with a word in other letters, with more text around it, or in another
// encoding. bytewise makes denials that are broken at one byte.
func mutations(denial string) (all []string) {
	for _, word := range []string{
		"decision", "block", "hookSpecificOutput", "permissionDecision", "deny", "continue", "false", "hookEventName", "reason",
	} {
		for _, other := range []string{
			strings.ToUpper(word), strings.ToUpper(word[:1]) + word[1:], " " + word, word + " ", word + "s", "_" + word,
			word[:1] + "\u200b" + word[1:], strings.Replace(word, "e", "\u0435", 1), // a Cyrillic letter
		} {
			all = append(all, strings.ReplaceAll(denial, `"`+word+`"`, `"`+other+`"`))
		}
	}
	for _, value := range []string{`"block"`, `"deny"`, "false"} {
		for _, other := range []string{
			"[" + value + "]", `{"value":` + value + "}", "[[" + value + "]]", strconv.Quote(value), value + "," + value,
		} {
			all = append(all, strings.ReplaceAll(denial, ":"+value, ":"+other))
		}
	}
	units := utf16.Encode([]rune(denial))
	little, big := new(bytes.Buffer), new(bytes.Buffer)
	_ = binary.Write(little, binary.LittleEndian, units)
	_ = binary.Write(big, binary.BigEndian, units)
	deep := strings.Repeat("[", 20_000) + strings.Repeat("]", 20_000)
	return append(all, "\ufeff"+denial, "\ufeff\ufeff"+denial, little.String(), big.String(), "\xff\xfe"+little.String(),
		"\xfe\xff"+big.String(), denial+denial, denial+"\n{}", "{}\n"+denial, "[]"+denial, denial+"[]", denial+"x", "x"+denial,
		"null"+denial, "null\n"+denial, denial+"\nnull", denial+"\x00", "\x00"+denial, denial+"\x04", "\x1b[0m"+denial,
		"{"+denial+"}", `{"":`+denial+"}", `{"answer":`+denial+"}", `{"x":`+deep+","+denial[1:],
		denial[:len(denial)-1]+`,"x":`+deep+"}", strings.Repeat(" ", 2<<20)+"x"+denial, denial+strings.Repeat(" ", 2<<20)+"x",
		strings.Repeat("log\n", 1<<18)+denial, `{"x":"`+strings.Repeat("y", 2<<20)+`"`+denial+"}", strconv.Quote(denial),
		"\r\n"+denial+"\r\n{", "/*"+denial+"*/", "//\n"+denial, "#"+denial, "'"+denial+"'", "`"+denial+"`", "--- "+denial,
		"HTTP/1.1 200 OK\r\n\r\n"+denial, "\u2028"+denial+"\u2029x", "+"+denial, "-"+denial, denial+",", denial+";")
}

// Under a policy that fails closed no call goes ahead, however the text of its denial is broken.
func TestNoMutationOfADenialGoesAheadWhereFailuresAreClosed(t *testing.T) {
	for name, system := range mutatedSystems {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if probes := system.probe(t, closedByDefault); probes < 150 {
				t.Errorf("%d probes, want at least 150", probes)
			}
		})
	}
}

// probe fires the gate with each mutation, under an overlay.
func (m mutatedSystem) probe(t *testing.T, overlay string) (probes int) {
	t.Helper()
	guard, name := new(answering), m.event.Info().Name
	text := strings.ReplaceAll(groups(`[{"hooks": [{"type": "command", "command": "guard"}]}]`), "EVENT", name)
	layers := []settings.Layer{{Name: "user", Source: hook.User, File: "settings.json", Data: []byte(text)}}
	cfg := pipeline.Config{Log: slog.New(slog.DiscardHandler)}
	cfg.Load = []pipeline.Load{func(ctx context.Context, at pipeline.Workspace) (pipeline.Loaded, error) {
		loaded, err := m.load(layers)(ctx, at)
		for _, h := range loaded.Hooks {
			h.Runner = guard
		}
		return loaded, err
	}}
	o, problems := policy.Parse(policy.User, ".snaphook.json", []byte(overlay))
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	cfg.Policy = policy.Source{Overlays: []policy.Overlay{*o}}
	sys := pipeline.NewSystem(cfg)
	defer sys.Close()
	s, err := sys.NewSession(t.Context(), pipeline.SessionConfig{Dir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	for _, denial := range m.denials {
		denial = strings.ReplaceAll(denial, "EVENT", name)
		for _, answer := range mutations(denial) {
			if answer == denial {
				continue // the denial does not contain the word
			}
			probes++
			guard.stdout = answer
			res, err := m.event.FireJSON(t.Context(), s, []byte(anyInput))
			if err != nil || len(res.Hooks) != 1 {
				t.Fatalf("%.300q: %v, hooks %v", answer, err, res)
			}
			if ran := res.Hooks[0]; !res.Blocked && !res.Stop {
				t.Errorf("%.300q: it goes ahead, error %v, notes %q", answer, ran.Error, ran.Notes)
			}
		}
	}
	return probes
}
