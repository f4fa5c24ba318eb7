// Package hooktest checks additions to the engine in Go: events, reducers, chains, runners. Each
// function is called from an ordinary test and reports violations through it:
//
//	func TestBeforeDeploy(t *testing.T) {
//		hooktest.Idle(t, deploy.BeforeDeploy, deploy.Deploy{Version: "1.4.0"})
//		hooktest.Reducer(t, deploy.BeforeDeploy.Reduce, nil)
//		hooktest.Chain(t, deploy.BeforeDeploy, nil, nil)
//		hooktest.Codec(t, deploy.BeforeDeploy)
//	}
//
// The engine's own events, reducers and runners pass the same checks.
//
// Generators come from pgregory.net/rapid, whose flags apply (-rapid.checks, -rapid.seed). The
// package is only for tests: no package that a program links imports it.
package hooktest
