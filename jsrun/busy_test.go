package jsrun

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/evanw/esbuild/pkg/api"
)

// A module whose types keep the bundler busy for ever is abandoned. In place of such a module the test
// has a file whose loading does not end before the test releases it, so that the bundler can end.
func TestABundlerThatStaysBusyIsGivenUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		free := make(chan struct{})
		busy := api.Plugin{Name: "busy", Setup: func(build api.PluginBuild) {
			build.OnLoad(api.OnLoadOptions{Filter: ".*"}, func(api.OnLoadArgs) (api.OnLoadResult, error) {
				<-free
				text := ""
				return api.OnLoadResult{Contents: &text}, nil
			})
			build.OnResolve(api.OnResolveOptions{Filter: ".*"}, func(args api.OnResolveArgs) (api.OnResolveResult, error) {
				return api.OnResolveResult{Path: args.Path, Namespace: "busy"}, nil
			})
		}}
		began := time.Now()
		_, err := buildWithin(t.Context(), api.BuildOptions{EntryPoints: []string{"a.ts"}, Plugins: []api.Plugin{busy}})
		if took := time.Since(began); err == nil || !strings.Contains(err.Error(), "simplify it") || took != MaxLoad {
			t.Errorf("after %v: %v; want an error after %v", took, err, MaxLoad)
		}
		close(free)
		time.Sleep(time.Hour) // the bundler has a goroutine that ends after minutes
	})
}
