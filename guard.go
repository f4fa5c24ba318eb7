//go:build goexperiment.jsonv2 && !go1.27

package snaphook

// The JSON library follows the standard one of Go 1.27. Under this experiment
// of Go 1.26 it turns into an older version that drops the unknown members of
// objects without a word.
var _ = snaphook_must_not_be_built_with_GOEXPERIMENT_jsonv2_before_go1_27
