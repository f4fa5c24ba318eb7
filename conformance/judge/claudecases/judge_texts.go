package claudecases

import (
	"errors"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/samber/lo"
)

// texts are compared as a whole, without their trailing newlines.
type texts []string

func trim(list []string) []string {
	return lo.Map(list, func(s string, _ int) string { return strings.TrimRight(s, "\n") })
}

// multiset compares texts without their order.
func (j *judge) multiset(key string, want texts) {
	if got, ok := reported[[]string](j, key, key, want); ok {
		j.sameTexts(key, want, got)
	}
}

func (j *judge) sameTexts(key string, want, got []string) {
	wanted, seen := trim(want), trim(got)
	slices.Sort(wanted)
	slices.Sort(seen)
	if !slices.Equal(wanted, seen) {
		j.departs(key, want, got)
	}
}

// sequence checks for the same texts in the same order.
func (j *judge) sequence(key string, want texts) {
	if got, ok := reported[[]string](j, key, key, want); ok && !slices.Equal(trim(want), trim(got)) {
		j.departs(key, want, got)
	}
}

// substrings are texts that another text must contain.
type substrings []string

func (p substrings) check() error {
	if slices.Contains(p, "") {
		return errors.New("an empty text is in every other: write a part of a text")
	}
	return nil
}

// sees returns a check that every part occurs in a text. If no parts are given, the check passes only without texts.
func sees(name string) func(*judge, string, substrings) {
	return func(j *judge, key string, want substrings) {
		got, ok := reported[[]string](j, key, name, want)
		if !ok {
			return
		}
		if len(want) == 0 && len(got) > 0 {
			j.departs(key, want, got)
		}
		for _, part := range want {
			if !occurs(part, got) {
				j.say("%s: want a text with %q, got %q", key, part, got)
			}
		}
	}
}

// notParts are substrings that no text may contain; at least one has to be given.
type notParts []string

func (p notParts) check() error {
	if len(p) == 0 {
		return errNothing
	}
	return substrings(p).check()
}

// seesNot returns a check that no part occurs in any text.
func seesNot(name string) func(*judge, string, notParts) {
	return func(j *judge, key string, want notParts) {
		got, ok := reported[[]string](j, key, name, want)
		for _, part := range want {
			if ok && occurs(part, got) {
				j.say("%s: want no text with %q, got %q", key, part, got)
			}
		}
	}
}

func occurs(part string, list []string) bool {
	return slices.ContainsFunc(list, func(s string) bool { return strings.Contains(s, part) })
}

func (j *judge) longestContext(key string, want float64) {
	got, _ := reported[[]string](j, key, "additionalContext", want)
	for _, text := range got {
		if n := utf8.RuneCountInString(text); float64(n) > want {
			j.say("%s: want at most %v characters, got a text of %d", key, want, n)
		}
	}
}

// ran checks the labels of this step.
func (j *judge) ran(key string, want texts) {
	labels, err := j.project.log()
	if err != nil {
		j.say("%s: %v", key, err)
		return
	}
	j.sameTexts(key, want, labels[min(j.project.logged, len(labels)):])
}

// ranAtAll checks the labels of all steps.
func (j *judge) ranAtAll(key string, want texts) {
	labels, err := j.project.log()
	if err != nil {
		j.say("%s: %v", key, err)
		return
	}
	j.sameTexts(key, want, labels)
}
