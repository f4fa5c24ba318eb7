package entries

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// commonMembers lists members that need no report: a system that does not read one of these members either cannot run
// the hook at all, or loses only a text.
var commonMembers = strings.Fields("type command prompt model url headers server tool input event matcher timeout timeoutSec " +
	"name description statusMessage additionalContextLimit")

// Every member that some system reads is either common to all, or reported by the systems that do not read it.
func TestMembersOfAllSystemsAreKnownToTheOthers(t *testing.T) {
	files, err := filepath.Glob("../events/*/*.go")
	if err != nil {
		t.Fatal(err)
	}
	lists := regexp.MustCompile(`(?s)(?:entry|handler|group)Members\s+= \[\]string\{(.*?)\}`)
	ofProfiles := regexp.MustCompile(`(?s)\bmembers:\s*\[\]string\{(.*?)\}|failureMember\{name: ("\w+")`)
	read := map[string]bool{"env": true} // a profile of LLxprt reads env in its entries
	for _, file := range files {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		found := lists.FindAllString(string(text), -1)
		if strings.HasPrefix(filepath.Base(file), "profile_") {
			found = ofProfiles.FindAllString(string(text), -1)
		}
		for _, list := range found {
			for _, name := range regexp.MustCompile(`"(\w+)"`).FindAllStringSubmatch(list, -1) {
				read[name[1]] = true
			}
		}
	}
	for name := range read {
		if !slices.Contains(foreignMembers, name) && !slices.Contains(commonMembers, name) {
			t.Errorf("a system reads %q, and the others ignore it in silence; add it to foreignMembers or to commonMembers", name)
		}
	}
	for _, name := range foreignMembers {
		if !read[name] {
			t.Errorf("foreignMembers has %q, which no system reads", name)
		}
	}
}
