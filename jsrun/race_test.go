//go:build race

package jsrun

import "time"

func init() { raceEnabled, quick = true, 2*time.Second }
