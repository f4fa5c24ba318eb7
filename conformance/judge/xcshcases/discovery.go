package xcshcases

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/snaphook-go/snaphook/conformance/internal/statusline"
	"github.com/snaphook-go/snaphook/events/xcsh"
	"github.com/snaphook-go/snaphook/events/xcsh/discover"
)

func (w *runningCase) cwd(s *Step) string {
	if s.Cwd != "" {
		return s.Cwd
	}
	return w.dirs["$PROJ"]
}

func (w *runningCase) load(s *Step) map[string]any {
	return w.loaded(func(m *xcsh.Modules) []*xcsh.LoadError { return m.Load(w.t.Context(), s.Paths, w.cwd(s)) })
}

func (w *runningCase) discoverAndLoad(s *Step) map[string]any {
	d := xcsh.Discovery{Registry: discover.Standard(), Place: w.at(s)}
	return w.loaded(func(m *xcsh.Modules) []*xcsh.LoadError {
		_, errs := m.DiscoverAndLoad(w.t.Context(), d, s.Configured)
		return errs
	})
}

// loaded gives the case a new, empty Modules, and loads modules into it. Later steps use the new Modules.
func (w *runningCase) loaded(load func(*xcsh.Modules) []*xcsh.LoadError) map[string]any {
	if err := w.modules.Close(); err != nil { // of two open Modules, both would call the listeners
		return done(err)
	}
	w.modules = w.newModules()
	w.prepareHost()
	hooks, failed := []any{}, []any{}
	for _, err := range load(w.modules) {
		failed = append(failed, map[string]any{"path": err.Path, "error": err.Err.Error()})
	}
	for _, i := range w.modules.Infos() {
		hooks = append(
			hooks,
			map[string]any{"path": i.Path, "resolvedPath": i.Resolved, "events": i.Events, "commands": i.Commands},
		)
	}
	return ok(map[string]any{"hooks": hooks, "errors": failed})
}

func (w *runningCase) at(s *Step) discover.Place {
	return discover.Place{Cwd: w.cwd(s), Home: w.dirs["$HOME"], User: ".xcsh"}
}

func options(s *Step) (o discover.Options, err error) {
	var text struct {
		Providers          []string `json:"providers"`
		ExcludeProviders   []string `json:"excludeProviders"`
		DisabledExtensions []string `json:"disabledExtensions"`
		IncludeDisabled    bool     `json:"includeDisabled"`
		IncludeInvalid     bool     `json:"includeInvalid"`
	}
	if s.Options != nil {
		err = json.Unmarshal(s.Options, &text, json.RejectUnknownMembers(true))
	}
	return discover.Options{
		Providers: text.Providers, Exclude: text.ExcludeProviders, Disabled: text.DisabledExtensions,
		IncludeDisabled: text.IncludeDisabled, IncludeInvalid: text.IncludeInvalid,
	}, err
}

func (w *runningCase) discover(s *Step) map[string]any { return w.found(s, discover.Standard()) }

func (w *runningCase) registry(s *Step) map[string]any {
	r := discover.Registry{Disabled: s.DisabledProviders}
	for _, p := range s.Providers {
		r.Providers = append(r.Providers, p.provider())
	}
	return w.found(s, r)
}

func (p *Provider) provider() discover.Provider {
	return discover.Provider{
		ID:       p.ID,
		Name:     p.DisplayName,
		Priority: p.Priority,
		Load: func(context.Context, discover.Place) (items []discover.Item, warnings []string, err error) {
			time.Sleep(time.Duration(p.DelayMS) * time.Millisecond)
			if p.Throws != "" {
				return nil, nil, errors.New(p.Throws)
			}
			for _, i := range p.Items {
				item := discover.Item{Type: i.Type, Tool: i.Tool, Name: i.Name, Path: i.Path}
				if !i.NoSource {
					item.Source = discover.Source{Provider: p.ID, Path: i.Path, Level: i.Level}
				}
				items = append(items, item)
			}
			return items, p.Warnings, nil
		},
	}
}

func (w *runningCase) found(s *Step, r discover.Registry) map[string]any {
	opt, err := options(s)
	if err != nil {
		w.t.Fatal(err)
	}
	f := r.Discover(w.t.Context(), w.at(s), opt)
	return ok(
		map[string]any{
			"items":     items(f.Items),
			"all":       items(f.All),
			"warnings":  list(f.Warnings),
			"providers": list(f.Providers),
		},
	)
}

func items(all []discover.Item) []any {
	described := []any{}
	for _, i := range all {
		item := map[string]any{
			"name":     i.Name,
			"path":     i.Path,
			"type":     i.Type,
			"tool":     i.Tool,
			"level":    i.Source.Level,
			"provider": i.Source.Provider,
		}
		if i.Shadowed {
			item["shadowed"] = true
		}
		described = append(described, item)
	}
	return described
}

func (w *runningCase) capabilityInfo(*Step) map[string]any {
	all := []any{}
	for _, p := range discover.Standard().Order(discover.Options{}) {
		all = append(all, map[string]any{"id": p.ID, "priority": p.Priority})
	}
	return ok(all)
}

func (w *runningCase) resolvePath(s *Step) map[string]any {
	return ok(discover.Resolve(s.Path, w.cwd(s), w.dirs["$HOME"]))
}

func (w *runningCase) status(s *Step) map[string]any {
	var line statusline.Line
	for _, set := range s.Sets {
		if set[1] == nil {
			line.Clear(*set[0])
		} else {
			line.Set(*set[0], *set[1])
		}
	}
	all := []any{}
	for _, width := range s.Widths {
		lines := []string{}
		if text, shown := line.Render(width); shown && (s.Show == nil || *s.Show) {
			lines = strings.Split(text, "\n")
		}
		all = append(all, map[string]any{"width": width, "lines": lines})
	}
	return ok(all)
}

func (w *runningCase) sanitize(s *Step) map[string]any {
	texts := []string{}
	for _, text := range s.Texts {
		texts = append(texts, statusline.Sanitize(text))
	}
	return ok(texts)
}
