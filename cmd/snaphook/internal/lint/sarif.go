package lint

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"net/url"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/internal/bounded"
)

// SARIF is a log in the format that GitHub reads, version 2.1.0.
type SARIF struct {
	Schema  string     `json:"$schema"`
	Version string     `json:"version"`
	Runs    []sarifRun `json:"runs"`
}

type (
	sarifRun struct {
		Tool struct {
			Driver sarifDriver `json:"driver"`
		} `json:"tool"`
		ColumnKind string        `json:"columnKind"`
		Results    []sarifResult `json:"results"`
	}
	sarifDriver struct {
		Name    string      `json:"name"`
		Version string      `json:"version"`
		Home    string      `json:"informationUri"`
		Rules   []sarifRule `json:"rules"`
	}
	sarifRule struct {
		ID      string    `json:"id"`
		Name    string    `json:"name"`
		Short   sarifText `json:"shortDescription"`
		Full    sarifText `json:"fullDescription"`
		HelpURI string    `json:"helpUri"`
		Help    sarifText `json:"help"`
		Default struct {
			Level Severity `json:"level"`
		} `json:"defaultConfiguration"`
		Properties struct {
			Tags      []string `json:"tags"`
			Precision string   `json:"precision"`
			Severity  string   `json:"problem.severity"`
		} `json:"properties"`
	}
	sarifText struct {
		Text     string `json:"text"`
		Markdown string `json:"markdown,omitzero"`
	}
	sarifResult struct {
		Rule        string            `json:"ruleId"`
		Index       int               `json:"ruleIndex"`
		Level       Severity          `json:"level"`
		Message     sarifText         `json:"message"`
		Locations   []sarifLocation   `json:"locations"`
		Fingerprint map[string]string `json:"partialFingerprints"`
	}
	sarifLocation struct {
		Physical struct {
			Artifact sarifURI     `json:"artifactLocation"`
			Region   *sarifRegion `json:"region,omitzero"`
		} `json:"physicalLocation"`
	}
	sarifURI struct {
		URI  string `json:"uri"`
		Base string `json:"uriBaseId,omitzero"`
	}
	sarifRegion struct {
		Line   int `json:"startLine"`
		Column int `json:"startColumn,omitzero"`
	}
)

const (
	home      = "https://github.com/snaphook-go/snaphook"
	problemID = "settings-problem"
)

// Problem returns a finding for a problem that the loader of settings has reported.
func Problem(at hook.Position, message string) Finding {
	return Finding{ID: problemID, Severity: Error, Position: at, Message: message}
}

// NewSARIF returns a log of findings. Paths of files below dir, the root of the repository, are
// relative to it.
func NewSARIF(version, dir string, found []Finding) SARIF {
	run := sarifRun{ColumnKind: "unicodeCodePoints", Results: []sarifResult{}}
	texts := map[string][]byte{}
	all := append(Rules(), Rule{
		ID: problemID, Severity: Error, Doc: "A settings file, or an entry in it, cannot be used.",
		Why: "The hooks that it configures do not run.",
	})
	run.Tool.Driver = sarifDriver{Name: "snaphook", Version: version, Home: home}
	for _, r := range all {
		run.Tool.Driver.Rules = append(run.Tool.Driver.Rules, newSARIFRule(r))
	}
	for _, f := range found {
		index := slices.IndexFunc(all, func(r Rule) bool { return r.ID == f.ID })
		if index < 0 {
			continue // a test ensures that each finding has a rule
		}
		run.Results = append(run.Results, newSARIFResult(f, index, dir, texts))
	}
	return SARIF{"https://json.schemastore.org/sarif-2.1.0.json", "2.1.0", []sarifRun{run}}
}

func newSARIFRule(r Rule) sarifRule {
	rule := sarifRule{ID: r.ID, Name: strings.ReplaceAll(r.ID, "-", ""), HelpURI: home + "/blob/main/docs/lint.md#" + r.ID}
	if r.ID == problemID {
		rule.HelpURI = home + "/blob/main/docs/cli.md"
	}
	rule.Short, rule.Full = sarifText{Text: plain(r.Doc)}, sarifText{Text: plain(r.Doc + " " + r.Why)}
	rule.Help = sarifText{Text: plain(r.Doc + " " + r.Why), Markdown: strings.TrimSpace(section(r))}
	rule.Default.Level = r.Severity
	rule.Properties.Tags, rule.Properties.Precision = []string{"hooks"}, "high"
	rule.Properties.Severity = map[Severity]string{Error: "error", Warning: "warning", Note: "recommendation"}[r.Severity]
	if r.Security {
		rule.Properties.Tags = []string{"hooks", "security"}
	}
	return rule
}

func plain(text string) string { return strings.ReplaceAll(text, "`", "") }

func newSARIFResult(f Finding, index int, dir string, texts map[string][]byte) sarifResult {
	text := f.Message
	if f.Fix != "" {
		text += ". " + strings.ToUpper(f.Fix[:1]) + f.Fix[1:]
	}
	result := sarifResult{Rule: f.ID, Index: index, Level: f.Severity, Message: sarifText{Text: text}}
	file := f.Position.File
	if file == "" {
		file = "." // the problem has no file, but GitHub requires one
	}
	location := sarifLocation{}
	location.Physical.Artifact = sarifURI{URI: fileURI(file)}
	if abs, err := filepath.Abs(file); err == nil {
		if below, err := filepath.Rel(dir, abs); err == nil && filepath.IsLocal(below) {
			location.Physical.Artifact = sarifURI{relativeURI(below), "%SRCROOT%"}
		}
	}
	if f.Position.Line > 0 {
		location.Physical.Region = &sarifRegion{f.Position.Line, characters(f.Position, texts)}
	}
	result.Locations = []sarifLocation{location}
	sum := sha256.Sum256([]byte(f.ID + "\x00" + filepath.ToSlash(f.Position.File) + "\x00" + f.Message))
	result.Fingerprint = map[string]string{"snaphook/v1": hex.EncodeToString(sum[:16])}
	return result
}

// characters returns the column of a position in characters; positions count bytes.
func characters(at hook.Position, texts map[string][]byte) int {
	text, seen := texts[at.File]
	if !seen {
		text, _ = bounded.ReadFile(context.Background(), at.File, maxSettings) // without text, columns count bytes
		texts[at.File] = text
	}
	start := offset(text, hook.Position{Line: at.Line, Column: 1})
	if start < 0 || at.Column < 1 || start+at.Column-1 > len(text) {
		return at.Column
	}
	return utf8.RuneCount(text[start:start+at.Column-1]) + 1
}

func relativeURI(path string) string { return (&url.URL{Path: filepath.ToSlash(path)}).String() }

func fileURI(path string) string {
	abs, err := filepath.Abs(path)
	if err != nil {
		abs = path
	}
	abs = filepath.ToSlash(abs)
	if !strings.HasPrefix(abs, "/") {
		abs = "/" + abs // the path begins with a drive of Windows
	}
	return (&url.URL{Scheme: "file", Path: abs}).String()
}
