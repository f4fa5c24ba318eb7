package discover

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/samber/lo"
	"github.com/sourcegraph/conc/panics"
)

// Item is a hook file that a provider has found.
type Item struct {
	Type string // "pre" or "post"
	Tool string // the tool to which it applies; "*" means every tool
	Name string // the file's name, with its extension
	Path string // absolute

	Source   Source
	Shadowed bool // an item of higher priority has the same Key
}

// Source describes where an item comes from. An item without a Provider is left out.
type Source struct {
	Provider string // the provider's id
	Name     string // the provider's display name; set by Discover
	Path     string // absolute
	Level    string // "user", "project"
}

// Key returns the key of the item: of items with the same key, the first shadows the others (X42).
func (i *Item) Key() string { return i.Type + ":" + i.Tool + ":" + i.Name }

// ID returns the name that settings use to disable the item.
func (i *Item) ID() string { return "hook:" + i.Key() }

func (i *Item) wrong() string {
	switch {
	case i.Name == "":
		return "Missing name"
	case i.Path == "":
		return "Missing path"
	case i.Type != "pre" && i.Type != "post":
		return "Invalid type (must be 'pre' or 'post')"
	case i.Tool == "":
		return "Missing tool"
	}
	return ""
}

// Place holds the directories in which providers look. No field has a default.
type Place struct {
	Cwd  string // absolute; its ancestors are not searched
	Home string
	User string // the name of the user's own directory in Home, such as ".xcsh"
}

// Provider finds the hooks in one kind of place.
type Provider struct {
	ID       string
	Name     string // shown to people; empty means the ID
	Priority int    // the highest comes first

	// Load returns the items, and warnings about unusable ones. It runs at the same time as the
	// Load of other providers.
	Load func(ctx context.Context, at Place) (items []Item, warnings []string, err error)
}

func (p *Provider) label() string { return cmp.Or(p.Name, p.ID) }

// Registry is the list of providers. Providers of equal priority keep their order in the list.
type Registry struct {
	Providers []Provider
	Disabled  []string // ids of providers to skip (disabledProviders)

	// KeepUsers keeps an item of the user that a project's item shadows, because the user's may be a guard: both are
	// effective, the user's first, with a warning.
	KeepUsers bool
}

// Options selects providers and items. The zero Options selects everything.
type Options struct {
	Providers       []string // ids of the only providers to ask; empty means all
	Exclude         []string // ids of providers to skip
	Disabled        []string // ids of items to leave out (disabledExtensions)
	IncludeDisabled bool     // include the items in Disabled
	IncludeInvalid  bool     // keep incomplete items
}

// Found is the result of Discover.
type Found struct {
	Items     []Item   // the effective items, by priority
	All       []Item   // all items, also shadowed and invalid ones
	Warnings  []string // "[Name] what was wrong"
	Providers []string // ids of the providers that found an item
}

// Order returns the selected providers, highest priority first.
func (r Registry) Order(opt Options) []Provider {
	asked := lo.Filter(r.Providers, func(p Provider, _ int) bool {
		only := len(opt.Providers) == 0 || slices.Contains(opt.Providers, p.ID)
		return only && !slices.Contains(opt.Exclude, p.ID) && !slices.Contains(r.Disabled, p.ID)
	})
	slices.SortStableFunc(asked, func(a, b Provider) int { return cmp.Compare(b.Priority, a.Priority) })
	return asked
}

// Discover asks all providers in parallel, and takes their items in the order of priority, whichever provider was
// faster. The first item with a key is effective and shadows the others, see KeepUsers. A provider that fails or panics
// is a warning (X42).
//
// Afterwards items are validated: an incomplete item is left out, with a warning, but still shadows others.
func (r Registry) Discover(ctx context.Context, at Place, opt Options) Found {
	asked := r.Order(opt)
	answers := make([]providerAnswer, len(asked))
	var all sync.WaitGroup
	for i := range asked {
		all.Go(func() { answers[i] = ask(ctx, &asked[i], at) })
	}
	all.Wait()
	f := Found{}
	for i := range asked {
		f.collect(&asked[i], answers[i], opt)
	}
	f.shadow(r.KeepUsers)
	if !opt.IncludeInvalid {
		f.validate()
	}
	return f
}

type providerAnswer struct {
	items    []Item
	warnings []string
	err      error
}

// LoadTime limits the time of a provider.
const LoadTime = 10 * time.Second

// ask waits for a provider until LoadTime or ctx ends; it abandons a provider that takes longer.
func ask(ctx context.Context, p *Provider, at Place) providerAnswer {
	ctx, cancel := context.WithTimeoutCause(ctx, LoadTime, fmt.Errorf("it did not answer within %v", LoadTime))
	defer cancel()
	answered := make(chan providerAnswer, 1)
	go func() {
		a := providerAnswer{err: errors.New("it ended its goroutine (runtime.Goexit)")}
		defer func() { answered <- a }()
		caught := panics.Try(func() { a.items, a.warnings, a.err = p.Load(ctx, at) })
		if caught != nil {
			a.err = fmt.Errorf("panic: %v", caught.Value)
		}
	}()
	select {
	case a := <-answered:
		return a
	case <-ctx.Done():
		return providerAnswer{err: context.Cause(ctx)}
	}
}

// collect takes the items of one provider.
func (f *Found) collect(p *Provider, a providerAnswer, opt Options) {
	if a.err != nil {
		f.warn(p.label(), "Failed to load: %v", a.err)
		return
	}
	for _, warning := range a.warnings {
		f.warn(p.label(), "%s", warning)
	}
	if len(a.items) > 0 {
		f.Providers = append(f.Providers, p.ID)
	}
	for _, item := range a.items {
		if item.Source.Provider == "" {
			f.warn(p.label(), "Item missing _source metadata, skipping")
			continue
		}
		if opt.IncludeDisabled || !slices.Contains(opt.Disabled, item.ID()) {
			item.Source.Name = p.label()
			f.All = append(f.All, item)
		}
	}
}

func (f *Found) warn(name, format string, args ...any) {
	f.Warnings = append(f.Warnings, "["+name+"] "+fmt.Sprintf(format, args...))
}

// shadow keeps the first item of each key and, with keepUsers, the user's first one too.
func (f *Found) shadow(keepUsers bool) {
	seen := map[string]bool{}
	for i := range f.All {
		item := &f.All[i]
		same := func(other Item) bool { return other.Key() == item.Key() }
		at := slices.IndexFunc(f.Items, same)
		replaced := keepUsers && at >= 0 && item.Source.Level != project &&
			!slices.ContainsFunc(f.Items, func(other Item) bool { return same(other) && other.Source.Level != project })
		item.Shadowed = seen[item.Key()] && !replaced
		seen[item.Key()] = true
		switch {
		case replaced:
			f.warn(item.Source.Name, "%s has the name of %s: both run, the user's first", f.Items[at].Path, item.Path)
			f.Items = slices.Insert(f.Items, at, *item)
		case !item.Shadowed:
			f.Items = append(f.Items, *item)
		}
	}
}

// project is the level of items in the project directory.
const project = "project"

// validate leaves out incomplete items, and warns in the original's order, last to first.
func (f *Found) validate() {
	for i := len(f.Items) - 1; i >= 0; i-- {
		item := &f.Items[i]
		if wrong := item.wrong(); wrong != "" {
			f.warn(item.Source.Name, "Invalid item at %s: %s", item.Source.Path, wrong)
			f.Items = slices.Delete(f.Items, i, i+1)
		}
	}
}
