package permission

import (
	"errors"
	"fmt"
	"strings"

	"github.com/snaphook-go/snaphook/internal/lazyregexp"
)

// Parse reads one rule: Tool or Tool(spec). Tool() and Tool(*) are Tool: every
// call of exactly that tool. An error names the mistake in the rule and the text
// to write instead.
//
//   - Bash(pattern): any command that the call would run matches; see below.
//   - PowerShell(pattern): the same for the command as a whole and for each text
//     between ; | & = line ends and brackets outside quotes, in any case,
//     without quotes and backticks, and with the common aliases of cmdlets
//     replaced. Here-strings, comments with quotes in them, calls of variables,
//     dot-sourcing, Invoke-Expression and the like match every rule.
//   - Read(p), Edit(p), Write(p) and other tools: the path file_path, path or
//     notebook_path; a path that is not a string matches. See below.
//   - WebFetch(domain:host): the host of url. A leading "*." stands for one
//     label or more, any other * for characters of one label. An address is the
//     same in every spelling: 2130706433 is 127.0.0.1. A URL whose host is not
//     certain matches.
//   - Agent(name), Task(name): subagent_type; Skill(name): skill or command.
//   - Tool(param:value): a parameter that is a string, number or boolean.
//   - mcp__server__tool; mcp__server or mcp__server__* for all tools of a
//     server. The documentation knows no other * in a name; here it stands for
//     any characters of a name that begins with mcp__.
//
// Patterns are compared whole; * stands for any characters, including blanks and
// line ends. In a Bash or PowerShell pattern a trailing " *", also written
// ":*", ends a word: "ls *" is ls and "ls -l", not lsof. A Bash pattern may
// say \* for a star.
//
// # Bash
//
// A command is split as bash would: lists, pipelines, substitutions, loops, functions, and the text that eval and trap
// run. Of each simple command these texts are compared, words joined by one blank: as written, and with the quotes
// removed ("rm" x and \rm x are rm x); with the assignments in front and without; after each of the wrappers timeout,
// time, nice, nohup, stdbuf, command, builtin, exec, noglob, and xargs without options. A pattern with < or > is also
// compared with redirections, in any spelling (1>, >|, &>), including redirections around the command: { }, exec. A
// pattern with | & or ; is about commands that follow each other, in any spelling: "curl * | sh" is also curl x|sh and
// curl x |& \sh, and a command in brackets, in <( ) or in a function counts as any command. A file that one command
// writes and another reads is not a pipeline. A rule does not see the commands that other programs run: sudo, env, find
// -exec, bash -c, a file that is sourced; /bin/rm and rm differ.
//
// In doubt the rule matches. In doubt are:
//
//   - a command that does not parse, has more than 64 KiB, a carriage return or
//     single quotes in ${ }, or is nested absurdly;
//   - a command that the parser here may read in another way than bash (a line
//     continuation after $ or an operator, unusual ends of here-documents,
//     nullglob);
//   - a command that can run text which is not part of its syntax: arithmetic and
//     subscripts with names in them, ${x@P}, ${!x}, set -x, alias, source of a
//     file that the command itself may write, names with subscripts for
//     printf -v, read, test -v, declare;
//   - for a pattern with more than the name of a command, any expansion in the
//     command ($VAR, $( ), backticks);
//   - not in the documentation: words that may expand to words of the pattern,
//     such as $CMD x, {rm,x}, git p*, or the input of xargs.
//
// # Paths
//
// As in .gitignore: //p is absolute, ~/p below [Origin].Home, /p below
// [Origin].Root, p and ./p below [Call].Dir. A * stays in one segment, **
// crosses them, and {a,b} are alternatives. A relative pattern of one segment
// is found at any depth. A pattern that ends in a slash or in a segment
// without wildcards is also good for everything below. Upper and lower case
// differ, except on macOS and Windows. Paths are cleaned of . and .., and Windows
// paths are compared as /c/Users. A path matches as written, or with its symbolic
// links followed.
func Parse(rule string, from Origin) (*Rule, error) {
	text := strings.TrimSpace(rule)
	r, err := parse(text, from)
	if err != nil {
		return nil, fmt.Errorf("permission rule %q: %w", text, err)
	}
	return r, nil
}

func parse(text string, from Origin) (*Rule, error) {
	tool, inside, hasSpec := strings.Cut(text, "(")
	if err := checkTool(tool); err != nil {
		return nil, err
	}
	r := &Rule{text: text, tool: toolNames(tool)}
	if !hasSpec {
		return r, nil
	}
	inside, err := checkSpec(inside)
	if err != nil || inside == "" || inside == "*" {
		return r, err
	}
	r.spec, err = specOf(tool, inside, from)
	return r, err
}

var (
	toolName = lazyregexp.New(`^[\pL\pN_.:/-]+$`)
	mcpName  = lazyregexp.New(`^mcp__[\pL\pN_.:/*-]+$`)
	joined   = lazyregexp.New(`^\s*(?:\|\|?|&&?|[,;]|or|and)\s*[\pL_*]`)
)

var errSeveral = errors.New("one rule only; write a hook for each, or select tools with the matcher")

func checkTool(tool string) error {
	name := strings.TrimSpace(tool)
	switch {
	case name == "":
		return errors.New("no tool; write a rule like Bash(git *) or Edit(src/**)")
	case name == "mcp__":
		return errors.New("no server; write mcp__server, or mcp__* for all")
	case toolName.MatchString(tool), mcpName.MatchString(tool):
		return nil
	case toolName.MatchString(name):
		return errors.New("a blank before the parenthesis; write " + name + "(…)")
	case strings.ContainsAny(name, "|&,; "):
		return errSeveral
	case strings.Contains(name, "*"):
		return errors.New("only names that begin with mcp__ can contain a *; leave the rule out to run for every tool")
	}
	return fmt.Errorf("%q is not the name of a tool; write a rule like Bash(git *) or Edit(src/**)", name)
}

// checkSpec returns the text up to the parenthesis that ends the rule.
func checkSpec(text string) (string, error) {
	if rest, found := afterClose(text); found && joined.MatchString(rest) {
		return "", errSeveral
	}
	inside, closed := strings.CutSuffix(text, ")")
	if closed {
		return strings.TrimSpace(inside), nil
	}
	if i := strings.LastIndexByte(text, ')'); i >= 0 {
		return "", fmt.Errorf("%q follows the last parenthesis; end the rule with )", text[i+1:])
	}
	return "", errors.New("the parenthesis is not closed; end the rule with )")
}

// afterClose returns the text after the closing parenthesis. The opening parenthesis comes just before text.
func afterClose(text string) (rest string, found bool) {
	depth := 1
	for i := range len(text) {
		switch text[i] {
		case '(':
			depth++
		case ')':
			if depth--; depth == 0 {
				return text[i+1:], true
			}
		}
	}
	return "", false
}

// toolNames returns the tools that a name in a rule refers to.
func toolNames(name string) wildcards {
	if server, ok := strings.CutPrefix(name, "mcp__"); ok && !strings.Contains(server, "__") &&
		!strings.Contains(server, "*") {
		name += "__*"
	}
	if !strings.HasPrefix(name, "mcp__") {
		return wildcards{{name}}
	}
	tools := wildcards{newWildcard(name)}
	if plain := notPlain.ReplaceAllString(name, "_"); plain != name {
		tools = append(tools, newWildcard(plain)) // the name in Claude Code's spelling
	}
	return tools
}

// notPlain matches a character that Claude Code replaces by an underscore in the names of MCP tools.
var notPlain = lazyregexp.New(`[^A-Za-z0-9_*-]`)
