//go:build goexperiment.jsonv2 && !go1.27

package snaphook

// This identifier does not exist: the build fails under an experiment of Go 1.26 that turns the JSON library, which
// follows encoding/json/v2 of Go 1.27, into an older version that silently drops unknown members of objects.
var _ = snaphook_must_not_be_built_with_GOEXPERIMENT_jsonv2_before_go1_27
