package permission

import (
	"strings"

	"github.com/snaphook-go/snaphook/internal/lazyregexp"
	"github.com/snaphook-go/snaphook/wire"
)

// param is the spec of a rule for the value of a parameter.
type param struct {
	name  string
	value wildcard
}

var paramName = lazyregexp.New(`^[\pL_][\pL\pN_-]*$`)

// cutParam splits name:value. A drive of Windows is not a name.
func cutParam(text string) (name, value string, ok bool) {
	name, value, ok = strings.Cut(text, ":")
	return name, strings.TrimSpace(value), ok && paramName.MatchString(name) && !hasDrive(text)
}

func (p param) match(c Call) bool {
	value := c.Input.Get(p.name)
	switch value.Kind() {
	case '"':
		text, _ := wire.Text(value)
		return p.value.match(text)
	case '0', 't', 'f':
		return p.value.match(string(value))
	}
	return false
}

// called is the spec of a rule for calls that name a sub-agent or a skill to start.
type called struct {
	name   wildcards
	params []string // the parameters that may hold the name
}

func (n called) match(c Call) bool {
	for _, param := range n.params {
		if name, ok := wire.Text(c.Input.Get(param)); ok && n.name.match(name) {
			return true
		}
	}
	return false
}
