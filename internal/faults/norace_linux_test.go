//go:build !race

package faults

const raced = false
