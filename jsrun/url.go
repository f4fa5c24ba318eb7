package jsrun

import (
	"fmt"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/nlnwa/whatwg-url/url"

	"github.com/snaphook-go/snaphook/internal/lazyregexp"
)

// Limits of addresses. JavaScript waits while an address is parsed, and the library's time is quadratic in these
// lengths: half a second at worst.
const (
	longestAddress = 1 << 16 // bytes
	longestHost    = 1 << 12 // bytes before the path
	mostSlashes    = 1 << 10
)

// beforePath matches the start of an address that may have a host: the scheme, the user, the host and the port.
var beforePath = lazyregexp.New(
	`(?i)^[\x00-\x20]*(?:(?:https?|wss?|ftp|file):|(?:[a-z][a-z0-9+.-]*:)?[/\\]{2})[/\\]*[^/?#]*`,
)

var blanks = strings.NewReplacer("\t", "", "\n", "", "\r", "") // the library ignores these characters

// getters and setters map the parts of an address, by their names in JavaScript; isOfHost lists the parts that stand
// before the path; their text has a length limit of its own.
var (
	getters = map[string]func(*url.Url) string{
		"href":     (*url.Url).String,
		"protocol": (*url.Url).Protocol,
		"username": (*url.Url).Username,
		"password": (*url.Url).Password,
		"host":     (*url.Url).Host,
		"hostname": (*url.Url).Hostname,
		"port":     (*url.Url).Port,
		"pathname": (*url.Url).Pathname,
		"search":   (*url.Url).Search,
		"hash":     (*url.Url).Hash,
	}
	setters = map[string]func(*url.Url, string){
		"protocol": (*url.Url).SetProtocol,
		"username": (*url.Url).SetUsername,
		"password": (*url.Url).SetPassword,
		"host":     (*url.Url).SetHost,
		"hostname": (*url.Url).SetHostname,
		"port":     (*url.Url).SetPort,
		"pathname": (*url.Url).SetPathname,
		"search":   (*url.Url).SetSearch,
		"hash":     (*url.Url).SetHash,
	}
	isOfHost = map[string]bool{
		"protocol": true,
		"username": true,
		"password": true,
		"host":     true,
		"hostname": true,
		"port":     true,
	}
)

// address answers a request of url.js: "href" with an address and perhaps its base, or the name of a part with its new
// value and the address to change. The answer is "=" and the parts of the address as JSON, or "!" and the reason why
// the address was not parsed. It is undefined for an invalid address.
func address(asked []any) (answer any) {
	defer func() {
		if cause := recover(); cause != nil {
			answer = fmt.Sprintf("!the URL cannot be read: %v", cause)
		}
	}()
	name, value := text(asked[0]), text(asked[1])
	for i, given := range asked[1:] {
		if isTooLong(text(given), i == 0 && isOfHost[name]) {
			return fmt.Sprintf(
				"!the URL is too long: at most %d bytes, %d before the path and %d slashes can be read",
				longestAddress,
				longestHost,
				mostSlashes,
			)
		}
	}
	u, err := read(name, value, asked[2:])
	if err != nil {
		return undefined
	}
	found := map[string]string{}
	for name, get := range getters {
		found[name] = get(u)
	}
	out, err := json.Marshal(found, asJavaScript)
	if err != nil {
		return "!" + err.Error()
	}
	return "=" + string(out)
}

func read(name, value string, rest []any) (*url.Url, error) {
	if len(rest) == 0 {
		return url.Parse(value)
	}
	u, err := url.Parse(text(rest[0]))
	if err != nil {
		return nil, err
	}
	set := setters[name]
	if set == nil {
		return u.Parse(value)
	}
	set(u, value) // an invalid value leaves the address as it is
	return u, nil
}

func isTooLong(text string, host bool) bool {
	if len(text) > longestAddress || host && len(text) > longestHost {
		return true
	}
	return strings.Count(text, "/")+strings.Count(text, `\`) > mostSlashes ||
		len(beforePath.FindString(blanks.Replace(text))) > longestHost
}
