package processor

import "testing"

func TestTheReadyThreadsOfTheMachineAreRead(t *testing.T) {
	for text, want := range map[string]float64{
		"0.20 0.18 0.12 3/80 11206\n": 3,
		"0.20 0.18 0.12 12\n":         12,
		"0.20 0.18 0.12 x/80 1\n":     0,
		"0.20":                        0,
		"":                            0,
	} {
		if got := load([]byte(text)); got != want {
			t.Errorf("%q: %v, want %v", text, got, want)
		}
	}
	if Load() <= 0 {
		t.Error("this machine has no thread that runs")
	}
}
