package warm

import (
	"fmt"
	"os"
	"testing"
)

// madeGuards returns guards of every combination of ways to read, to take the command and to check it. Each has one of
// three ways to answer.
func madeGuards() (all []string) {
	reads := []string{
		"input=$(cat)\ncmd=$(echo \"$input\" | jq -r '%s')\n",
		"set -euo pipefail\ninput=\"$(cat)\"\ncmd=\"$(jq -r '%s' <<< \"$input\")\"\n",
		"cmd=$(jq -r '%s')\n",
		"input=$(cat -); cmd=$(printf '%%s' \"$input\" | jq -r '%s' 2>/dev/null)\n",
		"cmd=$(cat | jq -r '%s' | tr '\\n' ' ')\n",
	}
	filters := []string{
		".tool_input.command // empty", ".tool_input.command // .tool_input.file_path // \"\"",
		"select(.tool_name == \"Bash\") | .tool_input.command", ".tool_input | .command? // \"none\"",
	}
	checks := []string{
		"echo \"$cmd\" | grep -qE 'rm -rf|mkfs|dd if='",
		"grep -qiE '(^|[;&| ])(sudo|rm)( |$)' <<< \"$cmd\"",
		"[[ \"$cmd\" =~ (rm|git)\\ +(-[a-z]*r|push) ]]",
		"[[ $cmd == *rm* || $cmd == *.env ]]",
		"[ \"$(echo \"$cmd\" | grep -c 'rm')\" -gt 0 ]",
		"! printf '%s\\n' \"$cmd\" | grep -qE '^(ls|cat|echo|git) '",
	}
	answers := []string{
		"echo \"blocked: $cmd\" >&2; exit 2",
		"jq -n --arg c \"$cmd\" '{decision: \"block\", reason: \"no: \\($c)\"}'; exit 0",
		"cat <<X\n{\"continue\": false, \"stopReason\": \"$(echo \"$cmd\" | head -1)\"}\nX\n",
	}
	for i, read := range reads {
		for j, filter := range filters {
			for k, check := range checks {
				answer := answers[(i+j+k)%len(answers)]
				all = append(all, fmt.Sprintf(read, filter)+"if "+check+"; then\n"+answer+"\nfi\n")
			}
		}
	}
	return all
}

// Guards of every combination end here as in bash, each for some of the inputs.
func TestMadeGuardsAreTheSame(t *testing.T) {
	needPrograms(t)
	tools := Tools()
	inputs := payloads()
	for i, script := range madeGuards() {
		t.Run(fmt.Sprint(i), func(t *testing.T) {
			t.Parallel()
			with := inputs
			if os.Getenv("SNAPHOOK_SAME") == "" {
				with = []string{inputs[i%len(inputs)]}
			}
			if ran, why := same(t, tools, script, "C.UTF-8", append(with, inputs[0])); ran == 0 {
				t.Errorf("it does not run here: %s\n%s", why, script)
			}
		})
	}
}
