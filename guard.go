//go:build goexperiment.jsonv2 && !go1.27

package snaphook

// This identifier does not exist, which makes the build fail under GOEXPERIMENT=jsonv2 of Go 1.26. The engine's JSON
// library follows encoding/json/v2 of Go 1.27; under the experiment an older version replaces it, which silently drops
// unknown members of objects.
var _ = snaphook_must_not_be_built_with_GOEXPERIMENT_jsonv2_before_go1_27
