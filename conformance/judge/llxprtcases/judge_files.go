package llxprtcases

import (
	"errors"
	"io/fs"
	"maps"
	"os"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/samber/lo"
)

// traced returns the lines of trace.log, one for each hook that ran.
func (p *Prepared) traced() ([]any, error) {
	text, err := os.ReadFile(p.path("trace.log"))
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	return lines(text), err
}

// lines returns the lines that are not empty.
func lines(text []byte) []any {
	return lo.ToAnySlice(lo.Compact(strings.Split(string(text), "\n")))
}

func (j *judge) trace(want any) {
	got, err := j.project.traced()
	if err != nil {
		j.say("trace: %v", err)
	}
	j.match("trace", want, got)
}

func (j *judge) traceSet(want any) {
	got, err := j.project.traced()
	if err != nil {
		j.say("traceSet: %v", err)
	}
	wanted, ok := texts(want)
	if !ok {
		j.say("traceSet: the expectation is %s; write a list of strings", Show(want))
		return
	}
	j.match("traceSet", sorted(wanted), sorted(got))
}

// texts returns v as a list; ok is false unless it is a list of strings.
func texts(v any) (list []any, ok bool) {
	list, ok = v.([]any)
	return list, ok && lo.EveryBy(list, func(e any) bool {
		_, isText := e.(string)
		return isText
	})
}

func sorted(list []any) []any {
	return slices.SortedFunc(slices.Values(list), func(a, b any) int {
		return strings.Compare(a.(string), b.(string))
	})
}

func (j *judge) files(want any) {
	wanted, ok := want.(map[string]any)
	if !ok {
		j.say("files: the expectation is %s; write an object of paths", Show(want))
	}
	for _, name := range slices.Sorted(maps.Keys(wanted)) {
		j.file(name, wanted[name])
	}
}

func (j *judge) file(name string, want any) {
	path := "files." + name
	if want == nil {
		if _, err := os.Lstat(j.project.path(name)); err == nil {
			j.say("%s: want no such file, but there is one", path)
		} else if !errors.Is(err, fs.ErrNotExist) {
			j.say("%s: %v", path, err)
		}
		return
	}
	wanted, ok := want.(map[string]any)
	if !ok {
		j.say("%s: the expectation is %s; write null or an object", path, Show(want))
		return
	}
	text, err := os.ReadFile(j.project.path(name))
	if err != nil {
		j.say("%s: want %s, got %v", path, Show(want), err)
		return
	}
	for _, key := range slices.Sorted(maps.Keys(wanted)) {
		j.content(path, key, wanted[key], text)
	}
}

func (j *judge) content(path, key string, want any, text []byte) {
	switch key {
	case "text":
		j.match(path+".text", want, string(text))
	case "lines":
		j.match(path+".lines", want, lines(text))
	case "endsWithNewline":
		j.match(path+".endsWithNewline", want, strings.HasSuffix(string(text), "\n"))
	case "json":
		var got any
		if err := json.Unmarshal(text, &got); err != nil {
			j.say("%s.json: want one JSON document, got %v in %s", path, err, Show(string(text)))
			return
		}
		j.match(path+".json", want, got)
	default:
		j.unknown(path, key, []string{"text", "lines", "json", "endsWithNewline"})
	}
}

const deathPatience = time.Second

func (j *judge) deadPids(want any) {
	if _, err := os.Stat("/proc/self/stat"); err != nil {
		j.say("deadPids: processes cannot be looked up here: %v", err)
		return
	}
	names, ok := texts(want)
	if !ok {
		j.say("deadPids: the expectation is %s; write a list of file names", Show(want))
		return
	}
	for _, name := range names {
		j.deadPid(name.(string))
	}
}

func (j *judge) deadPid(name string) {
	text, err := os.ReadFile(j.project.path(name))
	if err != nil {
		j.say("deadPids.%s: want a file with a process id, got %v", name, err)
		return
	}
	pid, err := strconv.Atoi(strings.TrimSpace(string(text)))
	if err != nil || pid <= 0 {
		j.say("deadPids.%s: want a file with a process id, got %s", name, Show(string(text)))
		return
	}
	if !diesBy(j.fired.Add(deathPatience), pid) {
		j.say("deadPids.%s: want process %d gone within %v, but it lives", name, pid, deathPatience)
	}
}

// diesBy polls: the process is not our child, and no signal reports its end.
func diesBy(deadline time.Time, pid int) bool {
	look := time.NewTicker(5 * time.Millisecond)
	defer look.Stop()
	for !isDead(pid) {
		if time.Now().After(deadline) {
			return false
		}
		<-look.C
	}
	return true
}

// isDead reports whether a process is gone, or a zombie.
func isDead(pid int) bool {
	stat, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ESRCH)
	}
	// The state follows the command's name, which may contain parentheses.
	state := string(stat[strings.LastIndexByte(string(stat), ')')+1:])
	return strings.HasPrefix(state, " Z") || strings.HasPrefix(state, " X")
}
