package lint

import "github.com/snaphook-go/snaphook/settings"

// nearName returns the name that is most similar to a misspelt one; empty if none is similar.
func nearName(name string, all []string) string {
	if near := settings.Near(name, all); len(near) > 0 {
		return near[0]
	}
	return ""
}
