package settings_test

import (
	"fmt"

	"github.com/snaphook-go/snaphook/settings"
)

func ExampleParse() {
	file, err := settings.Parse("settings.json", []byte(`{
  // Hooks that guard the tools.
  "hooks": {
    "BeforeTool": [{"matcher": "^write_", "timeout": "5s"}],
  },
}`))
	if err != nil {
		fmt.Println(err)
		return
	}
	for event, groups := range file.Get("hooks").Members() {
		for _, group := range groups.Elements() {
			matcher, _ := group.Get("matcher").Text()
			fmt.Println(event, matcher)
			if timeout := group.Get("timeout"); timeout.Exists() {
				if _, ok := timeout.Number(); !ok {
					fmt.Println(timeout.Want("a number of milliseconds"))
				}
			}
		}
	}
	// Output:
	// BeforeTool ^write_
	// settings.json:4:54: got a string, want a number of milliseconds
}

func ExampleProblem() {
	_, err := settings.Parse("settings.json", []byte(`{
  "timeout": 5s
}`))
	fmt.Println(err)

	file, _ := settings.Parse("settings.json", []byte(`{"BeforTool": []}`))
	for name, value := range file.Members() {
		fmt.Println(value.Name().Wrong("unknown event %q; did you mean %q?", name, settings.Near(name, []string{"BeforeTool"})[0]))
	}
	// Output:
	// settings.json:2:14: names and text need double quotes: "…"; only true, false, null and numbers like -1 or 0.5 go without
	// settings.json:1:2: unknown event "BeforTool"; did you mean "BeforeTool"?
}
