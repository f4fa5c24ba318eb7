package claudecases

import (
	"maps"
	"os"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

func (j *judge) fileText(key string, want map[string]string) {
	for _, name := range slices.Sorted(maps.Keys(want)) {
		if got, ok := j.file(key+"."+name, name); ok && strings.TrimSpace(got) != strings.TrimSpace(want[name]) {
			j.departs(key+"."+name, want[name], got)
		}
	}
}

func (j *judge) jsonFile(key string, want map[string]jsontext.Value) {
	for _, name := range slices.Sorted(maps.Keys(want)) {
		if got, ok := j.file(key+"."+name, name); ok {
			j.wrong = append(j.wrong, lacks(key+"."+name, want[name], jsontext.Value(got))...)
		}
	}
}

func (j *judge) file(path, name string) (text string, ok bool) {
	b, err := os.ReadFile(j.project.path(name))
	if err != nil {
		j.say("%s: want a file, got %v", path, err)
	}
	return string(b), err == nil
}

func (j *judge) filesExist(key string, want texts) {
	for _, name := range want {
		if _, err := os.Lstat(j.project.path(name)); err != nil {
			j.say("%s: want %s, got %v", key, name, err)
		}
	}
}

// exports checks the variables that later commands get.
func (j *judge) exports(key string, want map[string]string) {
	var got map[string]string
	if _, reportedFiles := j.seen["env_files"]; reportedFiles {
		files, _ := reported[[]string](j, key, "env_files", want)
		var err error
		if got, err = j.project.source(files); err != nil {
			j.say("%s: want %v, got %v", key, want, err)
			return
		}
	} else if got, _ = reported[map[string]string](j, key, "env_exports", want); got == nil {
		return
	}
	for _, name := range slices.Sorted(maps.Keys(want)) {
		if value, set := got[name]; !set {
			j.say("%s.%s: want %q, got nothing", key, name, want[name])
		} else if value != want[name] {
			j.departs(key+"."+name, want[name], value)
		}
	}
}
