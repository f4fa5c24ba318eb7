// Package modules loads hook modules that are files of JavaScript or TypeScript
// into the system of [xcsh]. Modules that were written for xcsh or pi run as
// they are.
//
//	m := xcsh.New(ses, xcsh.Config{Loaders: []xcsh.ModuleLoader{&modules.Loader{}}})
//	errs := m.Load(ctx, []string{"~/hooks/gate.ts"}, "")
//
// Each module has an engine of its own; see [jsrun] for the language, for what
// there is beside it, and for what a module can do to its host.
//
// # What a module is given
//
// The factory gets pi, with on, sendMessage, appendEntry, registerCommand,
// registerMessageRenderer, exec and logger. It is awaited. What the extension
// runtime has beside, such as registerTool and setActiveTools, is for the host to
// carry out: see [xcsh.Registration] and the field Extension of [xcsh.Host]. pi.pi
// can be looked at; using it is an error that says what is missing.
//
// Handlers get the event and ctx: ui, hasUI, cwd, sessionManager,
// modelRegistry, model, isIdle, abort, hasQueuedMessages. Events and ctx are
// each handler's own: what it changes in them is lost. In session_before_compact
// and session_before_tree event.signal is aborted when the fire's context ends.
// Commands get their arguments as one text, and a ctx with waitForIdle,
// newSession, branch and navigateTree besides.
//
// What asks the user, runs a program or works on a session returns a promise;
// the module goes on with other calls meanwhile. A renderer returns a text, a list
// of lines, or a component, whose render is asked for lines of [RenderWidth],
// within [RenderTime].
//
// # What can be imported
//
// Files by relative paths; types from anywhere; node:path and node:url. The
// packages in [Packages] have the functions that tell tools apart, such as
// isBashToolResult, the components that are text, such as Text and Box, and no
// other value. Everything else, node:fs among it, keeps the module from being
// loaded, with an error that names the import, the file and the line. A global
// that is not there, such as fetch, fails the call that uses it in the same
// way.
//
// # What a module cannot do
//
// It has no file system, network or processes. Running programs is the host's to
// grant, by [Loader.Exec]; so are the environment, by [jsrun.Options], and API
// keys, by the registry of models in [xcsh.Config]. Components of ctx.ui.custom
// cannot leave the engine: it returns undefined where there is no UI, and is an
// error where there is one.
//
// A Loader whose Runtime is a process lifts all of that for its modules, whose
// process is started again when it has ended; see docs/xcsh.md.
//
// # What a failure costs
//
// One call. What JavaScript throws is the handler's error, with its own message;
// for tool_call that keeps the tool from running. The errors of the engine, such
// as a [jsrun.BudgetError] for a handler that ran too long, name the module. One
// that has come to an end fails every later call at once, with the reason.
package modules
