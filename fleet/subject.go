package fleet

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"
)

// The constants are names in the protocol.
const (
	Service    = "snaphook"           // the micro service, and the queue group of workers
	FirePrefix = "snaphook.v1.fire."  // DIALECT.EVENT follows
	logPrefix  = "snaphook.v1.record" // HOST follows
)

// The headers of requests and responses.
const (
	SessionHeader  = "Snaphook-Session"  // the session's id
	HostHeader     = "Snaphook-Host"     // the agent's host; workers serve hosts in turn
	DirHeader      = "Snaphook-Dir"      // the agent's directory
	RevisionHeader = "Snaphook-Revision" // revision of the policy, in requests and responses
	// The agent asks for the member "merged", the answer as merged by the worker's engine.
	MergedHeader  = "Snaphook-Merged"
	TimeoutHeader = "Snaphook-Timeout-Ms" // time in ms that the agent waits from the sending of the request
)

// maxToken limits the bytes of a part of a subject.
const maxToken = 128

// Subject returns the subject on which workers answer for an event, whatever their policy. A name that has a
// wildcard, a percent sign, a space or a control character is an error, because it would change the subject; so is a
// name that is empty or has more than 128 bytes. A dot is written %2E.
func Subject(dialect, event string) (string, error) {
	for _, name := range []string{dialect, event} {
		if err := token(name); err != nil {
			return "", fmt.Errorf("the event %s.%s cannot be requested: %w", printable(dialect), printable(event), err)
		}
	}
	return FirePrefix + dots.Replace(dialect) + "." + dots.Replace(event), nil
}

var (
	dots   = strings.NewReplacer(".", "%2E") // a dot in a name would separate parts of the subject
	undots = strings.NewReplacer("%2E", ".")
)

// atRevision returns the subject of the workers with a revision of the policy.
func atRevision(subject string, revision uint64) string {
	if revision == 0 {
		return subject
	}
	return subject + "." + strconv.FormatUint(revision, 10)
}

// token returns an error for a name that cannot be a part of a subject.
func token(name string) error {
	bad := func(r rune) bool { return strings.ContainsRune("%*>", r) || unicode.IsSpace(r) || unicode.IsControl(r) }
	switch i := strings.IndexFunc(name, bad); {
	case name == "":
		return fmt.Errorf("a name is empty; write DIALECT.EVENT, such as claude.PreToolUse")
	case len(name) > maxToken:
		return fmt.Errorf("the name %.20q… has %d bytes; write up to %d", name, len(name), maxToken)
	case i >= 0:
		return fmt.Errorf("the name %q has %q in it, which belongs to patterns; write the name of one event",
			name, []rune(name[i:])[0])
	}
	return nil
}

// hostToken converts the name of a host, such as web-1.example.org, to a part of a subject.
func hostToken(name string) string {
	name = strings.Map(func(r rune) rune {
		if r == '-' || r == '_' || unicode.IsDigit(r) && r < 128 || r < 128 && unicode.IsLetter(r) {
			return r
		}
		return '-'
	}, name)
	if name = name[:min(len(name), maxToken)]; name == "" {
		return "unknown"
	}
	return name
}

func printable(name string) string {
	return strings.Trim(strconv.QuoteToGraphic(name[:min(len(name), maxToken)]), `"`)
}
