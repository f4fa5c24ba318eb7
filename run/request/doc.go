// Package request runs hooks by a request: [HTTP] posts the input of a hook to a server, [Tool] calls a tool of an MCP
// server. Both are a [hook.Runner].
//
//	r := &request.HTTP{URL: "https://hooks.example.com/pre-tool-use"}
//	reply, err := r.Run(ctx, hook.Call{Payload: payload, Timeout: time.Minute})
//
// # HTTP
//
// A response is read like the output of a program that exited with status 0. No HTTP status blocks. [AllowedURL]
// compares a URL with the patterns of a setting.
//
// # Tools
//
// The host supplies the [ToolCaller]: this package neither starts servers nor logs in. Parts of the payload can be
// inserted into the input of a tool.
//
// # Security
//
// Redirects are not followed. With PublicOnly, connections go to public addresses alone; they are checked after the
// name has been resolved. Errors show only the scheme and the host of a URL. Headers can use only the variables that
// Vars lists.
//
// # Concurrency and cost
//
// A Runner may be used from many goroutines. A request costs the round trip, and a connection if none is idle: all
// requests of the process share their connections. The first request over TLS sets up the client.
package request
