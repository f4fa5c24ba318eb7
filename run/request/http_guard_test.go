package request

import (
	"context"
	"errors"
	"net"
	"net/http"
	"net/netip"
	"strings"
	"testing"
	"time"

	"github.com/snaphook-go/snaphook/hook"
)

func TestPublicOnlyRefusesAddresses(t *testing.T) {
	refused := func(addrs ...string) map[string]bool {
		m := map[string]bool{}
		for _, addr := range addrs {
			m[addr] = false
		}
		return m
	}
	for name, addrs := range map[string]map[string]bool{
		"public":            {"8.8.8.8": true, "1.1.1.1": true, "172.15.255.255": true, "172.32.0.0": true, "100.128.0.0": true, "2606:4700::1111": true, "2a00:1450::1": true},
		"loopback":          {"127.0.0.1": true, "127.1.2.3": true, "::1": true, "::ffff:127.0.0.1": true},
		"private":           refused("10.0.0.1", "172.16.0.1", "172.31.255.255", "192.168.1.1", "fc00::1", "fd12::1"),
		"link-local":        refused("169.254.0.1", "fe80::1", "fe80::1%eth0", "fec0::1"),
		"carriers":          refused("100.64.0.1", "100.127.255.255"),
		"metadata":          refused("169.254.169.254", "fd00:ec2::254", "100.100.100.200", "192.0.0.192", "168.63.129.16", "fd20:ce::254"),
		"multicast":         refused("224.0.0.1", "239.255.255.255", "ff02::1", "ff0e::1"),
		"unspecified":       refused("0.0.0.0", "::", "0.1.2.3", "::ffff:0.0.0.0"),
		"reserved":          refused("240.0.0.1", "255.255.255.255", "192.0.2.1", "198.51.100.1", "203.0.113.1", "198.18.0.1", "2001:db8::1", "3fff::1"),
		"IPv4 in IPv6":      refused("::ffff:10.0.0.1", "::ffff:169.254.169.254", "::a00:1", "64:ff9b:1::a00:1", "2002:a00:1::1", "2001:0:4136:e378::1"),
		"translated, NAT64": {"64:ff9b::808:808": true, "64:ff9b::a00:1": false, "64:ff9b::a9fe:a9fe": false, "64:ff9b::7f00:1": false},
	} {
		t.Run(name, func(t *testing.T) {
			for addr, allowed := range addrs {
				err := refusePrivate("tcp", net.JoinHostPort(addr, "443"), nil)
				if allowed && err != nil || !allowed && !errors.Is(err, ErrNotPublic) {
					t.Errorf("%s: %v, want it allowed: %v", addr, err, allowed)
				}
			}
		})
	}
	if err := refusePrivate("unix", "/run/socket", nil); !errors.Is(err, ErrNotPublic) {
		t.Errorf("what is no address: %v, want it refused", err)
	}
}

// own returns an address of this machine that is not public, if it has one.
func own(t *testing.T) netip.Addr {
	t.Helper()
	addrs, err := net.InterfaceAddrs()
	if err != nil {
		t.Skip(err)
	}
	for _, a := range addrs {
		p, err := netip.ParsePrefix(a.String())
		if addr := p.Addr(); err == nil && addr.Is4() && !addr.IsLoopback() && !isPublic(addr) {
			return addr
		}
	}
	t.Skip("this machine has no private address")
	return netip.Addr{}
}

func TestPublicOnlyRefusesToConnect(t *testing.T) {
	listener, err := net.Listen("tcp", net.JoinHostPort(own(t).String(), "0"))
	if err != nil {
		t.Skip(err)
	}
	server := serve(t, 200, `{"a":1}`)
	go http.Serve(listener, server.Config.Handler)
	defer listener.Close()

	there := "http://" + listener.Addr().String()
	if _, err := (&HTTP{URL: there}).Run(t.Context(), hook.Call{}); err != nil {
		t.Fatalf("without PublicOnly: %v", err)
	}
	_, err = (&HTTP{URL: there, PublicOnly: true}).Run(t.Context(), hook.Call{})
	if !errors.Is(err, ErrNotPublic) || !strings.Contains(err.Error(), listener.Addr().String()) {
		t.Errorf("err = %v, want ErrNotPublic and the address", err)
	}
	if _, err := (&HTTP{URL: server.URL, PublicOnly: true}).Run(t.Context(), hook.Call{}); err != nil {
		t.Errorf("the loopback: %v", err)
	}
	transport(false).CloseIdleConnections()
}

// PublicOnly refuses a metadata service before it connects. The test therefore needs no metadata
// service that answers.
func TestPublicOnlyRefusesMetadataServices(t *testing.T) {
	for _, url := range []string{"http://169.254.169.254/latest/", "http://[fd00:ec2::254]/latest/", "http://[::ffff:169.254.169.254]/", "https://10.1.2.3/"} {
		_, err := (&HTTP{URL: url, PublicOnly: true}).Run(t.Context(), hook.Call{Timeout: 20 * time.Second})
		if !errors.Is(err, ErrNotPublic) {
			t.Errorf("%s: %v, want ErrNotPublic", url, err)
		}
	}
}

// A name is allowed or refused by its address when the connection is made.
func TestPublicOnlyLooksAtResolvedNames(t *testing.T) {
	d := &net.Dialer{Control: refusePrivate, Resolver: &net.Resolver{PreferGo: true, Dial: func(context.Context, string, string) (net.Conn, error) {
		ours, theirs := net.Pipe()
		go answerDNS(theirs, [4]byte{10, 9, 8, 7})
		return ours, nil
	}}}
	h := &HTTP{URL: "http://rebound.example./", PublicOnly: true}
	_, err := h.run(t.Context(), hook.Call{Timeout: 20 * time.Second}, newTransport(d, nil, nil))
	if !errors.Is(err, ErrNotPublic) || !strings.Contains(err.Error(), "10.9.8.7") {
		t.Errorf("err = %v, want ErrNotPublic and the address", err)
	}
}
