package modules

import (
	"context"
	"fmt"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/snaphook-go/snaphook/events/xcsh"
	"github.com/snaphook-go/snaphook/jsrun"
)

// session describes ctx.sessionManager.
var session = &jsrun.Object{
	Sync: map[string]jsrun.Func{
		"getCwd":          reads(func(v xcsh.SessionView, _ jsrun.Args) any { return v.Cwd() }),
		"getSessionDir":   reads(func(v xcsh.SessionView, _ jsrun.Args) any { return v.SessionDir() }),
		"getSessionId":    reads(func(v xcsh.SessionView, _ jsrun.Args) any { return v.SessionID() }),
		"getSessionFile":  reads(func(v xcsh.SessionView, _ jsrun.Args) any { return textOrNone(v.SessionFile()) }),
		"getSessionName":  reads(func(v xcsh.SessionView, _ jsrun.Args) any { return textOrNone(v.SessionName()) }),
		"getArtifactsDir": reads(func(v xcsh.SessionView, _ jsrun.Args) any { return textOrNull(v.ArtifactsDir()) }),
		"getLeafId":       reads(func(v xcsh.SessionView, _ jsrun.Args) any { return textOrNull(v.LeafID()) }),
		"getLeafEntry":    reads(func(v xcsh.SessionView, _ jsrun.Args) any { return orNone(v.LeafEntry()) }),
		"getEntry": reads(
			func(v xcsh.SessionView, args jsrun.Args) any { return orNone(v.Entry(args.String(0))) },
		),
		"getLabel": reads(
			func(v xcsh.SessionView, args jsrun.Args) any { return textOrNone(v.Label(args.String(0))) },
		),
		"getBranch": reads(
			func(v xcsh.SessionView, args jsrun.Args) any { return listed(v.Branch(args.String(0))) },
		),
		"getHeader":          reads(func(v xcsh.SessionView, _ jsrun.Args) any { return orNull(v.Header()) }),
		"getEntries":         reads(func(v xcsh.SessionView, _ jsrun.Args) any { return listed(v.Entries()) }),
		"getTree":            reads(func(v xcsh.SessionView, _ jsrun.Args) any { return orList(v.Tree()) }),
		"getUsageStatistics": reads(func(v xcsh.SessionView, _ jsrun.Args) any { return orEmpty(v.UsageStatistics()) }),
	},
	Async: map[string]jsrun.Func{
		"getArtifactPath": reads(
			func(v xcsh.SessionView, args jsrun.Args) any { return orNull(v.ArtifactPath(args.String(0))) },
		),
		"allocateArtifactPath": jsrun.On(allocateArtifactPath),
		"saveArtifact":         jsrun.On(saveArtifact),
		"putBlob":              jsrun.On(putBlob),
	},
}

func reads(f func(xcsh.SessionView, jsrun.Args) any) jsrun.Func {
	return jsrun.On(func(_ context.Context, s *boundContext, args jsrun.Args) (any, error) {
		return f(s.Session, args), nil
	})
}

// listed returns an empty list for nil.
func listed[T any](items []T) []T {
	if items == nil {
		return []T{}
	}
	return items
}

func orList(v jsontext.Value) any {
	if v == nil {
		return jsrun.Value("[]")
	}
	return v
}

func orEmpty(v jsontext.Value) any {
	if v == nil {
		return jsrun.Value("{}")
	}
	return v
}

func allocateArtifactPath(_ context.Context, s *boundContext, args jsrun.Args) (any, error) {
	path, id, err := s.Session.AllocateArtifactPath(args.String(0))
	return map[string]string{"path": path, "id": id}, err
}

func saveArtifact(_ context.Context, s *boundContext, args jsrun.Args) (any, error) {
	return s.Session.SaveArtifact(args.String(0), args.String(1))
}

func putBlob(_ context.Context, s *boundContext, args jsrun.Args) (any, error) {
	data, err := bytesOf(args)
	if err != nil {
		return nil, err
	}
	ref, err := s.Session.PutBlob(data)
	return map[string]string{"ref": ref}, err
}

// bytesOf returns the bytes of the first argument: a text, a list of bytes, or a Uint8Array, which
// is an object with numbers in JSON.
func bytesOf(args jsrun.Args) ([]byte, error) {
	switch args.Value(0).Kind() {
	case '[':
		var list []byte
		var numbers []int
		err := args.Decode(0, &numbers)
		for _, n := range numbers {
			list = append(list, byte(n))
		}
		return list, err
	case '{':
		var members map[int]byte
		if err := args.Decode(0, &members); err != nil {
			return nil, err
		}
		list := make([]byte, len(members))
		for i, b := range members {
			if i < 0 || i >= len(list) {
				return nil, fmt.Errorf("argument 1 has no byte %d", len(list)-1)
			}
			list[i] = b
		}
		return list, nil
	}
	return []byte(args.String(0)), nil
}

// models describes ctx.modelRegistry.
var models = &jsrun.Object{
	Sync: map[string]jsrun.Func{
		"find":         jsrun.On(findModel),
		"getAvailable": asks(func(hc *xcsh.HookContext) []xcsh.Model { return listed(hc.Models.Available()) }),
	},
	Async: map[string]jsrun.Func{"getApiKey": jsrun.On(apiKey)},
}

func findModel(_ context.Context, s *boundContext, args jsrun.Args) (any, error) {
	return orNone(s.Models.Find(args.String(0), args.String(1))), nil
}

func apiKey(ctx context.Context, s *boundContext, args jsrun.Args) (any, error) {
	var m xcsh.Model
	if err := args.Decode(0, &m); err != nil {
		return nil, err
	}
	key, err := s.Models.APIKey(ctx, m)
	return textOrNone(key), err
}
