//go:build race

package faults

// raced is true with the race detector, which multiplies the memory in use.
const raced = true
