module github.com/snaphook-go/snaphook/conformance

go 1.26.0

require (
	github.com/clipperhouse/displaywidth v0.11.0
	github.com/dlclark/regexp2/v2 v2.12.0
	github.com/go-json-experiment/json v0.0.0-20260820222146-c27c302e5fc3
	github.com/samber/lo v1.53.0
	github.com/snaphook-go/snaphook v0.0.0
	go.uber.org/goleak v1.3.0
)

require (
	github.com/bmatcuk/doublestar/v4 v4.10.4 // indirect
	github.com/clipperhouse/uax29/v2 v2.7.0 // indirect
	github.com/pelletier/go-toml/v2 v2.4.3 // indirect
	github.com/sourcegraph/conc v0.3.1-0.20240121214520-5f936abd7ae8 // indirect
	github.com/tailscale/hujson v0.0.0-20260727124030-b80ff77dac4f // indirect
	golang.org/x/sync v0.24.0 // indirect
	golang.org/x/sys v0.49.0 // indirect
	golang.org/x/text v0.43.0 // indirect
	mvdan.cc/sh/v3 v3.14.1 // indirect
)

replace github.com/snaphook-go/snaphook => ..
