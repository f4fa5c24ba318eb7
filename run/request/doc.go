// Package request runs hooks that ask a program elsewhere: [HTTP] posts the input of a hook to a
// server, [Tool] calls a tool of an MCP server. Both are a [hook.Runner].
//
//	r := &request.HTTP{URL: "https://hooks.example.com/pre-tool-use"}
//	reply, err := r.Run(ctx, hook.Call{Payload: payload, Timeout: time.Minute})
//
// # HTTP
//
// A response is read like the output of a program that ended with status 0. No status of a
// response blocks. [AllowedURL] compares a URL with the patterns of a setting.
//
// # Tools
//
// The host supplies the [ToolCaller]: this package neither starts servers nor logs in. The input
// of a tool can take parts of the payload.
//
// # Security
//
// Requests follow no redirection, and with PublicOnly connect to public addresses alone, which is
// checked after the name has been resolved. Of a URL, errors show only the scheme and the host.
// Headers take only the variables that are named for them.
//
// # Concurrency and cost
//
// A Runner may be used from many goroutines. A request costs the round trip, and a connection if
// none is idle: all requests of the process share their connections. The first request over TLS
// sets up the client.
package request
