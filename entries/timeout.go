package entries

import (
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/snaphook-go/snaphook/settings"
)

// WrongTimeout adds the problem that v is not a timeout. want describes a timeout, such as "a timeout is a number of
// seconds above 0". If v is a text such as "30" or "10s", the problem suggests that time as a number of units, rounded
// up; otherwise it shows example.
func (r *Reader) WrongTimeout(v settings.Value, want string, unit time.Duration, example string) {
	remedy := ", such as " + example
	if number, ok := inUnits(v, unit); ok {
		remedy = "; write " + number
	}
	r.Problem(v.Wrong("%s%s. Until then the default is used", want, remedy))
}

// inUnits parses the text of a timeout, which is a number of units or a duration above 0.
func inUnits(v settings.Value, unit time.Duration) (number string, ok bool) {
	text, ok := v.Text()
	if !ok {
		return "", false
	}
	text = strings.ReplaceAll(text, " ", "")
	n, err := strconv.ParseFloat(text, 64)
	if err != nil {
		var d time.Duration
		if d, err = time.ParseDuration(text); err == nil {
			n = float64(d) / float64(unit)
		}
	}
	if err != nil || !(n > 0) || math.IsInf(n, 0) {
		return "", false
	}
	return strconv.FormatFloat(math.Ceil(n), 'f', -1, 64), true
}
