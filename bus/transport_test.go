package bus_test

import (
	"testing"

	"github.com/snaphook-go/snaphook/bus"
	"github.com/snaphook-go/snaphook/internal/transporttest"
)

func TestTheBusIsATransport(t *testing.T) {
	transporttest.Test(t, func(t *testing.T) bus.Transport {
		b := new(bus.Bus)
		t.Cleanup(func() { _ = b.Close() })
		return b
	})
}
