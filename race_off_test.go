//go:build !race

package snaphook_test

const raceEnabled = false
