package permission

import (
	"errors"
	"net/netip"
	"net/url"
	"strconv"
	"strings"

	"github.com/snaphook-go/snaphook/wire"
)

// fetch is the spec of a rule for hosts.
type fetch struct {
	labels []wildcard
	below  bool // one or more labels have to precede the host
}

// newFetch compiles domain:host. Another parameter becomes a param rule.
func newFetch(text string) (spec, error) {
	name, value, ok := cutParam(text)
	if !ok || strings.HasPrefix(value, "//") {
		return nil, errors.New("a WebFetch rule takes a domain; write WebFetch(domain:example.com)")
	}
	if name != "domain" {
		return param{name, newWildcard(value)}, nil
	}
	host := address(normal(value))
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

// normal returns a host in lower case, without a dot at the end and without
// the brackets of an address.
func normal(host string) string {
	return strings.TrimSuffix(strings.ToLower(strings.Trim(host, "[]")), ".")
}

func (f fetch) match(c Call) bool {
	text, _ := wire.Text(c.Input.Get("url"))
	u, err := url.Parse(strings.TrimSpace(text))
	if err != nil || u.Host == "" || !ascii(u.Host) {
		return true // browsers may still find a host in the text
	}
	host := normal(u.Hostname())
	if host = address(host); host == "" {
		return true // the host ends in a number but is no address: programs read such hosts in different ways
	}
	labels := strings.Split(host, ".")
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

// address returns a host that is an address in its usual form: programs read 2130706433, 0x7f.1, 127.1 and
// [::ffff:7f00:1] as 127.0.0.1. It returns "" if the host ends in a number and is not an address, and other
// hosts unchanged.
func address(host string) string {
	if ip, err := netip.ParseAddr(host); err == nil {
		return ip.Unmap().WithZone("").String()
	}
	labels := strings.Split(host, ".")
	last := labels[len(labels)-1]
	if _, err := parseNumber(last); err != nil && strings.Trim(last, "0123456789") != "" {
		return host
	}
	var ip uint32
	for i, label := range labels {
		n, err := parseNumber(label)
		width := 8 // bits
		if i == len(labels)-1 {
			width = 8 * (5 - len(labels))
		}
		if err != nil || len(labels) > 4 || n >= 1<<width {
			return ""
		}
		ip |= uint32(n) << (32 - 8*i - width)
	}
	return netip.AddrFrom4([4]byte{byte(ip >> 24), byte(ip >> 16), byte(ip >> 8), byte(ip)}).String()
}

// parseNumber reads a number as addresses have them: 0x for hexadecimal, 0 for
// octal.
func parseNumber(label string) (uint64, error) {
	if hex, ok := strings.CutPrefix(label, "0x"); ok {
		if hex == "" {
			return 0, nil
		}
		return strconv.ParseUint(hex, 16, 64)
	}
	if len(label) > 1 && label[0] == '0' {
		return strconv.ParseUint(label[1:], 8, 64)
	}
	return strconv.ParseUint(label, 10, 64)
}
