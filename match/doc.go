// Package match has the matchers that select hooks by an event's subject: the name of a tool, or the trigger of an
// event.
//
//	m, note := match.List("Write|Edit") // as Claude Code reads the text of a settings file
//	m.Match("Edit")                     // true
//	m.Match("NotebookEdit")             // false: names are compared whole
//
// [Exact] and [Names] are matchers for hooks in Go. The other functions compile patterns from settings; each implements
// the rules of one or more hook systems: [Tool] and [Trigger] of LLxprt Code, [List] and [WideList] of two releases of
// Claude Code, [Search], [SearchStar], [Linear], [LinearList] and [Aliased] of systems that read Claude Code's form
// differently. A nil matcher matches every subject. The second result is a note for the author of the pattern, usually
// empty. A mistake in a pattern is not an error: each function's documentation describes the effect of an invalid
// pattern.
//
// [Regexp] compiles an expression in the syntax of JavaScript, which those systems use. A search ends after a time
// limit; see [Pattern.Test]. [Renamed] extends a matcher to other names of a tool.
//
// Every matcher is a [hook.Matcher], may be used from many goroutines at once, and matches without allocating.
package match
