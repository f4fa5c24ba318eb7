package claude

import "github.com/snaphook-go/snaphook/settings"

// file reads the hooks of a whole file. What people take for hooks and is none
// would otherwise go unnoticed: no hook runs, and nothing is wrong.
func (o origin) file(root settings.Value) {
	for name, value := range root.Members() {
		if table[name] != nil {
			o.Problem(
				value.Wrong("%q stands beside \"hooks\", where nothing reads it; write {\"hooks\": {%[1]q: …}}", name),
			)
		}
	}
	o.hooks(root.Get("hooks"))
}
