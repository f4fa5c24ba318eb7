//go:build race

package jsrun

import "time"

func init() { raceEnabled, quick = true, time.Second }
