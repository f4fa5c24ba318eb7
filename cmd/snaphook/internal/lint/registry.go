package lint

import "github.com/samber/lo"

// Rule is one kind of mistake.
type Rule struct {
	ID       string
	Severity Severity // the severity of most findings of the rule
	Doc      string   // one sentence: the mistake
	Why      string   // the consequence, in a sentence or two
	Mistake  string   // an example
	Fix      string   // the example without the mistake
	Fixable  bool     // check --fix fixes the mistake if the fix is certain
	Security bool     // has the tag security in SARIF

	look func(*hookView) // checks one hook; nil if the rule needs more than one, or belongs to another part of check
}

// rules is the registry, in the order of docs/lint.md. A new rule needs a file rule_ID.go with
// a variable of type Rule and a function over hookView that looks for the mistake, a line here, and cases in
// testdata/corpus/ID.txtar. init fills the list: an initial value would be an initialization cycle, since the functions
// use rules.
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
		ruleColdScript,
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
		ruleStatusLost,
		ruleStdinUnread,
		ruleUnquotedPath,
		ruleMemberUnknown,
		ruleAnswerUnread,
		ruleAnswerElsewhere,
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
