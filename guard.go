//go:build goexperiment.jsonv2 && !go1.27

package snaphook

// The JSON library follows Go 1.27's encoding/json/v2. Under this experiment of Go 1.26 it becomes
// an older version, which silently drops the unknown members of objects.
var _ = snaphook_must_not_be_built_with_GOEXPERIMENT_jsonv2_before_go1_27
