package match_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"os/exec"
	"testing"

	"github.com/snaphook-go/snaphook/match"
)

// pairsOfUnits are patterns that name surrogates, or have ranges that include surrogates, each with a subject.
var pairsOfUnits = []struct {
	pattern, subject string
	want             bool
}{
	{`\ud83d\ude00`, "a😀b", true},
	{`\uD83D\uDE00`, "😀", true},
	{`^\ud83d\ude00$`, "😀", true},
	{`\ud83d\ude00`, "😁", false},
	{`\ud83d\ude00`, `\ud83d\ude00`, false},
	{`\ud83d`, "😁", true},
	{`[\ud800-\udbff][\udc00-\udfff]`, "x😀", true},
	{`[\ud800-\udbff][\udc00-\udfff]`, "x", false},
	{`^[\ud83d\ude00]{2}$`, "😀", true},
	{`^\ud83d\ude00+$`, "😀😀", false},
	{`^(?:\ud83d\ude00)+$`, "😀😀", true},
	{`\\ud83d\ude00`, "😀", false},
	{`\ud83d\ude00|a`, "a", true},
	{`😀\ud83d\ude00`, "😀😀", true},
	{`^..$|\ud800`, "😀", true},
	{`\u0041\ud83d\ude00`, "A😀", true},
	{`^\ud83d\ude00.$`, "😀\U00100041", false}, // two code units more
	{`^\ud83d\ude00..$`, "😀\U00100041", true},
	{`[\ud7ff-\ue000]`, "😀", true},
	{`[\ud7ff-\ue000]`, "a", false},
	{`^[\ud7ff-\ue000]$`, "\ud7ff", true},
	{`^[\ud7ff-\ue000]$`, "\ue000", true},
	{`^[\ud7ff-\ue000]$`, "\ue001", false},
	{`^[\ud7ff-\ue000]{2}$`, "😀", true},
	{`[^\ud7ff-\ue000]`, "😀", false},
	{`[\u0080-\uffff]`, "rm 😀", true},
	{`[\x80-\uffff]`, "😀", true},
	{`[a-\uffff]`, "😀", true},
	{`[\--\uffff]`, "😀", true},
	{"[\u0080-\uffff]", "😀", true},
	{`[\u0080-\ud7ff]`, "😀", false},
	{`[\u0080-\ud83d]`, "😀", true},
	{`[\u0080-\ud83d]`, "\ue000", false},
	{`[\ude00-\uffff]`, "😀", true},
	{`[\ude01-\uffff]`, "😀", false},
	{`[\ude00-\uffff]`, "\uffff", true},
	{`[\w\u0080-\uffff-]`, "😀", true},
	{`[\]-\uffff]`, "😀", true},
	{`^[\u4e00-\u9fff]$`, "中", true},
}

// Each pair is also tested with Node, if it is installed.
func TestEscapedSurrogatesMatchTheirCharacter(t *testing.T) {
	for _, tt := range pairsOfUnits {
		p, err := match.Regexp(tt.pattern)
		if err != nil {
			t.Errorf("%q: %v", tt.pattern, err)
			continue
		}
		if got := p.Match(tt.subject); got != tt.want {
			t.Errorf("%q matches %q: %v; want %v", tt.pattern, tt.subject, got, tt.want)
		}
		if got, err := p.Test(tt.subject); got != tt.want || err != nil {
			t.Errorf("%q tests %q: %v, %v; want %v", tt.pattern, tt.subject, got, err, tt.want)
		}
	}
	node, err := exec.LookPath("node")
	if err != nil {
		t.Log("Node is not installed: the table is not compared with it")
		return
	}
	const program = `const pairs = JSON.parse(require("fs").readFileSync(0, "utf8"));
console.log(JSON.stringify(pairs.map(([pattern, subject]) => new RegExp(pattern).test(subject))))`
	var pairs [][2]string
	for _, tt := range pairsOfUnits {
		pairs = append(pairs, [2]string{tt.pattern, tt.subject})
	}
	input, err := json.Marshal(pairs)
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), node, "-e", program)
	cmd.Stdin = bytes.NewReader(input)
	output, err := cmd.Output()
	var said []bool
	if err := errors.Join(err, json.Unmarshal(output, &said)); err != nil || len(said) != len(pairs) {
		t.Fatalf("%s, %v", output, err)
	}
	for i, tt := range pairsOfUnits {
		if said[i] != tt.want {
			t.Errorf("Node: %q matches %q: %v; the table has %v", tt.pattern, tt.subject, said[i], tt.want)
		}
	}
}
