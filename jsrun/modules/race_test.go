//go:build race

package modules_test

import "time"

// With the race detector the engine is many times slower.
func init() { raceEnabled, quick = true, time.Second }
