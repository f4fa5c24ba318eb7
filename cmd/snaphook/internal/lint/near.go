package lint

import "github.com/snaphook-go/snaphook/settings"

// nearName is the name that a misspelt one stands for; empty if none does.
func nearName(name string, all []string) string {
	if near := settings.Near(name, all); len(near) > 0 {
		return near[0]
	}
	return ""
}
