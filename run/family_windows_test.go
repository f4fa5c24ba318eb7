package run

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/windows"

	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/internal/testkit"
)

// place is the environment variable that names the folder in which stand-ins write their process numbers.
const place = "SNAPHOOK_PLACE"

func init() {
	standIns["sleeper"] = func() int { return noted("sleeper", func() int { time.Sleep(time.Minute); return 0 }) }
	standIns["parent"] = func() int { // starts a sleeper and waits for it
		return noted("parent", func() int {
			if child := another("sleeper"); child.Start() == nil {
				_ = child.Wait()
			}
			return 0
		})
	}
	standIns["leaver"] = func() int { // starts a sleeper and ends
		if another("sleeper").Start() != nil {
			return 1
		}
		return 3
	}
	standIns["deaf"] = func() int { // answers without reading its input
		fmt.Print("ok")
		return 0
	}
	standIns["engine"] = func() int { // runs a parent as a hook
		_, err := standInAs("parent").Run(context.Background(), hook.Call{})
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
}

// noted writes the number of this process, and runs the program.
func noted(name string, program func() int) int {
	file := filepath.Join(os.Getenv(place), name)
	if os.WriteFile(file+".new", []byte(strconv.Itoa(os.Getpid())), 0o600) != nil || os.Rename(file+".new", file) != nil {
		return 1
	}
	return program()
}

// another returns a command that starts this program as the stand-in of that name.
func another(name string) *exec.Cmd {
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), standsIn+"="+name)
	return cmd
}

func standInAs(name string) *Command {
	self, err := os.Executable()
	if err != nil {
		panic(err)
	}
	return &Command{Argv: []string{self}, Environ: func(hook.Call) []string { return append(os.Environ(), standsIn+"="+name) }}
}

// process waits until a process has noted its number, and opens that process.
func process(t *testing.T, name string) windows.Handle {
	t.Helper()
	var text []byte
	testkit.Eventually(t, name+" has noted its number", func() bool {
		var err error
		text, err = os.ReadFile(filepath.Join(os.Getenv(place), name))
		return err == nil
	})
	pid, err := strconv.Atoi(string(text))
	if err != nil {
		t.Fatal(err)
	}
	h, err := windows.OpenProcess(windows.SYNCHRONIZE|windows.PROCESS_TERMINATE, false, uint32(pid))
	if err != nil {
		t.Fatalf("%s, process %d: %v", name, pid, err)
	}
	t.Cleanup(func() { _ = windows.TerminateProcess(h, 1); _ = windows.CloseHandle(h) })
	return h
}

// ends reports whether a process ends in ten seconds.
func ends(h windows.Handle) bool {
	event, err := windows.WaitForSingleObject(h, 10_000)
	return err == nil && event == windows.WAIT_OBJECT_0
}

func runs(h windows.Handle) bool {
	event, err := windows.WaitForSingleObject(h, 0)
	return err == nil && event == uint32(windows.WAIT_TIMEOUT)
}

// When a hook's time has passed, or its context ends, its program and the descendants are killed.
func TestATreeOfProcessesIsKilled(t *testing.T) {
	for _, how := range []string{"timeout", "cancel"} {
		t.Run(how, func(t *testing.T) {
			t.Setenv(place, t.TempDir())
			ctx, cancel := context.WithCancel(t.Context())
			call := hook.Call{}
			if how == "timeout" {
				call.Timeout = 5 * time.Second
			}
			type result struct {
				reply hook.Reply
				err   error
			}
			done := make(chan result, 1)
			go func() {
				reply, err := standInAs("parent").Run(ctx, call)
				done <- result{reply, err}
			}()
			parent, child := process(t, "parent"), process(t, "sleeper")
			if how == "cancel" {
				cancel()
			}
			got := <-done
			cancel()
			var late *hook.TimeoutError
			if how == "timeout" && !errors.As(got.err, &late) || how == "cancel" && !errors.Is(got.err, context.Canceled) {
				t.Errorf("%v; want the error of the %s", got.err, how)
			}
			if !ends(parent) || !ends(child) {
				t.Error("a process of the hook still runs")
			}
		})
	}
}

// A program that ends by itself may leave a process behind, and its status counts.
func TestAProcessThatIsLeftBehindRuns(t *testing.T) {
	t.Setenv(place, t.TempDir())
	reply, err := standInAs("leaver").Run(t.Context(), hook.Call{Timeout: time.Minute})
	if err != nil || reply.Exit != 3 {
		t.Fatalf("%+v, %v; want status 3", reply, err)
	}
	if !runs(process(t, "sleeper")) {
		t.Error("the process that the hook left behind does not run")
	}
}

// When the engine's process is killed, the processes of its hooks are killed.
func TestTheProcessesOfAKilledEngineAreKilled(t *testing.T) {
	t.Setenv(place, t.TempDir())
	engine := another("engine")
	if err := engine.Start(); err != nil {
		t.Fatal(err)
	}
	parent, child := process(t, "parent"), process(t, "sleeper")
	if err := engine.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = engine.Wait()
	if !ends(parent) || !ends(child) {
		t.Error("a process of a hook still runs")
	}
}

// A missing program or folder is an error that names it, even if the path is on a server or in the long form.
func TestWhatCannotBeStartedIsNamed(t *testing.T) {
	dir := t.TempDir()
	for _, program := range []string{"no-such-program", `C:\gone\guard.exe`, `\\?\C:\gone\guard.exe`, `\\no-such-server\share\guard.exe`} {
		_, err := (&Command{Argv: []string{program}}).Run(t.Context(), hook.Call{Dir: dir})
		if err == nil || !strings.Contains(err.Error(), strconv.Quote(program)) {
			t.Errorf("%s: %v; want an error that names it", program, err)
		}
	}
	gone := filepath.Join(dir, "gone")
	if _, err := standInAs("leaver").Run(t.Context(), hook.Call{Dir: gone}); err == nil || !strings.Contains(err.Error(), "gone") {
		t.Errorf("%v; want an error that names the folder", err)
	}
}

// A hook runs in a folder that is named in the long form, with slashes, or in another case.
func TestAFolderHasManyNames(t *testing.T) {
	dir := t.TempDir()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{dir, filepath.ToSlash(dir), strings.ToUpper(dir), `\\?\` + dir} {
		c := &Command{Argv: []string{self}, Environ: func(hook.Call) []string { return append(os.Environ(), standsIn+"=1") }}
		if reply, err := c.Run(t.Context(), hook.Call{Dir: name}); err != nil || reply.Exit != 2 {
			t.Errorf("%s: status %d, %v", name, reply.Exit, err)
		}
	}
}

// Windows has several errors for a write to a pipe that nobody reads.
func TestAProgramThatDoesNotReadItsInputIsHeard(t *testing.T) {
	for _, size := range []int{1, 1 << 10, 1 << 20} {
		payload := make([]byte, size)
		for range 5 {
			reply, err := standInAs("deaf").Run(t.Context(), hook.Call{Payload: payload, Timeout: time.Minute})
			if err != nil || string(reply.Stdout) != "ok" || reply.Exit != 0 {
				t.Fatalf("%d bytes: got %q, status %d, error %v; want ok", size, reply.Stdout, reply.Exit, err)
			}
		}
	}
}
