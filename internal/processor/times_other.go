//go:build !linux

package processor

// TimesOf returns zero: this system does not keep the times.
func TimesOf(int) Times { return Times{} }

// Load returns 0: this system does not tell the number of threads.
func Load() float64 { return 0 }

// Known reports whether TimesOf reads times on this system.
const Known = false
