package warm

import "strings"

// payloads are the inputs of every script of the tests.
func payloads() []string {
	call := func(command string) string {
		return `{"session_id":"abc","tool_name":"Bash","tool_input":{"command":"` + command + `","description":"d"},"n":12}`
	}
	return []string{
		call("ls -la"),
		call("rm -rf /tmp/x") + "\n",
		call(`echo \"a\\b\"; sudo rm -fr ~`) + "\n",
		call(`cat <<X\nrm -rf a\nX\n`),
		call(`one\ttwo\rthree \u00e9\u4e2d \ud83d\ude00`),
		call("grün — ✓ 中文 rm"),
		"{\n  \"tool_name\": \"Write\",\n  \"tool_input\": {\n    \"file_path\": \"/p/.env\",\n    \"content\": \"a\\nb\"\n  }\n}\n",
		`{"tool_name":"Bash","tool_input":{"command":"git push --force; DROP table x"},"n":-7,"x":[1,2.5,true,null,{"a":{"b":"c"}}]}`,
		"",
		"\n",
		"null",
		`"just a text"`,
		"[1,2,3]\n",
		`{"a":1} {"b":"x","a":[]}` + "\n",
		`{"tool_name":"Bash","tool_input":{"command":"unclosed`,
		"not json: rm -rf\nsecond line ab\n\nlast",
		`{"tool_name":null,"tool_input":{},"n":1e3,"big":12345678901234567890,"z":0.1}`,
		`{"tool_input":{"command":"\u0000a","x":"\u001b[0m\u007f"},"tool_name":"\b\f\n\r\t\/"}`,
		"a\x00b",
		"\xff\xfe{\"a\": \"\xc3\"}",
		`{"k":1,"k":2,"tool_name":"x"}`,
		"KELVIN \u212a and long \u017f, dotless \u0131, and \u00a0 spaces\u2003here\n",
		`{"zeta":1,"alpha":{"zz":"rm","aa":"Bash"},"tool_name":"Bash","tool_input":{"command":"  rm  "}}`,
		call(strings.Repeat("x y ", 1<<18)),
		call("dd if=/dev/zero; mkfs /etc/passwd a@b abc 2024 ..$$ [x] (y) {z}"),
	}
}
