//go:build race

package jsrun

func init() { raceEnabled = true }
