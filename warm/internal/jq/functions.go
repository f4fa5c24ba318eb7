package jq

import (
	"errors"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/itchyny/gojq"
)

// plainFunction is a function without arguments: its result depends on the input only.
type plainFunction func(s *scope, in value) (value, error)

// functionOf is a function of its input and its arguments, each of which has one output.
type functionOf func(s *scope, in value, args []value) (value, error)

func (c *compiler) function(f *gojq.Func) filter {
	if strings.HasPrefix(f.Name, "$") {
		return c.variable(f.Name)
	}
	args := make([]filter, len(f.Args))
	for i, q := range f.Args {
		args[i] = c.query(q)
	}
	if len(args) == 0 {
		if p := plainFunctions[f.Name]; p != nil {
			return plain(p)
		}
		if p := generators[f.Name]; p != nil {
			return p
		}
	}
	if build := withFilters[f.Name+"/"+strconv.Itoa(len(args))]; build != nil {
		return build(args)
	}
	apply := withValues[f.Name+"/"+strconv.Itoa(len(args))]
	if apply == nil {
		refuse("%s/%d in a filter", f.Name, len(args))
	}
	return func(s *scope, in value, yield func(value) error) error {
		got, err := each(s, in, args...)
		if got == nil {
			return err
		}
		v, err := apply(s, in, got)
		if err != nil {
			return err
		}
		return yield(v)
	}
}

func plain(p plainFunction) filter {
	return func(s *scope, in value, yield func(value) error) error {
		s.spend(16)
		v, err := p(s, in)
		if err != nil {
			return err
		}
		return yield(v)
	}
}

// format compiles @text and @json without a string.
func (c *compiler) format(t *gojq.Term) filter {
	if t.Str != nil || t.Format != "@json" && t.Format != "@text" {
		refuse("%s in a filter", t.Format)
	}
	return plain(plainFunctions[map[string]string{"@json": "tojson", "@text": "tostring"}[t.Format]])
}

// only(is) returns a filter. The filter yields its input if is(input) is true, and nothing otherwise.
func only(is func(v value) bool) filter {
	return func(_ *scope, in value, yield func(value) error) error {
		if is(in) {
			return yield(in)
		}
		return nil
	}
}

func kinds(all ...int) filter {
	return only(func(v value) bool { return slices.Contains(all, kind(v)) })
}

var generators = map[string]filter{
	"empty":     func(*scope, value, func(value) error) error { return nil },
	"error":     func(*scope, value, func(value) error) error { return errFilter },
	"recurse":   recurse,
	"values":    only(func(v value) bool { return v != nil }),
	"nulls":     kinds(0),
	"booleans":  kinds(1, 2),
	"numbers":   kinds(3),
	"strings":   kinds(4),
	"arrays":    kinds(5),
	"objects":   kinds(6),
	"iterables": kinds(5, 6),
	"scalars":   kinds(0, 1, 2, 3, 4),
	"first":     field(constant(number{0, true})),
	"last":      field(constant(number{-1, true})),
}

var withFilters = map[string]func(args []filter) filter{
	"select/1": func(args []filter) filter {
		return func(s *scope, in value, yield func(value) error) error {
			return args[0](s, in, func(v value) error {
				if truthy(v) {
					return yield(in)
				}
				return nil
			})
		}
	},
	"map/1": func(args []filter) filter {
		each := pipe(iterate, args[0])
		return func(s *scope, in value, yield func(value) error) error {
			all, err := collect(s, in, each)
			if err != nil {
				return err
			}
			return yield(all)
		}
	},
	"first/1": first,
	"any/1":   func(args []filter) filter { return some(args[0], true) },
	"all/1":   func(args []filter) filter { return some(args[0], false) },
}

// first yields the first output of a filter.
func first(args []filter) filter {
	return func(s *scope, in value, yield func(value) error) error {
		stop := errors.New("stop")
		var found value
		err := args[0](s, in, func(v value) error {
			found = v
			return stop
		})
		if err != stop {
			return err
		}
		return yield(found)
	}
}

// some implements the function "any" if want is true, and the function "all" otherwise. If an error occurs after the
// result is certain, only some versions of jq fail.
func some(f filter, want bool) filter {
	each := pipe(iterate, f)
	return func(s *scope, in value, yield func(value) error) error {
		found := false
		err := each(s, in, func(v value) error {
			found = found || truthy(v) == want
			return nil
		})
		if err != nil && found {
			panic(unsure("an error after the result of \"any\" or \"all\" was certain"))
		}
		if err != nil {
			return err
		}
		return yield(found == want)
	}
}

var plainFunctions map[string]plainFunction

func init() {
	plainFunctions = map[string]plainFunction{
		"not":            func(_ *scope, in value) (value, error) { return !truthy(in), nil },
		"type":           func(_ *scope, in value) (value, error) { return typeName(in), nil },
		"length":         length,
		"utf8bytelength": byteLength,
		"keys":           keys,
		"keys_unsorted":  keysUnsorted,
		"to_entries":     toEntries,
		"add":            sum,
		"any":            collected(some(identity, true)),
		"all":            collected(some(identity, false)),
		"reverse":        reverse,
		"sort":           sorted,
		"unique":         unique,
		"tostring":       func(s *scope, in value) (value, error) { return s.text(in), nil },
		"tojson":         func(s *scope, in value) (value, error) { return s.json(in), nil },
		"fromjson":       fromJSON,
		"tonumber":       toNumber,
		"ascii_downcase": func(s *scope, in value) (value, error) { return s.letters(in, 'A', 'Z') },
		"ascii_upcase":   func(s *scope, in value) (value, error) { return s.letters(in, 'a', 'z') },
	}
}

// collected turns a filter with one output into a function.
func collected(f filter) plainFunction {
	return func(s *scope, in value) (value, error) {
		all, err := each(s, in, f)
		if err != nil {
			return nil, err
		}
		return all[0], nil
	}
}

func (s *scope) json(v value) string {
	text := string(encode(nil, v, -1))
	s.spend(len(text))
	return text
}

// letters changes the case of the letters between from and to.
func (s *scope) letters(in value, from, to byte) (value, error) {
	text, ok := in.(string)
	if !ok {
		return nil, errFilter
	}
	s.spend(len(text))
	out := []byte(text)
	for i, b := range out {
		if b >= from && b <= to {
			out[i] = b ^ 0x20
		}
	}
	return string(out), nil
}

func length(s *scope, in value) (value, error) {
	switch in := in.(type) {
	case nil:
		return number{0, true}, nil
	case number:
		return number{math.Abs(in.f), in.exact}, nil
	case string:
		s.spend(len(in))
		return number{float64(utf8.RuneCountInString(in)), true}, nil
	case []value:
		return number{float64(len(in)), true}, nil
	case *object:
		return number{float64(len(in.keys)), true}, nil
	}
	return nil, errFilter
}

func byteLength(_ *scope, in value) (value, error) {
	if text, ok := in.(string); ok {
		return number{float64(len(text)), true}, nil
	}
	return nil, errFilter
}

func keys(s *scope, in value) (value, error) {
	if o, ok := in.(*object); ok {
		return list(s, o.sorted()), nil
	}
	return keysUnsorted(s, in)
}

func keysUnsorted(s *scope, in value) (value, error) {
	switch in := in.(type) {
	case *object:
		return list(s, in.keys), nil
	case []value:
		all := make([]value, len(in))
		for i := range in {
			all[i] = number{float64(i), true}
		}
		s.spend(16 * len(in))
		return all, nil
	}
	return nil, errFilter
}

func list(s *scope, texts []string) []value {
	all := make([]value, len(texts))
	for i, text := range texts {
		all[i] = text
	}
	s.spend(16 * len(texts))
	return all
}

func toEntries(s *scope, in value) (value, error) {
	o, ok := in.(*object)
	if !ok {
		if _, is := in.([]value); is {
			panic(unsure("to_entries of an array"))
		}
		return nil, errFilter
	}
	all := make([]value, len(o.keys))
	for i, key := range o.keys {
		all[i] = &object{[]string{"key", "value"}, []value{key, o.values[i]}}
	}
	s.spend(64 * len(all))
	return all, nil
}

func sum(s *scope, in value) (out value, err error) {
	err = iterate(s, in, func(v value) (err error) {
		out, err = add(s, out, v)
		return err
	})
	return out, err
}

func reverse(s *scope, in value) (value, error) {
	all, ok := in.([]value)
	if !ok {
		panic(unsure("reverse of this value"))
	}
	s.spend(16 * len(all))
	all = slices.Clone(all)
	slices.Reverse(all)
	return all, nil
}

func sorted(s *scope, in value) (value, error) {
	all, ok := in.([]value)
	if !ok {
		return nil, errFilter
	}
	s.spend(256 * len(all))
	all = slices.Clone(all)
	slices.SortStableFunc(all, func(a, b value) int { return compare(a, b) })
	return all, nil
}

func unique(s *scope, in value) (value, error) {
	in, err := sorted(s, in)
	if err != nil {
		return nil, err
	}
	distinct := []value{}
	for _, v := range in.([]value) {
		if n := len(distinct); n == 0 || compare(distinct[n-1], v) != 0 {
			distinct = append(distinct, v)
		}
	}
	return distinct, nil
}

func fromJSON(s *scope, in value) (value, error) {
	text, ok := in.(string)
	if !ok {
		return nil, errFilter
	}
	s.spend(2 * len(text))
	all, err := decode([]byte(text))
	if err != nil || len(all) != 1 {
		panic(unsure("fromjson of this text"))
	}
	return all[0], nil
}

func toNumber(s *scope, in value) (value, error) {
	switch in := in.(type) {
	case number:
		return in, nil
	case string:
		n, err := strconv.ParseInt(in, 10, 64)
		if err != nil || strconv.FormatInt(n, 10) != in || math.Abs(float64(n)) >= mostExact {
			panic(unsure("tonumber of this text"))
		}
		return number{float64(n), true}, nil
	}
	return nil, errFilter
}

var withValues = map[string]functionOf{
	"has/1":   has,
	"error/1": func(*scope, value, []value) (value, error) { return nil, errFilter },
	"startswith/1": func(_ *scope, in value, args []value) (value, error) {
		return onStrings(in, args[0], strings.HasPrefix)
	},
	"endswith/1": func(_ *scope, in value, args []value) (value, error) {
		return onStrings(in, args[0], strings.HasSuffix)
	},
	"ltrimstr/1": func(_ *scope, in value, args []value) (value, error) { return trim(in, args[0], strings.TrimPrefix) },
	"rtrimstr/1": func(_ *scope, in value, args []value) (value, error) { return trim(in, args[0], strings.TrimSuffix) },
	"contains/1": func(s *scope, in value, args []value) (value, error) { return contains(s, in, args[0]) },
	"inside/1":   func(s *scope, in value, args []value) (value, error) { return contains(s, args[0], in) },
	"split/1":    split,
	"join/1":     join,
	"test/1":     func(s *scope, in value, args []value) (value, error) { return test(s, in, args[0], nil) },
	"test/2":     func(s *scope, in value, args []value) (value, error) { return test(s, in, args[0], args[1]) },
}

func has(s *scope, in value, args []value) (value, error) {
	switch in := in.(type) {
	case *object:
		if key, ok := args[0].(string); ok {
			s.spend(len(in.keys))
			_, there := in.get(key)
			return there, nil
		}
	case []value:
		if n, ok := args[0].(number); ok && n.f == math.Trunc(n.f) {
			return n.f >= 0 && n.f < float64(len(in)), nil
		}
		panic(unsure("has of this key"))
	}
	return nil, errFilter
}

func onStrings(a, b value, is func(a, b string) bool) (value, error) {
	x, ok := a.(string)
	y, also := b.(string)
	if !ok || !also {
		return nil, errFilter
	}
	return is(x, y), nil
}

func trim(a, b value, trim func(a, b string) string) (value, error) {
	x, ok := a.(string)
	y, also := b.(string)
	if !ok || !also {
		return a, nil
	}
	if x == y {
		panic(unsure("a whole text that is trimmed"))
	}
	return trim(x, y), nil
}

func contains(s *scope, a, b value) (value, error) {
	s.spend(16)
	if kind(a) != kind(b) {
		return nil, errFilter
	}
	switch a := a.(type) {
	case string:
		s.spend(len(a))
		return strings.Contains(a, b.(string)), nil
	case []value, *object:
		panic(unsure("contains of arrays or objects"))
	}
	return compare(a, b) == 0, nil
}

func split(s *scope, in value, args []value) (value, error) {
	text, ok := in.(string)
	sep, also := args[0].(string)
	if !ok || !also {
		return nil, errFilter
	}
	if sep == "" {
		panic(unsure("split at nothing"))
	}
	s.spend(2 * len(text))
	if text == "" {
		return []value{}, nil
	}
	return list(s, strings.Split(text, sep)), nil
}

func join(s *scope, in value, args []value) (value, error) {
	sep, ok := args[0].(string)
	if !ok {
		panic(unsure("join with this separator"))
	}
	var out []string
	err := iterate(s, in, func(v value) error {
		switch v := v.(type) {
		case nil:
			out = append(out, "")
		case []value, *object:
			panic(unsure("join of arrays or objects"))
		default:
			out = append(out, s.text(v))
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	text := strings.Join(out, sep)
	s.spend(len(text))
	return text, nil
}
