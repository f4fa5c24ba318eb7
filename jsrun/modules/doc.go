// Package modules loads hook modules that are files of JavaScript or TypeScript into the system of
// [xcsh]. Modules that were written for xcsh or pi run unchanged.
//
//	m := xcsh.New(ses, xcsh.Config{Loaders: []xcsh.ModuleLoader{&modules.Loader{}}})
//	errs := m.Load(ctx, []string{"~/hooks/gate.ts"}, "")
//
// Each module has an engine of its own; see [jsrun] for the language, its environment, and the
// limits of a module.
//
// # The objects of a module
//
// The factory receives pi, with on, sendMessage, appendEntry, registerCommand,
// registerMessageRenderer, exec and logger. The loader awaits its result. The host carries out the
// further members of the extension runtime, such as registerTool and setActiveTools: see
// [xcsh.Registration] and the field Extension of [xcsh.Host]. pi.pi can be read; using it is an
// error that names the missing function.
//
// Handlers receive the event and ctx: ui, hasUI, cwd, sessionManager, modelRegistry, model, isIdle, abort,
// hasQueuedMessages. Each handler has its own copies of the event and ctx. It may change the content and details of a
// tool_result, and the messages of a context, in place; other changes have no effect, and the report of the handler
// notes those to the event. In session_before_compact and session_before_tree, event.signal is aborted when the fire's
// context ends. Commands receive their arguments as one text, and a ctx with the further members waitForIdle,
// newSession, branch and navigateTree.
//
// A function that asks the user, runs a program or works on a session returns a promise; the module
// handles other calls meanwhile. A renderer returns a text, a list of lines, or a component, whose
// render is called with [RenderWidth], within [RenderTime].
//
// # Imports
//
// A module may import files by relative paths, types from anywhere, node:path and node:url. The packages in [Packages]
// have the functions that tell tools apart, such as isBashToolResult, the components that are text, such as Text and
// Box, the builders of tool schemas, and no other value. Any other import, node:fs included, is an error of loading
// that names the import, the file and the line. Use of an absent global, such as fetch, fails the running call in the
// same way.
//
// # Rights
//
// A module has no file system, network or processes. The host grants programs by [Loader.Exec], the
// environment by [jsrun.Options], and API keys by the registry of models in [xcsh.Config].
// Components of ctx.ui.custom cannot leave the engine: it returns undefined without a UI, and is an
// error with one.
//
// A Loader whose Runtime is a process lifts these restrictions for its modules, and starts an ended
// process again; see docs/xcsh.md.
//
// # Failures
//
// A failure costs one call. An exception is the handler's error, with its own message; for tool_call
// it keeps the tool from running. Errors of the engine, such as a [jsrun.BudgetError] for a handler
// that ran too long, name the module. A module that has ended fails every later call at once, with
// the reason.
package modules
