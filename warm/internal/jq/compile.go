package jq

import (
	"errors"
	"fmt"
	"strings"

	"github.com/itchyny/gojq"

	"github.com/snaphook-go/snaphook/internal/bounded"
	"github.com/snaphook-go/snaphook/internal/lazyregexp"
)

// filter passes the outputs for an input to yield. It stops when yield returns an error, and returns this error.
type filter func(s *scope, in value, yield func(value) error) error

// scope has the variables of a filter.
type scope struct {
	*machine
	name  string
	value value
	up    *scope
}

// machine counts the work of a run.
type machine struct{ spend func(n int) }

func (s *scope) bind(name string, v value) *scope { return &scope{s.machine, name, v, s} }

// unsure is the reason why only the installed jq can run a filter or a call. Functions of this package panic with an
// unsure.
type unsure string

func (u unsure) Error() string { return string(u) }

// errFilter is an error that jq raises. Its text is not known: a run that would print it is given up.
var errFilter = errors.New("an error of the filter")

// mostFilter limits the length of a filter, in bytes; mostNested limits the brackets in it.
const (
	mostFilter = 16 << 10
	mostNested = 200
)

// doubtful finds texts that gojq reads and some versions of jq do not, or read in another way: comments, a
// comma at the end of an object, .a.[0], a name after spaces, and the like.
var doubtful = lazyregexp.New(`#|,\s*\}|[\w\])"?]\s*\.\s*\[|\.\s*\.\s*[\w"]|\$\s|\.\s+["\w]*"|\?\?|\?//|[^\x00-\x7f]`)

// plainString matches a string. In a text without \( no string has a filter in it.
var plainString = lazyregexp.New(`"(?:[^"\\]|\\.)*"`)

// compile reads a filter whose variables have the given names.
func compile(text string, names []string) (f filter, err error) {
	if len(text) > mostFilter || strings.Count(text, "(")+strings.Count(text, "[")+strings.Count(text, "{")+strings.Count(text, "if") > mostNested {
		return nil, &bounded.Error{What: "bytes or brackets", Limit: mostFilter, Hint: "write a shorter filter"}
	}
	bare := text
	if !strings.Contains(text, `\(`) {
		bare = plainString.ReplaceAllString(text, `""`)
	}
	if at := doubtful.FindString(bare); at != "" {
		return nil, unsure(fmt.Sprintf("%q in a filter", at))
	}
	defer func() {
		switch p := recover().(type) {
		case nil:
		case unsure:
			f, err = nil, p
		default:
			f, err = nil, unsure("this filter")
		}
	}()
	q, err := gojq.Parse(text)
	if err != nil {
		return nil, err
	}
	c := &compiler{}
	for _, name := range names {
		c.names = append(c.names, "$"+name)
	}
	return c.query(q), nil
}

// compiler turns the syntax of gojq into filters. It panics with an unsure.
type compiler struct {
	names []string // the variables in scope
}

func refuse(what string, args ...any) { panic(unsure(fmt.Sprintf(what, args...))) }

func (c *compiler) query(q *gojq.Query) filter {
	switch {
	case q == nil || q.Meta != nil || len(q.Imports) > 0 || len(q.FuncDefs) > 0:
		refuse("definitions in a filter")
	case len(q.Patterns) > 0:
		return c.as(q)
	case q.Term != nil:
		return c.term(q.Term)
	case q.Op == gojq.OpPipe:
		return pipe(c.query(q.Left), c.query(q.Right))
	case q.Op == gojq.OpComma:
		left, right := c.query(q.Left), c.query(q.Right)
		return func(s *scope, in value, yield func(value) error) error {
			if err := left(s, in, yield); err != nil {
				return err
			}
			return right(s, in, yield)
		}
	}
	return c.operator(q)
}

func pipe(left, right filter) filter {
	return func(s *scope, in value, yield func(value) error) error {
		return left(s, in, func(v value) error { return right(s, v, yield) })
	}
}

// operand compiles an operand of an operator. It refuses an operand that versions of jq may parse differently.
func (c *compiler) operand(q *gojq.Query) filter {
	if len(q.Patterns) > 0 || q.Op == gojq.OpPipe || q.Op == gojq.OpComma || len(q.FuncDefs) > 0 {
		refuse("this operand")
	}
	return c.query(q)
}

// as compiles TERM as $name | body.
func (c *compiler) as(q *gojq.Query) filter {
	source, name := c.source(q.Left, q.Patterns)
	c.names = append(c.names, name)
	body := c.query(q.Right)
	c.names = c.names[:len(c.names)-1]
	return func(s *scope, in value, yield func(value) error) error {
		return source(s, in, func(v value) error { return body(s.bind(name, v), in, yield) })
	}
}

// source compiles the expression that a variable is bound to.
func (c *compiler) source(q *gojq.Query, patterns []*gojq.Pattern) (source filter, name string) {
	if len(patterns) != 1 || patterns[0].Name == "" || !isPlain(q) {
		refuse("this binding of a variable")
	}
	return c.term(q.Term), patterns[0].Name
}

// isPlain reports whether a query is a term in all versions of jq.
func isPlain(q *gojq.Query) bool {
	if q == nil || q.Term == nil || len(q.FuncDefs) > 0 || len(q.Patterns) > 0 {
		return false
	}
	switch q.Term.Type {
	case gojq.TermTypeIf, gojq.TermTypeTry, gojq.TermTypeReduce, gojq.TermTypeForeach, gojq.TermTypeLabel,
		gojq.TermTypeBreak, gojq.TermTypeUnary:
		return false
	}
	return true
}

func (c *compiler) operator(q *gojq.Query) filter {
	left, right := c.operand(q.Left), c.operand(q.Right)
	switch q.Op {
	case gojq.OpAlt:
		return alternative(left, right)
	case gojq.OpAnd, gojq.OpOr:
		return logic(left, right, q.Op == gojq.OpOr)
	}
	apply := operations[q.Op]
	if apply == nil {
		refuse("%s in a filter", q.Op)
	}
	return func(s *scope, in value, yield func(value) error) error {
		all, err := each(s, in, right, left)
		if all == nil {
			return err
		}
		v, err := apply(s, all[1], all[0])
		if err != nil {
			return err
		}
		return yield(v)
	}
}

// each returns the output of each filter, or nil if a filter has no output or fails. If a filter has several outputs,
// or if one fails and another has no output, the script is left to bash.
func each(s *scope, in value, filters ...filter) (all []value, err error) {
	all = make([]value, len(filters))
	none := false
	for i, f := range filters {
		n := 0
		failed := f(s, in, func(v value) error {
			if n++; n > 1 {
				panic(unsure("an operand with several outputs"))
			}
			all[i] = v
			return nil
		})
		if failed != nil {
			err = failed
		}
		none = none || failed == nil && n == 0
	}
	if none && err != nil {
		panic(unsure("operands of which one fails and one is empty"))
	}
	if none || err != nil {
		return nil, err
	}
	return all, nil
}

// alternative compiles the operator //. Some versions of jq ignore the errors of its left side.
func alternative(left, right filter) filter {
	return func(s *scope, in value, yield func(value) error) error {
		found := false
		err := left(s, in, func(v value) error {
			if !truthy(v) {
				return nil
			}
			found = true
			return yield(v)
		})
		if errors.Is(err, errFilter) {
			panic(unsure("an error to the left of //"))
		}
		if err != nil || found {
			return err
		}
		return right(s, in, yield)
	}
}

// guard runs a filter and ignores the filter's errors. After an error of yield it gives up, because only some versions
// of jq ignore such an error too.
func guard(s *scope, in value, f filter, yield func(value) error) error {
	stopped := error(nil)
	err := f(s, in, func(v value) error {
		err := yield(v)
		if errors.Is(err, errFilter) {
			panic(unsure("an error after an output of try or //"))
		}
		stopped = err
		return err
	})
	if stopped == nil && errors.Is(err, errFilter) {
		return nil
	}
	return err
}

func optional(f filter) filter {
	return func(s *scope, in value, yield func(value) error) error { return guard(s, in, f, yield) }
}

// logic compiles the operators "and" and "or".
func logic(left, right filter, or bool) filter {
	return func(s *scope, in value, yield func(value) error) error {
		return left(s, in, func(v value) error {
			if truthy(v) == or {
				return yield(or)
			}
			return right(s, in, func(v value) error { return yield(truthy(v)) })
		})
	}
}

var operations = map[gojq.Operator]func(s *scope, a, b value) (value, error){
	gojq.OpAdd: add,
	gojq.OpSub: subtract,
	gojq.OpEq:  func(_ *scope, a, b value) (value, error) { return compare(a, b) == 0, nil },
	gojq.OpNe:  func(_ *scope, a, b value) (value, error) { return compare(a, b) != 0, nil },
	gojq.OpLt:  func(_ *scope, a, b value) (value, error) { return compare(a, b) < 0, nil },
	gojq.OpGt:  func(_ *scope, a, b value) (value, error) { return compare(a, b) > 0, nil },
	gojq.OpLe:  func(_ *scope, a, b value) (value, error) { return compare(a, b) <= 0, nil },
	gojq.OpGe:  func(_ *scope, a, b value) (value, error) { return compare(a, b) >= 0, nil },
}

func add(s *scope, a, b value) (value, error) {
	switch x := a.(type) {
	case nil:
		return b, nil
	case number:
		if y, ok := b.(number); ok {
			return number{x.f + y.f, x.exact && y.exact}, nil
		}
	case string:
		if y, ok := b.(string); ok {
			s.spend(len(x) + len(y))
			return x + y, nil
		}
	case []value:
		if y, ok := b.([]value); ok {
			s.spend(16 * (len(x) + len(y)))
			return append(append(make([]value, 0, len(x)+len(y)), x...), y...), nil
		}
	case *object:
		if y, ok := b.(*object); ok {
			for i, key := range y.keys {
				s.spend(16 * (len(x.keys) + 1))
				x = x.with(key, y.values[i])
			}
			return x, nil
		}
	}
	if b == nil {
		return a, nil
	}
	return nil, errFilter
}

func subtract(_ *scope, a, b value) (value, error) {
	x, ok := a.(number)
	y, also := b.(number)
	if ok && also {
		return number{x.f - y.f, x.exact && y.exact}, nil
	}
	if _, ok := a.([]value); ok {
		panic(unsure("a subtraction of arrays"))
	}
	return nil, errFilter
}
