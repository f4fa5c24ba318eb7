package permission

import (
	"errors"
	"net/url"
	"strings"

	"github.com/snaphook-go/snaphook/wire"
)

// fetch is the spec of a rule for hosts.
type fetch struct {
	labels []wildcard
	below  bool // one label or more stand before them
}

// newFetch compiles domain:host. Other parameters are compared as they are.
func newFetch(text string) (spec, error) {
	name, value, ok := cutParam(text)
	if !ok || strings.HasPrefix(value, "//") {
		return nil, errors.New("a WebFetch rule takes a domain; write WebFetch(domain:example.com)")
	}
	if name != "domain" {
		return param{name, newWildcard(value)}, nil
	}
	host := normal(value)
	if host == "" || strings.ContainsAny(host, "/ ") {
		return nil, errors.New("a domain is a host alone; write WebFetch(domain:example.com)")
	}
	if host == "*" {
		return nil, nil
	}
	host, below := strings.CutPrefix(host, "*.")
	f := fetch{below: below}
	for label := range strings.SplitSeq(host, ".") {
		f.labels = append(f.labels, newWildcard(label))
	}
	return f, nil
}

// normal gives a host in lower case, without a dot at the end and without
// the brackets of an address.
func normal(host string) string {
	return strings.TrimSuffix(strings.ToLower(strings.Trim(host, "[]")), ".")
}

func (f fetch) match(c Call) bool {
	text, _ := wire.Text(c.Input.Get("url"))
	u, err := url.Parse(strings.TrimSpace(text))
	if err != nil || u.Host == "" || !ascii(u.Host) {
		return true // browsers may yet find a host in it
	}
	labels := strings.Split(normal(u.Hostname()), ".")
	if f.below && len(labels) > len(f.labels) {
		labels = labels[len(labels)-len(f.labels):]
	} else if f.below || len(labels) != len(f.labels) {
		return false
	}
	for i, label := range labels {
		if !f.labels[i].match(label) {
			return false
		}
	}
	return true
}

func ascii(s string) bool {
	for i := range len(s) {
		if s[i] >= 0x80 {
			return false
		}
	}
	return true
}
