package trust_test

import (
	"fmt"
	"runtime/debug"
	"testing"
	"time"

	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/internal/deep"
	"github.com/snaphook-go/snaphook/trust"
)

func FuzzFilesOfAnyCommand(f *testing.F) {
	for _, command := range []string{
		"./a.sh", `"$x"/y`, "a && (b; c)", "$(rm x)", "cat <<E\nE\n", "\x00", "~/", "${a[@]}", "a=(b)", "((1/0))", "diff <(a) >(b)", "a=$a$a; a=$a$a; $a", "{1..99999999}",
		"{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}", "bash -c 'bash -c \"a b\"'", "echo 'a b c' | sh", "for i in 1 2 3; do $i; done", ". ./lib", "0=x; $0",
	} {
		f.Add(command)
	}
	dir := project(f, map[string]string{"lib": ". ./lib; . ./more", "more": "bash lib; ./lib 'a b'"})
	f.Fuzz(func(t *testing.T, command string) {
		late := time.AfterFunc(10*time.Second, func() { panic(fmt.Sprintf("no end with %q", command)) })
		defer late.Stop()
		covered(t, dir, command)
	})
}

func TestNoCommandIsNestedTooDeepToBeLookedAt(t *testing.T) {
	defer debug.SetMaxStack(debug.SetMaxStack(256 << 20))
	dir := project(t, nil)
	for _, length := range []int{8 << 10, 1 << 20} {
		for command := range deep.Shell(length) {
			h := &hook.Hook{Identity: hook.Identity{Type: "command", Command: command}}
			if _, err := trust.Cover(t.Context(), dir, []*hook.Hook{h}, trust.Options{}); err != nil {
				t.Errorf("%.20q: %v", command, err)
			}
		}
	}
}
