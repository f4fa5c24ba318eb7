// Package xcshcases runs the language-neutral cases of the xcsh system, as conformance/xcsh/FORMAT.md says.
// Hooks in the cases are descriptions of behaviour, not code: a [Maker] makes modules of them, in
// Go or in another language.
package xcshcases

import "github.com/go-json-experiment/json/jsontext"

// Case is one case, as in its file.
type Case struct {
	ID                 string          `json:"id"`
	Name               string          `json:"name"`
	Area               string          `json:"area"`
	Title              string          `json:"title"`
	Notes              string          `json:"notes"`
	Basis              []string        `json:"basis"`
	Rules              []string        `json:"rules"`        // rules of docs/spec/xcsh.md
	Conflict           jsontext.Value  `json:"conflict"`     // set if the documentation contradicts the code
	Older              jsontext.Value  `json:"seedConflict"` // the former name of Conflict
	Runtime            string          `json:"runtime"`
	Requires           []string        `json:"requires"`
	RacyUpstream       jsontext.Value  `json:"racyUpstream"`
	Files              map[string]File `json:"files"`
	Hooks              []Hook          `json:"hooks"`
	Runner             Runner          `json:"runner"`
	Steps              []Step          `json:"steps"`
	EngineTextPrefixes []string        `json:"engineTextPrefixes"`
	Expect             Expect          `json:"expect"`

	Path string `json:"-"` // path of the case's file
}

// File is a file that exists before the first step.
type File struct {
	Text       string `json:"text"`
	Executable bool   `json:"executable"`
	As         string `json:"as"`
}

// Expect is the expected result of a case.
type Expect struct {
	Steps      []map[string]any `json:"steps"`
	Trace      []any            `json:"trace"`
	HookErrors []any            `json:"hookErrors"`
	Sent       []any            `json:"sent"`
	UICalls    []any            `json:"uiCalls"`
	CtxCalls   []any            `json:"ctxCalls"`
	LoadErrors []any            `json:"loadErrors"`
}

// Runner describes the host.
type Runner struct {
	Cwd        string           `json:"cwd"`
	Entries    []jsontext.Value `json:"entries"`
	Listeners  *[]Listener      `json:"listeners"` // nil means one listener, L1
	Initialize *Initialize      `json:"initialize"`
}

// Listener receives errors.
type Listener struct {
	ID     string `json:"id"`
	Throws string `json:"throws"`
}

// Initialize describes the services of the host.
type Initialize struct {
	Model             jsontext.Value `json:"model"` // an id, or a list of them
	IsIdle            *bool          `json:"isIdle"`
	HasQueuedMessages *bool          `json:"hasQueuedMessages"`
	Abort             bool           `json:"abort"`
	WaitForIdle       bool           `json:"waitForIdle"`
	NewSession        *Cancelled     `json:"newSession"`
	Branch            *Cancelled     `json:"branch"`
	NavigateTree      *Cancelled     `json:"navigateTree"`
	HasUI             bool           `json:"hasUI"`
	UI                *ScriptedUI    `json:"ui"`
}

// Cancelled is the answer of the host to newSession, branch or navigateTree.
type Cancelled struct {
	Cancelled bool `json:"cancelled"`
}

// ScriptedUI gives answers from queues.
type ScriptedUI struct {
	Confirm    []bool    `json:"confirm"`
	Select     []*string `json:"select"`
	Input      []*string `json:"input"`
	Editor     []*string `json:"editor"`
	EditorText string    `json:"editorText"`
}
