package lint

import (
	"fmt"
	"math"
	"strconv"
	"time"
)

var ruleTimeoutUnit = Rule{
	ID: "timeout-unit", Severity: Warning, look: timeoutUnit, Fixable: true,
	Doc:     "A timeout looks like a value in another unit.",
	Why:     "Claude Code counts in seconds, LLxprt Code and Gemini CLI in milliseconds.",
	Mistake: `{"type": "command", "command": "./guard.sh", "timeout": 60000}`,
	Fix:     `{"type": "command", "command": "./guard.sh", "timeout": 60}`,
}

// timeoutUnit looks for timeouts in another system's unit.
func timeoutUnit(v *hookView) {
	value := v.entry.Get("timeout")
	n, ok := value.Number()
	if !ok || n <= 0 || n != math.Trunc(n) || v.event.Name == "" {
		return
	}
	unit, meant := timeoutUnitOf(v.h.Dialect), 0.0
	switch {
	case unit == time.Second && n >= 1000 && math.Mod(n, 500) == 0 && !(math.Mod(n, 3600) == 0 && n <= 24*3600):
		meant = n / 1000
	case unit == time.Millisecond && (n < 100 || n <= 900 && math.Mod(n, 60) == 0):
		meant = n * 1000
	default:
		return
	}
	text := strconv.FormatFloat(meant, 'f', -1, 64)
	is := "seconds, and " + text + " seconds in milliseconds"
	if unit == time.Millisecond {
		is = "milliseconds, in which no program starts"
	}
	f := v.report("timeout-unit", value.Position(), fmt.Sprintf("did you mean %s?", text),
		"this timeout is %s %s", strconv.FormatFloat(n, 'f', -1, 64), is)
	f.edit = replaceValue(v.doc, value, text)
	v.add(*f)
}

// timeoutUnitOf returns the unit of timeouts in a dialect.
func timeoutUnitOf(dialect string) time.Duration {
	return map[string]time.Duration{"claude": time.Second, "llxprt": time.Millisecond}[dialect]
}
