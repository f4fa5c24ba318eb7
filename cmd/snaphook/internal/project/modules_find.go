package project

import (
	"context"
	"fmt"

	"github.com/snaphook-go/snaphook/cmd/snaphook/internal/systems"
	"github.com/snaphook-go/snaphook/events/xcsh"
	"github.com/snaphook-go/snaphook/events/xcsh/discover"
	"github.com/snaphook-go/snaphook/pipeline"
	"github.com/snaphook-go/snaphook/trust"
)

// loadFound loads the modules that discovery finds.
func (f *SessionFlags) loadFound(ctx context.Context, src *Sources, a *Attached) error {
	place, err := discover.Here(src.Dir)
	if err != nil {
		return nil // the list of modules reports the error
	}
	if err := f.KeepBack(ctx, src, a); err != nil {
		return err
	}
	registry := discover.Standard()
	if len(a.Kept) > 0 { // the project's modules do not replace the user's
		registry = registry.Without(func(item discover.Item) bool {
			return systems.IsProjects(xcsh.SourceOf(item.Source.Level))
		})
	}
	_, a.Failed = a.DiscoverAndLoad(ctx, xcsh.Discovery{Registry: registry, Place: place}, nil)
	return nil
}

// KeepBack determines which of the project's modules must not be loaded: all or none. Loading a module runs it, even if
// it has no handler. Loading therefore needs an explicit decision for the project: a project without a decision loads
// none.
func (f *SessionFlags) KeepBack(ctx context.Context, src *Sources, a *Attached) error {
	if f.Trusted {
		return nil
	}
	loaded, err := src.Load(ctx, pipeline.Workspace{Dir: src.Dir})
	if err != nil {
		return err
	}
	own := projectHooks(loaded)
	if f.Untrusted {
		a.Kept, a.why = own, "--untrusted was given"
		return nil
	}
	if len(own) == 0 && decisionOf(ctx, src.Dir).Digests[src.Dialect.TrustName()] == "" {
		return nil // the project has no modules now, and had none when trust was granted
	}
	st, err := TrustStatusOf(ctx, src)
	if err != nil {
		return fmt.Errorf("%w; or give --trusted or --untrusted", err)
	}
	a.Swapped = st.State == trust.Changed
	if st.State == trust.Trusted {
		a.Check = st.check
		return nil
	}
	a.Kept, a.why = own, keptBack[st.State]
	return nil
}

var keptBack = map[trust.State]string{
	trust.Unknown:   "the folder is not trusted",
	trust.Untrusted: "trust in the folder was revoked",
	trust.Changed:   "they, or files that they import, have changed since trust was granted",
}
