module github.com/snaphook-go/snaphook/warm

go 1.26.0

require (
	github.com/go-json-experiment/json v0.0.0-20260820222146-c27c302e5fc3
	github.com/itchyny/gojq v0.12.20
	github.com/snaphook-go/snaphook v0.0.0
)

require (
	github.com/itchyny/timefmt-go v0.1.9 // indirect
	golang.org/x/sys v0.49.0 // indirect
	mvdan.cc/sh/v3 v3.14.1 // indirect
)

replace github.com/snaphook-go/snaphook => ..
