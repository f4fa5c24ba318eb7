package jq

import (
	"math"
	"strconv"
	"unicode/utf8"

	"github.com/itchyny/gojq"
)

// Constants and the filter . count work, and so does every loop.

func constant(v value) filter {
	return func(s *scope, _ value, yield func(value) error) error {
		s.spend(8)
		return yield(v)
	}
}

func identity(s *scope, in value, yield func(value) error) error {
	s.spend(8)
	return yield(in)
}

func (c *compiler) term(t *gojq.Term) filter {
	f := c.head(t)
	if len(t.SuffixList) > 0 && !isPlain(&gojq.Query{Term: t}) {
		refuse("a path after this term")
	}
	for i := 0; i < len(t.SuffixList); i++ {
		suffix := t.SuffixList[i]
		opt := i+1 < len(t.SuffixList) && t.SuffixList[i+1].Optional // the ? applies to this step only
		switch {
		case suffix.Optional:
			f = optional(f)
			continue
		case suffix.Iter && opt:
			f = pipe(f, optional(iterate))
		case suffix.Iter:
			f = pipe(f, iterate)
		default:
			f = c.index(f, suffix.Index, opt)
		}
		if opt {
			i++
		}
	}
	return f
}

func (c *compiler) head(t *gojq.Term) filter {
	switch t.Type {
	case gojq.TermTypeIdentity:
		return identity
	case gojq.TermTypeRecurse:
		return recurse
	case gojq.TermTypeNull:
		return constant(nil)
	case gojq.TermTypeTrue:
		return constant(true)
	case gojq.TermTypeFalse:
		return constant(false)
	case gojq.TermTypeNumber:
		return constant(literal(t.Number))
	case gojq.TermTypeUnary:
		if t.Unary.Op != gojq.OpSub || t.Unary.Term.Type != gojq.TermTypeNumber || len(t.Unary.Term.SuffixList) > 0 || t.Unary.Term.Number == "0" {
			refuse("a sign in a filter")
		}
		return constant(number{-literal(t.Unary.Term.Number).f, true})
	case gojq.TermTypeIndex:
		return c.index(identity, t.Index, false)
	case gojq.TermTypeString:
		return c.str(t.Str)
	case gojq.TermTypeFunc:
		return c.function(t.Func)
	case gojq.TermTypeObject:
		return c.object(t.Object)
	case gojq.TermTypeArray:
		return c.array(t.Array)
	case gojq.TermTypeIf:
		return c.condition(t.If)
	case gojq.TermTypeQuery:
		return c.query(t.Query)
	case gojq.TermTypeReduce:
		return c.reduce(t.Reduce)
	case gojq.TermTypeTry:
		if t.Try.Catch != nil || !isPlain(t.Try.Body) {
			refuse("this try")
		}
		return optional(c.term(t.Try.Body.Term))
	case gojq.TermTypeFormat:
		return c.format(t)
	}
	refuse("this term of a filter")
	return nil
}

// literal returns a number of a filter.
func literal(text string) number {
	n, err := strconv.Atoi(text)
	if err != nil || strconv.Itoa(n) != text || n > 1e9 {
		refuse("the number %s in a filter", text)
	}
	return number{float64(n), true}
}

// str compiles a string, with the filters in it.
func (c *compiler) str(t *gojq.String) filter {
	if t.Queries == nil {
		return constant(checked(t.Str))
	}
	parts := make([]filter, len(t.Queries))
	for i, q := range t.Queries {
		parts[i] = c.query(q)
	}
	return func(s *scope, in value, yield func(value) error) error {
		all, err := each(s, in, parts...)
		if all == nil {
			return err
		}
		var out []byte
		for _, v := range all {
			out = append(out, s.text(v)...)
		}
		return yield(string(out))
	}
}

func checked(text string) string {
	if !utf8.ValidString(text) {
		refuse("a string that is not UTF-8")
	}
	for i := range len(text) {
		if text[i] == 0 {
			refuse("a zero character")
		}
	}
	return text
}

// text returns a string as it is, and the JSON of another value.
func (s *scope) text(v value) string {
	text, ok := v.(string)
	if !ok {
		text = string(encode(nil, v, -1))
	}
	s.spend(len(text))
	return text
}

// index compiles a path element after a filter. If opt is set, an input without such elements gives no output.
func (c *compiler) index(f filter, x *gojq.Index, opt bool) filter {
	switch {
	case x.IsSlice:
		return c.slice(f, x, opt)
	case x.Name != "":
		return step(f, opt, member, constant(x.Name))
	case x.Str != nil:
		return step(f, opt, member, c.str(x.Str))
	}
	return step(f, opt, member, c.query(x.Start))
}

// step compiles a path element; its keys are computed from the input of f.
func step(f filter, opt bool, get functionOf, keys ...filter) filter {
	return func(s *scope, in value, yield func(value) error) error {
		all, err := each(s, in, keys...)
		if all == nil {
			if err == nil {
				panic(unsure("an empty key"))
			}
			return err
		}
		return f(s, in, func(v value) error {
			found, err := get(s, v, all)
			switch {
			case err != nil && opt:
				return nil
			case err != nil:
				return err
			}
			return yield(found)
		})
	}
}

// field returns the filter .[key].
func field(key filter) filter { return step(identity, false, member, key) }

// member returns v[key].
func member(s *scope, v value, keys []value) (value, error) {
	s.spend(16)
	switch k := keys[0].(type) {
	case string:
		switch v := v.(type) {
		case nil:
			return nil, nil
		case *object:
			s.spend(len(v.keys))
			found, _ := v.get(k)
			return found, nil
		}
	case number:
		if k.f != math.Trunc(k.f) || math.Abs(k.f) > 1e9 {
			panic(unsure("an index that is not a small integer"))
		}
		switch v := v.(type) {
		case nil:
			return nil, nil
		case []value:
			at := int(k.f)
			if at < 0 {
				at += len(v)
			}
			if at < 0 || at >= len(v) {
				return nil, nil
			}
			return v[at], nil
		}
	default:
		panic(unsure("a key that is neither a string nor a number"))
	}
	return nil, errFilter
}

// slice compiles f[from:to].
func (c *compiler) slice(f filter, x *gojq.Index, opt bool) filter {
	bound := func(q *gojq.Query) filter {
		if q == nil {
			return constant(nil)
		}
		return c.query(q)
	}
	return step(f, opt, cut, bound(x.Start), bound(x.End))
}

// cut returns a part of an array or of a string, whose characters are counted.
func cut(s *scope, v value, keys []value) (value, error) {
	switch v := v.(type) {
	case nil:
		return nil, nil
	case string:
		s.spend(4 * len(v))
		runes := []rune(v)
		a, b := bounds(keys[0], keys[1], len(runes))
		return string(runes[a:b]), nil
	case []value:
		s.spend(16 * len(v))
		a, b := bounds(keys[0], keys[1], len(v))
		return v[a:b:b], nil
	}
	return nil, errFilter
}

func bounds(from, to value, n int) (a, b int) {
	bound := func(v value, otherwise int) int {
		if v == nil {
			return otherwise
		}
		k, ok := v.(number)
		if !ok || k.f != math.Trunc(k.f) || math.Abs(k.f) > 1e9 {
			panic(unsure("a bound that is not a small integer"))
		}
		at := int(k.f)
		if at < 0 {
			at += n
		}
		return min(max(at, 0), n)
	}
	a, b = bound(from, 0), bound(to, n)
	return a, max(a, b)
}

// iterate yields the elements of an array, or the values of an object.
func iterate(s *scope, in value, yield func(value) error) error {
	var all []value
	switch in := in.(type) {
	case []value:
		all = in
	case *object:
		all = in.values
	default:
		return errFilter
	}
	for _, v := range all {
		s.spend(16)
		if err := yield(v); err != nil {
			return err
		}
	}
	return nil
}

// recurse yields a value and, at any depth, the values in it.
func recurse(s *scope, in value, yield func(value) error) error {
	s.spend(16)
	if err := yield(in); err != nil {
		return err
	}
	switch in.(type) {
	case []value, *object:
		return iterate(s, in, func(v value) error { return recurse(s, v, yield) })
	}
	return nil
}

func (c *compiler) array(t *gojq.Array) filter {
	if t.Query == nil {
		return constant([]value{})
	}
	f := c.query(t.Query)
	return func(s *scope, in value, yield func(value) error) error {
		all, err := collect(s, in, f)
		if err != nil {
			return err
		}
		return yield(all)
	}
}

func collect(s *scope, in value, f filter) ([]value, error) {
	all := []value{}
	err := f(s, in, func(v value) error {
		s.spend(16)
		all = append(all, v)
		return nil
	})
	return all, err
}

func (c *compiler) condition(t *gojq.If) filter {
	type branch struct{ cond, then filter }
	branches := []branch{{c.query(t.Cond), c.query(t.Then)}}
	for _, e := range t.Elif {
		branches = append(branches, branch{c.query(e.Cond), c.query(e.Then)})
	}
	if t.Else == nil {
		refuse("if without else")
	}
	f := c.query(t.Else)
	for i := len(branches) - 1; i >= 0; i-- {
		b, rest := branches[i], f
		f = func(s *scope, in value, yield func(value) error) error {
			return b.cond(s, in, func(v value) error {
				if truthy(v) {
					return b.then(s, in, yield)
				}
				return rest(s, in, yield)
			})
		}
	}
	return f
}

// costOfUpdate is the work of one update of reduce, in bytes. It limits the depth of the result.
const costOfUpdate = 512

func (c *compiler) reduce(t *gojq.Reduce) filter {
	source, name := c.source(t.Query, t.Patterns)
	start := c.query(t.Start)
	c.names = append(c.names, name)
	update := c.query(t.Update)
	c.names = c.names[:len(c.names)-1]
	return func(s *scope, in value, yield func(value) error) error {
		all, err := each(s, in, start)
		if all == nil {
			return err
		}
		state := all[0]
		err = source(s, in, func(v value) error {
			s.spend(costOfUpdate)
			next, err := each(s.bind(name, v), state, update)
			if next == nil && err == nil {
				panic(unsure("reduce with an empty update"))
			}
			if err == nil {
				state = next[0]
			}
			return err
		})
		if err != nil {
			return err
		}
		return yield(state)
	}
}

// object compiles the construction of an object.
func (c *compiler) object(t *gojq.Object) filter {
	n := len(t.KeyVals)
	all := make([]filter, 0, 2*n)
	for _, kv := range t.KeyVals {
		all = append(all, c.key(kv), c.memberValue(kv))
	}
	return func(s *scope, in value, yield func(value) error) error {
		got, err := each(s, in, all...)
		if got == nil && n > 0 {
			return err
		}
		o := &object{}
		for i := range n {
			key, ok := got[2*i].(string)
			if !ok {
				return errFilter
			}
			s.spend(16 * (len(o.keys) + 1))
			o = o.with(key, got[2*i+1])
		}
		return yield(o)
	}
}

func (c *compiler) key(kv *gojq.ObjectKeyVal) filter {
	switch {
	case kv.KeyString != nil:
		return c.str(kv.KeyString)
	case kv.KeyQuery != nil:
		return c.query(kv.KeyQuery)
	case kv.Val == nil && kv.Key != "" && kv.Key[0] == '$':
		return constant(kv.Key[1:])
	case !isIdentifier(kv.Key):
		refuse("this key of an object")
	}
	return constant(kv.Key)
}

// keywords has true for the words that some versions of jq do not take for a key.
var keywords = map[string]bool{
	"module": true, "import": true, "include": true, "def": true, "as": true, "if": true, "then": true, "else": true, "elif": true,
	"end": true, "and": true, "or": true, "not": false, "reduce": true, "foreach": true, "try": true, "catch": true, "label": true,
	"break": true, "__loc__": true, "null": false, "true": false, "false": false,
}

func isIdentifier(key string) bool {
	for i := range len(key) {
		b := key[i]
		if b != '_' && !(b|0x20 >= 'a' && b|0x20 <= 'z') && !(i > 0 && b >= '0' && b <= '9') {
			return false
		}
	}
	return key != "" && !keywords[key]
}

func (c *compiler) memberValue(kv *gojq.ObjectKeyVal) filter {
	switch {
	case kv.Val == nil && kv.KeyString != nil:
		return field(c.str(kv.KeyString))
	case kv.Val == nil && kv.Key != "" && kv.Key[0] == '$':
		return c.variable(kv.Key)
	case kv.Val == nil:
		return field(constant(kv.Key))
	case !isPlain(kv.Val):
		refuse("a value of an object that is not in parentheses")
	}
	return c.term(kv.Val.Term)
}

func (c *compiler) variable(name string) filter {
	known := false
	for _, n := range c.names {
		known = known || n == name
	}
	if !known {
		refuse("%s", name)
	}
	return func(s *scope, _ value, yield func(value) error) error {
		for at := s; at != nil; at = at.up {
			s.spend(8)
			if at.name == name {
				return yield(at.value)
			}
		}
		panic(unsure(name))
	}
}
