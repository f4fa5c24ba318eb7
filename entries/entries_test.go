package entries_test

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/samber/lo"

	"github.com/snaphook-go/snaphook/entries"
	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/pipeline"
	"github.com/snaphook-go/snaphook/settings"
)

type nothing struct{}

var (
	kitchen = &pipeline.Dialect{Name: "kitchen"}

	_ = pipeline.Declare(kitchen, pipeline.Spec[nothing, nothing]{Name: "BeforeBake"})
	_ = pipeline.Declare(kitchen, pipeline.Spec[nothing, nothing]{Name: "AfterBake"})
)

func reader() *entries.Reader {
	return &entries.Reader{
		Dialect:   kitchen,
		Elsewhere: map[string]string{"PreBake": "BeforeBake"},
		Misplaced: map[string]string{"enabled": "oven"},
	}
}

func parse(t *testing.T, text string) settings.Value {
	t.Helper()
	v, err := settings.Parse("f", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// command reads an entry that is a string.
func command(h *hook.Hook, v settings.Value) *settings.Problem {
	var ok bool
	if h.Command, ok = v.Text(); !ok {
		return lo.ToPtr(v.Want("a command"))
	}
	return nil
}

func read(r *entries.Reader, v settings.Value, rename func(string) string) {
	for g := range r.Groups(v, rename) {
		g.Read("user", hook.Hook{Identity: hook.Identity{Source: hook.User}}, command)
	}
}

func TestWhatCannotBeUsedIsAProblemAtItsPlace(t *testing.T) {
	for _, tt := range []struct{ name, text, problem string }{
		{"no object", `[]`, `f:1:1: got an array, want an object whose members are events`},
		{"null", `null`, ``},
		{"nothing there", `{}`, ``},
		{"an event of another system", `{"PreBake": []}`, `f:1:13: "PreBake" is an event of another system; here it is "BeforeBake"`},
		{"the wrong case", `{"beforeBAKE": []}`, `f:1:16: there is no event "beforeBAKE"; write "BeforeBake"`},
		{"the wrong case of another system", `{"prebake": []}`, `f:1:13: there is no event "prebake"; write "BeforeBake"`},
		{"a setting", `{"enabled": true}`, `f:1:13: "enabled" is not an event; write it below "oven"`},
		{"a slip", `{"BeforBake": []}`, `f:1:15: there is no event "BeforBake"; did you mean "BeforeBake"?`},
		{"no such event", `{"Eat": [{"hooks": ["a"]}]}`, `f:1:9: there is no event "Eat"; see the command "events kitchen" for their names`},
		{"null in place of groups", `{"AfterBake": null}`, ``},
		{"no groups", `{"AfterBake": "a"}`, `f:1:15: got a string, want an array of groups: [{"hooks": [{"type": "command", "command": "…"}]}]`},
		{"no group", `{"AfterBake": [7]}`, `f:1:16: got a number, want an object {"matcher": "…", "hooks": […]}`},
		{"a hook in place of a group", `{"AfterBake": [{"command": "a", "hooks": 7}]}`, `f:1:16: a hook stands where a group is wanted; write {"hooks": [ … ]} around it`},
		{"hooks that are none", `{"AfterBake": [{"hooks": {}}]}`, `f:1:26: got an object, want an array of hooks`},
		{"no hooks", `{"AfterBake": [{}]}`, `f:1:16: the group has no "hooks"; add "hooks": [ … ]`},
		{"an entry", `{"AfterBake": [{"hooks": [7]}]}`, `f:1:27: got a number, want a command`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := reader()
			read(r, parse(t, tt.text), nil)
			want := lo.Compact([]string{tt.problem})
			if diff := cmp.Diff(want, lo.Map(r.Loaded.Problems, func(p settings.Problem, _ int) string { return p.String() })); diff != "" {
				t.Errorf("problems (-want +got):\n%s", diff)
			}
			if n := lo.CountBy(r.Loaded.Hooks, func(h *hook.Hook) bool { return h.Skip == "" }); n > 0 {
				t.Errorf("got %d hooks that run; want none", n)
			}
		})
	}
}

func TestOneBadEntryDoesNotHideTheOthers(t *testing.T) {
	r := reader()
	read(r, parse(t, `{"Eat": 1, "AfterBake": [1, {"hooks": ["a", 2, "b"]}], "BeforeBake": [{"hooks": ["c"]}]}`), nil)
	got := lo.Map(r.Loaded.Hooks, func(h *hook.Hook, _ int) string {
		return fmt.Sprintf("%s %s.%s %s at %s: %q %s", h.ID, h.Dialect, h.Event, h.Source, h.Position, h.Command, h.Skip)
	})
	want := []string{
		`user/AfterBake/0/0 kitchen.AfterBake user at f:1:26: "" invalid`,
		`user/AfterBake/1/0 kitchen.AfterBake user at f:1:40: "a" `,
		`user/AfterBake/1/1 kitchen.AfterBake user at f:1:45: "" invalid`,
		`user/AfterBake/1/2 kitchen.AfterBake user at f:1:48: "b" `,
		`user/BeforeBake/0/0 kitchen.BeforeBake user at f:1:82: "c" `,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("hooks (-want +got):\n%s", diff)
	}
	if got := r.Loaded.Hooks[2].SkipDetail; got != "got a number, want a command" {
		t.Errorf("the invalid entry says %q", got)
	}
}

func TestIDsOfTwoFilesWithOneLabelDiffer(t *testing.T) {
	r, v := reader(), parse(t, `{"AfterBake": [{"hooks": ["a"]}]}`)
	for range 3 {
		read(r, v, nil)
	}
	got := lo.Map(r.Loaded.Hooks, func(h *hook.Hook, _ int) string { return h.ID })
	if diff := cmp.Diff([]string{"user/AfterBake/0/0", "user/AfterBake/0/0#2", "user/AfterBake/0/0#3"}, got); diff != "" {
		t.Errorf("ids (-want +got):\n%s", diff)
	}
}

func TestRenamePutsOneEventInPlaceOfAnother(t *testing.T) {
	r := reader()
	read(r, parse(t, `{"Bake": [{"hooks": ["a"]}]}`), func(event string) string { return "After" + event })
	if len(r.Loaded.Hooks) != 1 || r.Loaded.Hooks[0].ID != "user/AfterBake/0/0" {
		t.Errorf("got %v, problems %v; want a hook of AfterBake", r.Loaded.Hooks, r.Loaded.Problems)
	}
}

func TestSwitchesAndTextsOfTheWrongKindAreProblems(t *testing.T) {
	v := parse(t, `{"on": true, "off": false, "text": "a", "null": null}`)
	for _, tt := range []struct {
		name              string
		on, isBool        bool
		text              string
		isText            bool
		asSwitch, asAText string
	}{
		{name: "on", on: true, isBool: true, asAText: "got true, want a string"},
		{name: "off", isBool: true, asAText: "got false, want a string"},
		{name: "text", text: "a", isText: true, asSwitch: "got a string, want true or false"},
		{name: "null"},
		{name: "nowhere"},
	} {
		r := reader()
		on, isBool := r.Bool(v.Get(tt.name))
		text, isText := r.Text(v.Get(tt.name))
		if on != tt.on || isBool != tt.isBool || text != tt.text || isText != tt.isText {
			t.Errorf("%s: got %v, %v and %q, %v", tt.name, on, isBool, text, isText)
		}
		got := lo.Map(r.Loaded.Problems, func(p settings.Problem, _ int) string { return p.Message })
		if diff := cmp.Diff(lo.Compact([]string{tt.asSwitch, tt.asAText}), got); diff != "" {
			t.Errorf("%s: problems (-want +got):\n%s", tt.name, diff)
		}
	}
}

func ExampleReader() {
	file, _ := settings.Parse("settings.json", []byte(`{
  "BeforeBake": [{"matcher": "bread", "hooks": ["preheat", 200]}],
  "AfterBak": []
}`))
	r := &entries.Reader{Dialect: kitchen}
	for group := range r.Groups(file, nil) {
		pattern, _ := r.Text(group.Value.Get("matcher"))
		group.Read("project", hook.Hook{Identity: hook.Identity{Source: hook.Project}, Selection: hook.Selection{Pattern: pattern}}, func(h *hook.Hook, entry settings.Value) *settings.Problem {
			command, ok := entry.Text()
			if !ok {
				wrong := entry.Want("a command")
				return &wrong
			}
			h.Command = command
			return nil
		})
	}
	for _, h := range r.Loaded.Hooks {
		fmt.Printf("%s %s %q %q\n", h.ID, h.Pattern, h.Command, h.Skip)
	}
	for _, p := range r.Loaded.Problems {
		fmt.Println(p)
	}
	// Output:
	// project/BeforeBake/0/0 bread "preheat" ""
	// project/BeforeBake/0/1 bread "" "invalid"
	// settings.json:2:60: got a number, want a command
	// settings.json:3:15: there is no event "AfterBak"; did you mean "AfterBake"?
}
