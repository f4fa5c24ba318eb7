package xcshcases

import "github.com/go-json-experiment/json/jsontext"

// Hook describes a module by its actions.
type Hook struct {
	Path       string     `json:"path"`
	Handlers   []Handler  `json:"handlers,omitempty"`
	Commands   []Command  `json:"commands,omitempty"`
	Renderers  []Renderer `json:"renderers,omitempty"`
	FactoryAPI []Call     `json:"factoryApi,omitempty"`
}

// Handler describes the actions of a handler, in the order of the fields from Record on.
type Handler struct {
	ID        string         `json:"id"`
	On        string         `json:"on"`
	Sync      bool           `json:"sync,omitempty"`
	Record    []string       `json:"record,omitempty"`
	When      *When          `json:"when,omitempty"`
	DelayMS   int            `json:"delayMs,omitempty"`
	Mutate    []Mutation     `json:"mutate,omitempty"`
	API       []Call         `json:"api,omitempty"`
	UI        []Call         `json:"ui,omitempty"`
	Ctx       []Call         `json:"ctx,omitempty"`
	Throws    *Throw         `json:"throws,omitempty"`
	Chain     *Chain         `json:"chain,omitempty"`
	ReturnsIf *ReturnsIf     `json:"returnsIf,omitempty"`
	Returns   jsontext.Value `json:"returns,omitzero"` // nil: nothing
}

// When is a condition on the event.
type When struct {
	Path     string `json:"path"`
	Equals   any    `json:"equals,omitempty"`
	Contains string `json:"contains,omitempty"`
}

// Mutation changes the event in place.
type Mutation struct {
	Op    string `json:"op"` // "set", "append"
	Path  string `json:"path"`
	Value any    `json:"value"`
}

// Call is a call of a function that handlers, commands or factories get.
type Call struct {
	Call    string   `json:"call"`
	Args    []any    `json:"args,omitempty"`
	Handler *Handler `json:"handler,omitempty"`
}

// Throw is a failure: an error, or another value.
type Throw struct {
	Kind    string `json:"kind,omitempty"` // "error", "value"
	Message string `json:"message"`
}

// Chain makes a result from a list in the event: it drops, adds or changes elements.
type Chain struct {
	Field       string         `json:"field"`
	Drop        map[string]any `json:"drop,omitempty"`
	Append      any            `json:"append,omitempty"`
	ReplaceText *struct {
		From string `json:"from"`
		To   string `json:"to"`
	} `json:"replaceText,omitempty"`
}

// ReturnsIf is a result that depends on the result of a UI call.
type ReturnsIf struct {
	UI      int            `json:"ui"`
	Equals  any            `json:"equals"`
	Returns jsontext.Value `json:"returns"`
}

// Command describes the actions of a command.
type Command struct {
	Name        string `json:"name"`
	Description string `json:"description,omitempty"`
	ID          string `json:"id,omitempty"`
	Ctx         []Call `json:"ctx,omitempty"`
	Throws      *Throw `json:"throws,omitempty"`
}

// Renderer shows its own id.
type Renderer struct {
	CustomType string `json:"customType"`
	ID         string `json:"id"`
}
