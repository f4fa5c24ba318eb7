package hooktest

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/snaphook-go/snaphook/wire"
)

// Script is the hook that [Runner] expects at the other end, as a POSIX shell script. [Answer] is for all other kinds
// of hooks.
const Script = `payload=$(cat; echo .)
case $payload in
*'"hooktest":"hang"'*) exec sleep 600 ;;
*'"hooktest":"flood"'*) head -c 33554432 /dev/zero | tr '\0' x ;;
*) printf '%s' "${payload%.}" ;;
esac
`

// flood is the number of bytes of output that a Runner has to cut.
const flood = 32 << 20

// Answer is the hook that [Runner] expects at the other end, for a test's own server, model or
// tool. It finds the payload in given, follows its instructions and returns its answer, a JSON
// object without quotation marks in its strings:
//
//	http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
//		body, _ := io.ReadAll(r.Body)
//		answer, err := hooktest.Answer(r.Context(), body)
//		…
//
// It returns the context's error if the payload tells the hook to hang.
func Answer(ctx context.Context, given []byte) (answer []byte, err error) {
	start := bytes.Index(given, []byte(directive))
	if start < 0 {
		return nil, fmt.Errorf("hooktest: the payload is not in %.200q", given)
	}
	payload, err := jsontext.NewDecoder(bytes.NewReader(given[start:]), jsontext.AllowInvalidUTF8(true)).ReadValue()
	if err != nil {
		return nil, fmt.Errorf("hooktest: the payload is not whole: %w", err)
	}
	switch wire.Object(payload).Text("hooktest") {
	case hangs:
		<-ctx.Done()
		return nil, context.Cause(ctx)
	case floods:
		return []byte(`{"systemMessage":"` + strings.Repeat("x", flood) + `"}`), nil
	}
	return []byte(`{"systemMessage":"` + digest(payload) + `"}`), nil
}

const (
	directive = `{"hooktest":"`
	echoes    = "echo"
	hangs     = "hang"
	floods    = "flood"
)

// payload returns a payload of about the given number of bytes.
func payload(does string, number, bytes int) []byte {
	text := fmt.Sprintf(`%s%s","number":%d,"fill":"`, directive, does, number)
	return append([]byte(text), strings.Repeat("é7", max(0, bytes-len(text)-2)/3)+`"}`...)
}

func digest(payload []byte) string {
	sum := sha256.Sum256(payload)
	return hex.EncodeToString(sum[:])
}
