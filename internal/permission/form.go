package permission

import (
	"slices"
	"strings"
)

// form holds a simple command, and the texts of the command that rules are compared with.
type form struct {
	redirectedCommand
	source, plain string   // the words, joined
	quoted        bool     // source and plain differ
	known         string   // the text before the first expansion
	expands       bool     // there is an expansion
	shape         wildcard // see simpleCommand.shape

	// The words that cannot vanish, joined. least is set only if a rule has to be compared with them.
	leastSource, leastPlain string
	least                   bool
}

// newForm returns the form of a command for rules with the given argues; see bash.
func newForm(c redirectedCommand, argues bool) form {
	f := form{redirectedCommand: c, shape: c.shape(argues)}
	f.source, f.plain = join(c.words)
	f.quoted = f.source != f.plain
	f.known, f.expands = c.known()
	if f.shape != nil && !argues {
		words := c.least()
		f.leastSource, f.leastPlain = join(words)
		f.least = len(words) > 0
	}
	return f
}

// forms holds the texts of a command for rules without operators of lists, pipelines and redirections. Such a rule is
// compared with these texts, without a walk through the syntax.
type forms struct {
	forms   []form
	texts   []string // the texts of conditions and of arithmetic
	expands bool     // the command has an expansion
	doubt   bool     // every rule matches
	many    bool     // the command has more forms than are kept: each rule has to search it
	bytes   int
}

const (
	mostForms     = 1000
	mostFormBytes = 256 << 10 // of joined texts
)

// formsOf records the forms of a parsed command.
func formsOf(call *parsed, argues bool) *forms {
	f := new(forms)
	s := search{rule: &bash{argues: argues}, record: f}
	f.doubt = s.tree(call.command, call.file)
	f.expands = s.expands
	if f.many {
		return &forms{many: true}
	}
	return f
}

// add records a form. It reports whether the search has to end because there are too many forms.
func (f *forms) add(each form) (ends bool) {
	f.forms = append(f.forms, each)
	return f.count(len(each.source) + len(each.plain) + len(each.known) + len(each.leastSource) + len(each.leastPlain) +
		16*len(each.shape))
}

func (f *forms) addText(text string) (ends bool) {
	f.texts = append(f.texts, strings.TrimSpace(text))
	return f.count(0) // the text shares the command's bytes
}

func (f *forms) count(bytes int) bool {
	f.bytes += bytes
	f.many = len(f.forms)+len(f.texts) > mostForms || f.bytes > mostFormBytes
	return f.many
}

// match reports whether a rule matches the command.
func (f *forms) match(b *bash) bool {
	if f.doubt || b.argues && f.expands || slices.ContainsFunc(f.texts, b.matchRaw) {
		return true
	}
	for i := range f.forms {
		if b.matchForm(&f.forms[i]) {
			return true
		}
	}
	return false
}
