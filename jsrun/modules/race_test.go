//go:build race

package modules_test

import "time"

// The engine is many times slower then.
func init() { raceEnabled, quick = true, time.Second }
