// Package request runs hooks that ask a program elsewhere: [HTTP] posts the
// input of a hook to a server, [Tool] calls a tool of an MCP server. Both are a
// [hook.Runner].
//
//	r := &request.HTTP{URL: "https://hooks.example.com/pre-tool-use"}
//	reply, err := r.Run(ctx, hook.Call{Payload: payload, Timeout: time.Minute})
//
// # HTTP
//
// A response is read like the output of a program that ended with status 0. No
// status of a response blocks. [AllowedURL] holds a URL against the patterns of
// a setting.
//
// # Tools
//
// A [ToolCaller] is the host's: this package neither starts servers nor logs in.
// The input of a tool can take parts of the payload.
//
// # Security
//
// Requests follow no redirection, and with PublicOnly connect to public
// addresses alone, which is checked after the name has been resolved. Errors say
// no more of a URL than its scheme and host. Headers take variables that are
// named for it, and no others.
//
// # Concurrency and cost
//
// A Runner may be used from many goroutines. A request costs the round trip, and
// a connection if none is idle: all requests of the process share theirs. What
// makes requests over TLS exists once the first of them is sent.
package request
