//go:build race

package snaphook_test

// raceEnabled makes long tables shorter: with the race detector each fire takes ten times as long.
const raceEnabled = true
