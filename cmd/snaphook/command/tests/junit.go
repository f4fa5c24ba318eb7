package tests

import (
	"encoding/xml"
	"fmt"
	"strings"

	"github.com/samber/lo"

	"github.com/snaphook-go/snaphook/cmd/snaphook/internal/cli"
)

// junitSuites is the root of JUnit's XML. This type and the types below have the elements that programs read.
type junitSuites struct {
	XMLName  xml.Name     `xml:"testsuites"`
	Tests    int          `xml:"tests,attr"`
	Failures int          `xml:"failures,attr"`
	Time     string       `xml:"time,attr"`
	Suites   []junitSuite `xml:"testsuite"`
}

type junitSuite struct {
	Name     string      `xml:"name,attr"`
	Tests    int         `xml:"tests,attr"`
	Failures int         `xml:"failures,attr"`
	Time     string      `xml:"time,attr"`
	Cases    []junitCase `xml:"testcase"`
}

type junitCase struct {
	Name    string        `xml:"name,attr"`
	Class   string        `xml:"classname,attr"`
	File    string        `xml:"file,attr"`
	Line    int           `xml:"line,attr"`
	Time    string        `xml:"time,attr"`
	Failure *junitFailure `xml:"failure"`
}

type junitFailure struct {
	Message string `xml:"message,attr"`
	Type    string `xml:"type,attr"`
	Text    string `xml:",chardata"`
}

// writeJUnit writes the results to a file: a suite for each file of fixtures.
func writeJUnit(path string, results []*fixtureResult) error {
	all := junitSuites{Tests: len(results), Failures: lo.CountBy(results, (*fixtureResult).failed)}
	seconds := func(some []*fixtureResult) string {
		return fmt.Sprintf("%.3f", lo.SumBy(some, func(r *fixtureResult) float64 { return r.took.Seconds() }))
	}
	all.Time = seconds(results)
	for _, some := range lo.PartitionBy(results, func(r *fixtureResult) string { return r.At.File }) {
		suite := junitSuite{
			Name: some[0].At.File, Tests: len(some), Failures: lo.CountBy(some, (*fixtureResult).failed), Time: seconds(some),
		}
		for _, r := range some {
			suite.Cases = append(suite.Cases, junitCase{
				Name: r.Name, Class: r.At.File, File: r.At.File, Line: r.At.Line,
				Time: fmt.Sprintf("%.3f", r.took.Seconds()), Failure: junitFailureOf(r),
			})
		}
		all.Suites = append(all.Suites, suite)
	}
	text, err := xml.MarshalIndent(all, "", "  ")
	if err != nil {
		return err
	}
	return cli.SaveFile(path, append([]byte(xml.Header), append([]byte(cli.Visible(string(text))), '\n')...), 0o644)
}

// junitFailureOf returns the failure of a fixture; nil if it passes.
func junitFailureOf(r *fixtureResult) *junitFailure {
	var lines []string
	for i, step := range r.steps {
		for _, d := range step.wrong {
			lines = append(lines, fmt.Sprintf("step %d, %s: %s: expected %s, got %s", i+1, r.Session[i].Event, d.Member,
				step.place.Hold(d.Expected), step.place.Hold(d.Got)))
		}
	}
	if len(lines) == 0 {
		return nil
	}
	return &junitFailure{Message: lines[0], Type: "expectation", Text: strings.Join(lines, "\n")}
}
