//go:build race

package faults

// raced says that the race detector multiplies what memory is used.
const raced = true
