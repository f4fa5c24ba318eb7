// Package match holds the matchers that select hooks by an event's subject: the name of a tool, or
// the trigger of an event.
//
//	m, note := match.List("Write|Edit") // as Claude Code reads the text of a settings file
//	m.Match("Edit")                     // true
//	m.Match("NotebookEdit")             // false: names are compared whole
//
// [Exact] and [Names] are matchers for hooks in Go. Each hook system reads the text of its settings in
// its own way, and each way is a function: [Tool] and [Trigger] for LLxprt Code, [List] and [WideList]
// for two releases of Claude Code, [Search], [SearchStar], [Linear], [LinearList] and [Aliased] for
// systems that read Claude Code's form differently. A nil matcher matches every subject. The second
// result is a note for the author of the pattern, empty if there is nothing to say: a mistake in a
// pattern is not an error, and the function's documentation describes the effect of such a pattern.
//
// [Regexp] compiles an expression in the syntax of JavaScript, as those systems do. A search in a
// subject ends after a time limit; see [Pattern.Test]. [Renamed] extends a matcher to other names of a
// tool.
//
// Every matcher is a [hook.Matcher], may be used from many goroutines at once, and matches without
// allocating.
package match
