package xcsh

import (
	"context"
	"errors"

	"github.com/go-json-experiment/json/jsontext"
)

// SessionView lets handlers read the host's session, and store large data with it. A host embeds [NoSession] and
// implements the methods that it supports.
type SessionView interface {
	Cwd() string
	SessionDir() string
	SessionID() string
	SessionFile() string
	SessionName() string

	// Artifacts are files stored with the session.
	ArtifactsDir() string
	AllocateArtifactPath(kind string) (path, id string, err error)
	SaveArtifact(content, kind string) (id string, err error)
	ArtifactPath(id string) (path string, ok bool)
	PutBlob(data []byte) (ref string, err error)

	// Entries form a tree; the session is at a leaf of it.
	LeafID() string
	LeafEntry() (Entry, bool)
	Entry(id string) (Entry, bool)
	Label(id string) string
	Branch(fromID string) []Entry // the entries from the root; "" means the current leaf
	Header() (Entry, bool)
	Entries() []Entry
	Tree() jsontext.Value
	UsageStatistics() jsontext.Value
}

// ModelRegistry finds models, and their API keys.
type ModelRegistry interface {
	Find(provider, id string) (Model, bool)
	Available() []Model
	APIKey(ctx context.Context, m Model) (key string, err error)
}

var (
	errNoPlace = errors.New("the host stores no artifacts")
	errNoKey   = errors.New("the host has no key for the model")
)

// NoSession is a session without data, which cannot store any.
type NoSession struct{}

var _ SessionView = NoSession{}

// Cwd implements [SessionView] with no directory.
func (NoSession) Cwd() string { return "" }

// SessionDir implements [SessionView] with no directory.
func (NoSession) SessionDir() string { return "" }

// SessionID implements [SessionView] with no id.
func (NoSession) SessionID() string { return "" }

// SessionFile implements [SessionView] with no file.
func (NoSession) SessionFile() string { return "" }

// SessionName implements [SessionView] with no name.
func (NoSession) SessionName() string { return "" }

// ArtifactsDir implements [SessionView] with no directory.
func (NoSession) ArtifactsDir() string { return "" }

// LeafID implements [SessionView] with no leaf.
func (NoSession) LeafID() string { return "" }

// AllocateArtifactPath implements [SessionView]: it fails.
func (NoSession) AllocateArtifactPath(string) (path, id string, err error) { return "", "", errNoPlace }

// SaveArtifact implements [SessionView]: it fails.
func (NoSession) SaveArtifact(_, _ string) (id string, err error) { return "", errNoPlace }

// ArtifactPath implements [SessionView] with no path.
func (NoSession) ArtifactPath(string) (string, bool) { return "", false }

// PutBlob implements [SessionView]: it fails.
func (NoSession) PutBlob([]byte) (ref string, err error) { return "", errNoPlace }

// LeafEntry implements [SessionView] with no leaf.
func (NoSession) LeafEntry() (Entry, bool) { return Entry{}, false }

// Entry implements [SessionView] with no entry.
func (NoSession) Entry(string) (Entry, bool) { return Entry{}, false }

// Label implements [SessionView] with no label.
func (NoSession) Label(string) string { return "" }

// Branch implements [SessionView] with no entries.
func (NoSession) Branch(string) []Entry { return nil }

// Header implements [SessionView] with no header.
func (NoSession) Header() (Entry, bool) { return Entry{}, false }

// Entries implements [SessionView] with no entries.
func (NoSession) Entries() []Entry { return nil }

// Tree implements [SessionView] with no tree.
func (NoSession) Tree() jsontext.Value { return nil }

// UsageStatistics implements [SessionView] with no statistics.
func (NoSession) UsageStatistics() jsontext.Value { return nil }

// NoModels knows no model.
type NoModels struct{}

var _ ModelRegistry = NoModels{}

// Find implements [ModelRegistry] with no model.
func (NoModels) Find(string, string) (Model, bool) { return Model{}, false }

// Available implements [ModelRegistry] with no models.
func (NoModels) Available() []Model { return nil }

// APIKey implements [ModelRegistry] with no key.
func (NoModels) APIKey(context.Context, Model) (string, error) { return "", errNoKey }
