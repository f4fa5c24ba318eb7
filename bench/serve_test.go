package bench

import (
	"encoding/json" //nolint:depguard // the guard is a program of its own
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"time"
)

// guardServer is the environment variable that makes this program serve an HTTP guard.
const guardServer = "SNAPHOOK_BENCH_SERVER"

// serveGuard prints the address of an HTTP guard, and serves it until standard input ends. The guard answers after the
// time that a request names in its query, such as ?wait=5ms.
func serveGuard() {
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if wait, err := time.ParseDuration(r.URL.Query().Get("wait")); err == nil {
			time.Sleep(wait)
		}
		var call struct {
			Input struct {
				Command string `json:"command"`
			} `json:"tool_input"`
		}
		if err := json.NewDecoder(r.Body).Decode(&call); err == nil && strings.Contains(call.Input.Command, "rm ") {
			fmt.Fprint(w, `{"hookSpecificOutput": {"hookEventName": "PreToolUse", "permissionDecision": "deny"}}`)
		}
	}))
	defer srv.Close()
	fmt.Println(srv.URL)
	_, _ = os.Stdin.Read(make([]byte, 1))
}
