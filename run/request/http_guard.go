package request

import (
	"errors"
	"fmt"
	"net/netip"
	"slices"
	"syscall"
)

// ErrNotPublic is the error of an [HTTP] hook with PublicOnly whose server does not have a public address.
var ErrNotPublic = errors.New("the address is not public, and only public addresses are allowed")

// refusePrivate rejects an address that is not public. The dialer calls it with each resolved address before it
// connects.
func refusePrivate(_, address string, _ syscall.RawConn) error {
	at, err := netip.ParseAddrPort(address)
	if err != nil {
		return fmt.Errorf("%s: %w", address, ErrNotPublic)
	}
	if addr := at.Addr().Unmap().WithZone(""); !addr.IsLoopback() && !isPublic(addr) {
		return ErrNotPublic // the dialer names the address
	}
	return nil
}

// isPublic reports whether addr belongs to a host on the internet. addr must not be an IPv4-mapped address, and must
// have no zone.
func isPublic(addr netip.Addr) bool {
	if nat64.Contains(addr) { // with NAT64 the IPv4 address is in the last bytes
		b := addr.As16()
		return isPublic(netip.AddrFrom4([4]byte(b[12:])))
	}
	if addr.Is6() && !unicast6.Contains(addr) {
		return false
	}
	return !slices.ContainsFunc(special, func(p netip.Prefix) bool { return p.Contains(addr) })
}

var (
	nat64    = netip.MustParsePrefix("64:ff9b::/96")
	unicast6 = netip.MustParsePrefix("2000::/3") // the global unicast addresses of IPv6
)

// special lists addresses that are not public hosts: the ranges in the IANA special-purpose registries, and an address
// of one cloud provider.
var special = prefixes(
	"0.0.0.0/8",        // this host
	"10.0.0.0/8",       // private
	"100.64.0.0/10",    // carriers, and the metadata service of Alibaba
	"127.0.0.0/8",      // loopback
	"168.63.129.16/32", // the host of Azure
	"169.254.0.0/16",   // link-local, and the metadata services of most clouds
	"172.16.0.0/12",    // private
	"192.0.0.0/24",     // protocols, and the metadata service of Oracle
	"192.0.2.0/24",     // documentation
	"192.88.99.0/24",   // relays of 6to4
	"192.168.0.0/16",   // private
	"198.18.0.0/15",    // benchmarks
	"198.51.100.0/24",  // documentation
	"203.0.113.0/24",   // documentation
	"224.0.0.0/3",      // multicast, reserved and broadcast
	"2001::/23",        // protocols, Teredo among them
	"2001:db8::/32",    // documentation
	"2002::/16",        // 6to4, which leads to any IPv4 address
	"3fff::/20",        // documentation
)

func prefixes(texts ...string) []netip.Prefix {
	all := make([]netip.Prefix, len(texts))
	for i, text := range texts {
		all[i] = netip.MustParsePrefix(text)
	}
	return all
}
