package main

import (
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"strings"

	"github.com/samber/lo"
	"github.com/spf13/cobra"

	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/pipeline"
	"github.com/snaphook-go/snaphook/stages"
)

// session opens a session as the flags describe it, on settings that can be
// read, and says what is odd about them. Close the system.
func (f *flags) session(cmd *cobra.Command, event pipeline.Declared, observe func(pipeline.Evaluation)) (*pipeline.System, *pipeline.Session, error) {
	d, err := dialectNamed(event.Info().Dialect)
	if err != nil {
		return nil, nil, err
	}
	src, err := f.sources(d)
	if err != nil {
		return nil, nil, err
	}
	untrusted, err := f.judge(cmd, src)
	if err != nil {
		return nil, nil, err
	}
	sys := pipeline.NewSystem(pipeline.Config{Load: []pipeline.Load{src.load}, Log: f.log(cmd), Observe: observe})
	ses, err := sys.NewSession(cmd.Context(), pipeline.SessionConfig{
		ID: lo.CoalesceOrEmpty(f.id, rand.Text()), Dir: src.dir, Transcript: f.transcript, Untrusted: untrusted,
	})
	if err == nil {
		err = unreadable(ses.Problems())
	}
	if err != nil {
		_ = sys.Close() // never fails
		return nil, nil, err
	}
	for _, p := range ses.Problems() {
		warn(cmd, "%s", p)
	}
	return sys, ses, nil
}

// log is the engine's. What fails is in the answer, and said once: without
// --verbose only the engine's own errors are left.
func (f *flags) log(cmd *cobra.Command) *slog.Logger {
	level := slog.LevelError
	if f.verbose || wantsDebug() {
		level = slog.LevelDebug
	}
	return slog.New(slog.NewTextHandler(cmd.ErrOrStderr(), &slog.HandlerOptions{Level: level}))
}

// wantsDebug reports whether the environment asks for the debug log: by our
// own variable, or by DEBUG=llxprt:core:hooks:* (seed 000 "Debugging Hooks").
func wantsDebug() bool {
	switch strings.ToLower(os.Getenv("SNAPHOOK_DEBUG")) {
	case "", "0", "false":
		return strings.Contains(os.Getenv("DEBUG"), "hooks")
	}
	return true
}

// judge decides whether the project is untrusted, and reports a decision that
// was taken back.
func (f *flags) judge(cmd *cobra.Command, src *sources) (untrusted bool, err error) {
	switch {
	case f.trusted && f.untrusted:
		return false, errors.New("--trusted and --untrusted exclude each other; give one of them")
	case f.trusted || f.untrusted:
		return f.untrusted, nil
	}
	st, err := standing(cmd.Context(), src)
	state := st.State
	switch {
	case err != nil:
		return false, fmt.Errorf("%w; or say --trusted or --untrusted", err)
	case state == revoked:
		warn(cmd, "trust in %s was revoked; its own hooks do not run. `snaphook trust grant` allows them again", src.dir)
	case state == changed:
		warn(cmd, "the hooks of %s, or scripts that they run, are not those that trust was granted for; they do not run. "+
			"`snaphook trust` shows them, `snaphook trust grant` allows them", src.dir)
	}
	return state == revoked || state == changed || state == unknown && f.interactive, nil
}

// warnUntrusted says how many hooks of a plan the lack of trust keeps back.
func warnUntrusted(cmd *cobra.Command, plan stages.Planned, verb string) {
	n := lo.CountBy(plan.Skipped, func(s stages.Skipped) bool { return s.Why == hook.Untrusted })
	if n > 0 {
		warn(cmd, "%s of this project %s run: the folder is not trusted; `snaphook trust` shows them, `snaphook trust grant` allows them", count(n, "hook"), verb)
	}
}
