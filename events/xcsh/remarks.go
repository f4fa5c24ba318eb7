package xcsh

import (
	"reflect"
	"strings"
)

// differing takes pairs of a name and a bool that is true if the values of that name are equal. It returns the names
// whose values differ. If all values are equal, it allocates nothing.
func differing(pairs ...any) (names []string) {
	for i := 0; i < len(pairs); i += 2 {
		if same := pairs[i+1].(bool); !same {
			names = append(names, pairs[i].(string))
		}
	}
	return names
}

var separators = strings.NewReplacer("_", "", "-", "", " ", "")

// folded returns a name in lower case, without separators between its words.
func folded(name string) string {
	return strings.ToLower(separators.Replace(name))
}

// jsonNames returns the names of a struct's members, in the order of its fields.
func jsonNames(of reflect.Type) (names []string) {
	for field := range of.Fields() {
		if name, _, _ := strings.Cut(field.Tag.Get("json"), ","); field.IsExported() && name != "" {
			names = append(names, name)
		}
	}
	return names
}
