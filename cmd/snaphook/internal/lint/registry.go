package lint

import "github.com/samber/lo"

// Rule is one kind of mistake.
type Rule struct {
	ID       string
	Severity Severity // the severity of most of its findings
	Doc      string   // one sentence: the mistake
	Why      string   // the consequence, in a sentence or two
	Mistake  string   // an example
	Fix      string   // the same without the mistake
	Fixable  bool     // check --fix does that, where the fix is certain

	look func(*view) // at one hook; nil where the rule looks at more, or belongs to another part of check
}

// rules is the registry, in the order of docs/lint.md. A new rule is a variable of type Rule
// beside the function that looks for the mistake, a line here, and cases in
// testdata/corpus/ID.txtar. init fills it: the functions use it.
var rules []Rule

func init() {
	rules = append([]Rule{
		ruleMatcherUnreachable,
		ruleMatcherUnused,
		ruleIfUnreachable,
		ruleRewriteConflict,
		ruleTimeoutUnit,
		ruleSecretInSettings,
		ruleAsyncGate,
		ruleShellBashSyntax,
		ruleWarmWouldHelp,
		ruleIgnoreUnknown,
		ruleTypeMixed,
		ruleBackslashPath,
		ruleTildeQuoted,
		ruleScriptRelative,
		ruleScriptMissing,
		ruleScriptNotExecutable,
		ruleScriptCrlf,
		ruleScriptNoShebang,
		ruleInterpreterMissing,
		ruleAccidentalExit2,
		ruleLauncherUnpinned,
		ruleGateExit1,
		ruleStdinUnread,
		ruleUnquotedPath,
		ruleMemberUnknown,
		ruleAnswerUnread,
		ruleChangeLost,
		ruleEchoEscapes,
		ruleScriptBOM,
		ruleOnlyDefines,
	}, policyRules...)
}

// Rules returns all rules, in the order of docs/lint.md. The caller may change
// the slice.
func Rules() []Rule { return append([]Rule(nil), rules...) }

func ruleOf(id string) Rule {
	r, _ := lo.Find(rules, func(r Rule) bool { return r.ID == id })
	return r
}

func known(id string) bool { return ruleOf(id).ID != "" }

func ids() []string { return lo.Map(rules, func(r Rule, _ int) string { return r.ID }) }
