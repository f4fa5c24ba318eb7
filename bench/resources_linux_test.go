//go:build linux && !race

package bench

import (
	"fmt"
	"os"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/snaphook-go/snaphook/internal/testkit"
)

// resources counts the open descriptors and the threads of a process.
type resources struct{ descriptors, threads int }

// resourcesOf lists the descriptors and the threads of a process four times, and returns the lowest counts: a list is
// not a snapshot, and may have a descriptor twice if it is closed and reopened meanwhile.
func resourcesOf(pid int) resources {
	least := func(of string) int {
		return min(entries(pid, of), entries(pid, of), entries(pid, of), entries(pid, of))
	}
	return resources{descriptors: least("fd"), threads: least("task")}
}

func entries(pid int, of string) int {
	list, _ := os.ReadDir(fmt.Sprintf("/proc/%d/%s", pid, of))
	return len(list)
}

// resourcesWhile returns the highest counts of descriptors and threads of a process while f runs.
func resourcesWhile(pid int, f func()) (most resources) {
	stop, stopped := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(stopped)
		often := time.NewTicker(100 * time.Microsecond)
		defer often.Stop()
		for {
			now := resourcesOf(pid)
			most.descriptors, most.threads = max(most.descriptors, now.descriptors), max(most.threads, now.threads)
			select {
			case <-often.C:
			case <-stop:
				return
			}
		}
	}()
	defer func() {
		close(stop)
		<-stopped
	}()
	f()
	return // most is final once the deferred wait has ended
}

// The number of workers limits the descriptors and threads of any number of fires.
func TestTwoHundredFiresHoldLittle(t *testing.T) {
	for _, workers := range []int{8, 0} {
		t.Run(fmt.Sprintf("%d workers", pool(workers)), func(t *testing.T) {
			gates, about := held(t, "fire 200 at once by", workers, pool(workers))
			for _, g := range gates {
				g.test(t)
			}
			place{"W6", fmt.Sprintf("FireConcurrent200, %d workers: time, memory at most; idle", pool(workers))}.note(about)
		})
	}
}

// The gates fail for a pool without a limit.
func TestTheGatesCatchAPoolWithoutBounds(t *testing.T) {
	testkit.Timed(t)
	gates, _ := held(t, "fire 200 that wait at once by", 200, 8)
	for _, g := range gates {
		g.mustFail(t)
	}
}

// pool returns the number of processes for a number of workers.
func pool(workers int) int {
	if workers == 0 {
		return max(16, 4*runtime.GOMAXPROCS(0))
	}
	return workers
}

// held returns the gates on the highest counts of descriptors and threads of a separate process while it works: at most
// 16 descriptors plus four for each of places, and at most 10 threads plus one for each of places.
func held(t *testing.T, role string, workers, places int) (gates []gate, about string) {
	c := startChild(t, role, workers)
	pid := c.cmd.Process.Pid
	var took time.Duration
	most := resourcesWhile(pid, func() {
		for range 3 {
			took = c.work()
		}
	})
	idle := resourcesOf(pid)
	about = fmt.Sprintf("%v, %s; %d descriptors, %d threads",
		took.Round(time.Millisecond), field(fmt.Sprintf("/proc/%d/status", pid), "VmHWM"), idle.descriptors, idle.threads)
	what := fmt.Sprintf("FireConcurrent200, %d workers: ", places)
	return []gate{
		counted(place{"W6", what + "descriptors"}, most.descriptors, 4*places+16),
		counted(place{"W6", what + "threads"}, most.threads, places+10),
	}, about
}

// A large process forks as fast as a small one, although fork has more pages to copy.
func TestMemoryOfTheParentCostsNothing(t *testing.T) {
	testkit.Timed(t)
	if free := mebibytes("/proc/meminfo", "MemAvailable"); free < 6<<10 {
		t.Skipf("%d MiB are free, and 2 GiB may be used only if 6 GiB are", free)
	}
	large, small := startChild(t, "fire, holding MiB", 2<<10), startChild(t, "fire, holding MiB", 0)
	large.work()
	if resident := mebibytes(fmt.Sprintf("/proc/%d/status", large.cmd.Process.Pid), "VmRSS"); resident < 2<<10 {
		t.Fatalf("the large process has %d MiB in memory, want 2 GiB", resident)
	}
	compared(place{what: "FireCommand, 2 GiB resident, ratio to a small process"}, 1.15, 100, 1, large.work, small.work).test(t)
}

// mebibytes returns an amount of memory from a file of /proc.
func mebibytes(file, name string) int {
	kib, _ := strconv.Atoi(strings.TrimSuffix(field(file, name), " kB"))
	return kib >> 10
}
