package snaphook

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/snaphook-go/snaphook/events/xcsh"
	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/pipeline"
	"github.com/snaphook-go/snaphook/settings"
	"github.com/snaphook-go/snaphook/wire"
)

// SessionConfig describes one conversation. The zero SessionConfig is a trusted session without a user, in the current
// directory.
type SessionConfig struct {
	ID         string // the session's id, in the input of every hook
	Dir        string // the project's directory, in which hooks run; it must exist; empty means the current directory
	Transcript string // path of the conversation's transcript, passed to hooks; may be empty

	// Interactive means that there is a user who can be asked.
	Interactive bool

	// Untrusted means that the user has not agreed to run the hooks of the directory: hooks and modules of the
	// project do not run. Hooks of Claude Code are an exception, as in Claude Code itself: no hook of any source runs
	// if the session is Interactive, and all hooks run otherwise.
	Untrusted bool

	// Undecided means that the user has not been asked yet: hooks of the project run, but its settings can neither
	// disable hooks of other levels nor loosen a restriction. Untrusted implies Undecided.
	Undecided bool
}

// Session is one conversation. Its methods may be called from many goroutines. Close it after use.
type Session struct {
	ses    *pipeline.Session
	watch  *pipeline.Watch
	shut   atomic.Uint32 // set when the session or its Hooks are closed: every moment is then a denial
	hooks  *Hooks
	cfg    SessionConfig
	xcsh   xcshSession
	closed atomic.Bool // Close has begun

	mu       sync.Mutex
	queued   []string // texts from modules for the model's next turn
	problems []settings.Problem
}

// NewSession makes a session. It loads the modules, and reads the settings of the directory unless another session
// already uses them. A settings file that cannot be read is an error, because its guards would be lost.
func (h *Hooks) NewSession(ctx context.Context, cfg SessionConfig) (*Session, error) {
	if h.closed.Load() {
		return nil, hook.ErrClosed
	}
	s := &Session{hooks: h, watch: h.watch, cfg: cfg}
	config := pipeline.SessionConfig{
		ID: cfg.ID, Dir: cfg.Dir, Transcript: cfg.Transcript, Interactive: cfg.Interactive,
		Untrusted: cfg.Untrusted, Undecided: cfg.Undecided, MayAsk: h.cfg.MayAsk,
	}
	if h.cfg.Ask != nil {
		config.Ask = func(ctx context.Context, hk *hook.Hook, q hook.Question) (string, bool) {
			return h.cfg.Ask(ctx, s, hk, q)
		}
	}
	if h.cfg.Finished != nil {
		config.Finished = func(f pipeline.Finished) { h.cfg.Finished(s, f) }
	}
	var err error
	if s.ses, err = h.sys.NewSession(ctx, config); err != nil {
		return nil, err
	}
	for _, p := range readTwice(s.ses.Hooks()) {
		s.problems = append(s.problems, p)
		h.log.Warn("hooks run more than once", slog.String("session", cfg.ID), slog.String("problem", p.String()))
	}
	for _, d := range h.dialects {
		if d.attach == nil {
			continue
		}
		if err := d.attach(ctx, s); err != nil {
			return nil, errors.Join(err, s.end(ctx))
		}
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.closed.Load() {
		return nil, errors.Join(hook.ErrClosed, s.end(ctx))
	}
	h.sessions[s] = true
	return s, nil
}

// Active reports whether any hook could run at a moment. In a closed session it is true, because every moment is a
// denial. It costs a nanosecond or two: call it before building an expensive input.
func (s *Session) Active(at Moment) bool {
	return at < moments && (s.runs(at) != 0 || s.shut.Load() != 0)
}

// fires returns the dialects that fire an event at a moment.
func (s *Session) fires(at Moment) fireSet { return fireSet(s.watch.Of(s.ses).Fires.Byte(int(at))) }

// runs returns the dialects with a hook that could run at a moment.
func (s *Session) runs(at Moment) fireSet { return fireSet(s.watch.Of(s.ses).Runs.Byte(int(at))) }

// RunTool runs a tool with its hooks: [Session.BeforeTool], a question to the user if a hook demands one
// ([Config].Ask), the tool with the arguments that the hooks have left, and [Session.AfterTool].
//
// A refused call is not an error: the tool is not called, Text is the reason for the model, and Failed is set. An error
// of the tool is a failure that hooks see; RunTool returns it unchanged, with the result. Any other error is ctx's
// error, [hook.ErrClosed], or the error for arguments that are not a JSON object; then the tool has not run unless the
// result says otherwise.
//
// The result's Text is for the model, followed by the contexts and objections of the hooks, with a blank line before
// each. SuppressOutput is set if the tool or a hook has set it.
func (s *Session) RunTool(
	ctx context.Context,
	call *ToolCall,
	tool func(context.Context, wire.Object) (ToolResult, error),
) (ToolResult, error) {
	before, err := s.BeforeTool(ctx, call)
	if err != nil {
		return refused(before, before.Reason), err
	}
	if before.Stop || before.Denied() {
		return refused(before, lines(before.Reason, stopText(before))), nil
	}
	if before.Decision == hook.Ask {
		ok, why := s.permit(ctx, call, before.Reason)
		if s.shut.Load() != 0 { // the session was closed while the user was asked
			return refused(before, hook.ErrClosed.Error()), hook.ErrClosed
		}
		if !ok {
			return refused(before, why), ctx.Err()
		}
	}
	out, failed := tool(ctx, before.Input)
	if failed != nil {
		out.Failed = true
		if out.Text == "" {
			out.Text = failed.Error()
		}
	}
	ran := *call
	beforeTools.rewrite(&ran, before.Input)
	after, err := s.AfterTool(ctx, &AfterToolInput{ToolCall: ran, Result: out})
	out = reviewed(out, before, after, err)
	if failed != nil {
		err = failed
	}
	return out, err
}

// permit asks the user whether a call may run.
func (s *Session) permit(ctx context.Context, call *ToolCall, reason string) (ok bool, why string) {
	if s.hooks.cfg.Ask == nil {
		return false, lines(reason, "A hook wants to ask the user, but the program cannot: the call is refused.")
	}
	key, answered := s.hooks.cfg.Ask(ctx, s, nil, hook.Question{
		ID: call.ID, Message: cmp.Or(reason, "May "+call.Name+" run?"),
		Options: []hook.Option{{Key: "allow", Label: "Allow"}, {Key: "deny", Label: "Deny"}},
	})
	if answered && key == "allow" {
		return true, ""
	}
	return false, lines(reason, "The user has refused.")
}

// Each method from Start to End runs the hooks of one moment and returns the instructions for the host. The verdict is
// never nil. The error is ctx's error, [hook.ErrClosed] once the session or its Hooks are closed, or a
// [hook.InputError] for a nil pointer and for arguments that are not one JSON object; with any error the verdict is a
// denial. Without hooks a call costs a few nanoseconds, and allocates nothing if the verdict does not escape from the
// caller.
//
// The bodies are repeated because only small methods are inlined, and only an inlined method can leave the verdict on
// the caller's stack.

// Start runs the hooks when a session begins, or continues after a break. The verdict has Context, Messages and Env.
func (s *Session) Start(ctx context.Context, in *StartInput) (*Verdict, error) {
	v := new(Verdict)
	return v, runMoment(ctx, s, in, v)
}

// Prompt runs the hooks for the user's prompt. A denial drops the prompt and gives a Reason for the user; Context is
// for the model.
func (s *Session) Prompt(ctx context.Context, in *PromptInput) (*Verdict, error) {
	v := new(Verdict)
	return v, runMoment(ctx, s, in, v)
}

// BeforeModel runs the hooks for a request to the model. The verdict's Input is the request to send. After a denial, or
// if there is a Result, the host sends no request. If there is a Result, its Data is the response.
func (s *Session) BeforeModel(ctx context.Context, in *BeforeModelInput) (*Verdict, error) {
	v := new(Verdict)
	return v, runMoment(ctx, s, in, v)
}

// AfterModel runs the hooks for the response of the model. If there is a Result, its Data replaces
// the response.
func (s *Session) AfterModel(ctx context.Context, in *AfterModelInput) (*Verdict, error) {
	v := new(Verdict)
	return v, runMoment(ctx, s, in, v)
}

// ToolChoice runs the hooks for the tools that are about to be offered to the model. The verdict's
// Input is the request, with a toolConfig if hooks restrict the tools.
func (s *Session) ToolChoice(ctx context.Context, in *ToolChoiceInput) (*Verdict, error) {
	v := new(Verdict)
	return v, runMoment(ctx, s, in, v)
}

// BeforeTool runs the hooks for a tool call that is about to run. The verdict's Input has the arguments to run it with.
// After a denial, give Reason to the model in place of a result. Arguments that are not a JSON object are an input
// error, and a denial.
//
// Without hooks, arguments that begin and end like an object are not checked further.
func (s *Session) BeforeTool(ctx context.Context, call *ToolCall) (*Verdict, error) {
	v := new(Verdict)
	return v, runBeforeTool(ctx, s, call, v)
}

// AfterTool runs the hooks for a tool call that has finished or failed. A denial undoes nothing: its Reason is for the
// model, besides the result.
func (s *Session) AfterTool(ctx context.Context, in *AfterToolInput) (*Verdict, error) {
	v := new(Verdict)
	return v, runMoment(ctx, s, in, v)
}

// Permission runs the hooks when the user is about to be asked for a permission: an Allow or a denial replaces the
// user's answer. The verdict's Input has the arguments.
func (s *Session) Permission(ctx context.Context, in *PermissionInput) (*Verdict, error) {
	v := new(Verdict)
	return v, runMoment(ctx, s, in, v)
}

// SubagentStart runs the hooks when a sub-agent begins. Context is for the sub-agent.
func (s *Session) SubagentStart(ctx context.Context, in *SubagentStartInput) (*Verdict, error) {
	v := new(Verdict)
	return v, runMoment(ctx, s, in, v)
}

// SubagentStop runs the hooks when a sub-agent is about to finish its answer. Continue makes it go on.
func (s *Session) SubagentStop(ctx context.Context, in *SubagentStopInput) (*Verdict, error) {
	v := new(Verdict)
	return v, runMoment(ctx, s, in, v)
}

// Stop runs the hooks when the agent is about to finish its answer. Continue makes it go on.
func (s *Session) Stop(ctx context.Context, in *StopInput) (*Verdict, error) {
	v := new(Verdict)
	return v, runMoment(ctx, s, in, v)
}

// BeforeCompact runs the hooks when the conversation is about to be compacted. A denial prevents the compaction.
// Result.Text replaces the summary. Context is for the model that writes the summary.
func (s *Session) BeforeCompact(ctx context.Context, in *BeforeCompactInput) (*Verdict, error) {
	v := new(Verdict)
	return v, runMoment(ctx, s, in, v)
}

// AfterCompact runs the hooks when the conversation has been compacted.
func (s *Session) AfterCompact(ctx context.Context, in *AfterCompactInput) (*Verdict, error) {
	v := new(Verdict)
	return v, runMoment(ctx, s, in, v)
}

// Notify runs the hooks for a notification to the user.
func (s *Session) Notify(ctx context.Context, in *NotifyInput) (*Verdict, error) {
	v := new(Verdict)
	return v, runMoment(ctx, s, in, v)
}

// End runs the hooks at the end of the session; [Session.Close] releases its resources.
func (s *Session) End(ctx context.Context, in *EndInput) (*Verdict, error) {
	v := new(Verdict)
	return v, runMoment(ctx, s, in, v)
}

// ID returns the session's id.
func (s *Session) ID() string { return s.cfg.ID }

// Dir returns the session's directory, an absolute path.
func (s *Session) Dir() string { return s.ses.Dir() }

// Pipeline returns the engine's session, for hooks and events of one dialect:
//
//	claude.PreToolUse.On(s.Pipeline(), "gate", f)
//	claude.FileChanged.Fire(ctx, s.Pipeline(), &in)
func (s *Session) Pipeline() *pipeline.Session { return s.ses }

func (s *Session) scope() pipeline.Scope {
	if s == nil {
		return nil
	}
	return s.ses
}

// Modules returns the session's modules of xcsh, to which a program can add more; nil without the dialect [Xcsh].
func (s *Session) Modules() *xcsh.Modules { return s.xcsh.modules }

// Hooks lists every configured hook, including those that can never run.
func (s *Session) Hooks() []*hook.Hook { return s.ses.Hooks() }

// Problems lists the mistakes in settings and modules.
func (s *Session) Problems() []settings.Problem {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append(s.ses.Problems(), s.problems...)
}

// lost reports a module that does not run, because it may be a guard.
func (s *Session) lost(problem string) {
	s.mu.Lock()
	if p := (settings.Problem{Message: problem}); !slices.Contains(s.problems, p) {
		s.problems = append(s.problems, p)
	}
	s.mu.Unlock()
	s.hooks.log.Warn("a hook module is not used", "session", s.cfg.ID, "problem", problem)
}

// NextTurn returns texts for the model's next turn: those that background hooks and modules have produced since the
// last call.
func (s *Session) NextTurn() []string {
	s.mu.Lock()
	queued := s.queued
	s.queued = nil
	s.mu.Unlock()
	return append(s.ses.NextTurn(), queued...)
}

// Wait returns nil when no hook of the session runs in the background any more, or the cause of
// ctx's end when ctx ends first.
func (s *Session) Wait(ctx context.Context) error { return s.ses.Wait(ctx) }

// EnvFiles returns files of shell text with the variables that hooks have exported. The host sources them, in this
// order, before each of its shell commands.
func (s *Session) EnvFiles() []string { return s.ses.EnvFiles() }

// Exports returns the concatenated text of all EnvFiles.
func (s *Session) Exports() (string, error) { return s.ses.Exports() }

// Close ends the session's modules and its background hooks; it waits for the hooks until ctx ends. Later moments are
// denials with [hook.ErrClosed]. Close may be called more than once.
func (s *Session) Close(ctx context.Context) error {
	s.hooks.mu.Lock()
	delete(s.hooks.sessions, s)
	s.hooks.mu.Unlock()
	return s.end(ctx)
}

func (s *Session) end(ctx context.Context) error {
	s.shut.Store(1)
	if s.closed.Swap(true) {
		return nil
	}
	err := s.ses.Close(ctx)
	if s.xcsh.modules != nil {
		err = errors.Join(err, s.xcsh.modules.Close())
	}
	return err
}
