module github.com/snaphook-go/snaphook

go 1.26.0

require (
	github.com/bmatcuk/doublestar/v4 v4.10.4
	github.com/dlclark/regexp2/v2 v2.12.0
	github.com/go-json-experiment/json v0.0.0-20260820222146-c27c302e5fc3
	github.com/google/go-cmp v0.7.0
	github.com/samber/lo v1.53.0
	github.com/sourcegraph/conc v0.3.1-0.20240121214520-5f936abd7ae8
	github.com/tailscale/hujson v0.0.0-20260727124030-b80ff77dac4f
	go.uber.org/goleak v1.3.0
	golang.org/x/sync v0.24.0
	golang.org/x/sys v0.49.0
	mvdan.cc/sh/v3 v3.14.1
)

require pgregory.net/rapid v1.3.0

require github.com/pelletier/go-toml/v2 v2.4.3

require (
	github.com/gofrs/flock v0.13.1
	github.com/google/renameio/v2 v2.0.2
	golang.org/x/text v0.43.0
)
