package claudecases

import (
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
)

func TestEveryObservableHasAJudgementEitherWay(t *testing.T) {
	passes, differs := map[string]bool{}, map[string]bool{"async": true} // its members are judged one by one below
	for _, tt := range judgements {
		for key := range mustExpect(t, tt.expect) {
			passes[key] = passes[key] || tt.differs == ""
			differs[key] = differs[key] || tt.differs != ""
		}
	}
	for _, tt := range backgroundJudgements {
		expect, _ := readExpect(jsontext.Value(tt.expect), backgroundObservables)
		for key := range expect {
			passes["async."+key] = passes["async."+key] || tt.differs == ""
			differs["async."+key] = differs["async."+key] || tt.differs != ""
		}
	}
	for key := range observables {
		if !passes[key] || !differs[key] {
			t.Errorf("%s: passes %v, differs %v; want both", key, passes[key], differs[key])
		}
	}
	for key := range backgroundObservables {
		if !passes["async."+key] || !differs["async."+key] {
			t.Errorf("async.%s: passes %v, differs %v; want both", key, passes["async."+key], differs["async."+key])
		}
	}
}

func TestAnEngineThatReportsNothingPassesNothing(t *testing.T) {
	p := mustParse(t, ``).Prepare(t, "")
	for key := range observables {
		nothing := map[string]string{
			"blocked": "false", "continue": "true", "spilled": "false", "errors": "0", "additionalContext": "[]", "systemMessages": "[]",
			"model_sees": "[]", "user_sees": "[]", "model_not_sees": `["x"]`, "user_not_sees": `["x"]`, "additionalContext_max_len": "10000",
			"outcomes": "{}", "duration_lt_ms": "1000", "env_exports": "{}", "ran": "", "file_text": "", "json_file": "", "files_exist": "",
			"http_requests": "", "llm_requests": "", "user_prompts": "", "async": "", // the judge itself observes these
		}
		text, known := nothing[key]
		if !known {
			text = "null"
		}
		if text == "" {
			continue
		}
		expect := `{"` + key + `": ` + text + `}`
		if got := p.Judge(mustExpect(t, expect), Observation{}); len(got) != 1 {
			t.Errorf("%s: got %q, want one difference", expect, got)
		}
	}
}

func TestNothingToSeeIsReportedAsAnEmptyList(t *testing.T) {
	p := mustParse(t, ``).Prepare(t, "")
	got := Observation{ModelSees: []string{}, UserSees: []string{}, AdditionalContext: []string{}}
	wrong := p.Judge(mustExpect(t, `{"model_sees": [], "user_sees": [], "model_not_sees": ["x"], "additionalContext": []}`), got)
	if len(wrong) != 0 {
		t.Errorf("got %q, want no difference", wrong)
	}
}

func TestEnvironmentFilesAreReadInOrder(t *testing.T) {
	p := mustParse(t, `"env": {"GIVEN": "g"}`).Prepare(t, "")
	got := Observation{EnvFiles: []string{"export A=1 B='two words'\necho noise\n", "", "export A=\"$A-$GIVEN\"\nPATH=/nowhere\nC='not exported'\n"}}
	wrong := p.Judge(mustExpect(t, `{"env_exports": {"A": "1-g", "B": "two words"}}`), got)
	if len(wrong) != 0 {
		t.Errorf("got %q, want no difference", wrong)
	}
	wrong = p.Judge(mustExpect(t, `{"env_exports": {"A": "1", "C": "not exported"}}`), got)
	if len(wrong) != 2 {
		t.Errorf("got %q, want two differences", wrong)
	}
}

func TestAnObservationThatIsNoJSONFails(t *testing.T) {
	p := mustParse(t, ``).Prepare(t, "")
	for name, got := range map[string]Observation{
		"broken UTF-8": {Blocked: new(true), UserSees: []string{"\xff"}},
		"broken JSON":  {Blocked: new(true), Reason: jsontext.Value(`{"a": `)},
		"a function":   {Blocked: new(true), Reason: func() {}},
	} {
		wrong := p.Judge(mustExpect(t, `{"blocked": true}`), got)
		if len(wrong) == 0 || !strings.HasPrefix(wrong[0], "the observation is not JSON") {
			t.Errorf("%s: got %q", name, wrong)
		}
	}
}

func TestAnExpectationThatWasNotReadFails(t *testing.T) {
	p := mustParse(t, ``).Prepare(t, "")
	for key, want := range map[string]string{"blokced": "unknown", "blocked": "get it from Load"} {
		got := p.Judge(Expect{key: 1}, observed())
		if len(got) != 1 || !strings.Contains(got[0], want) {
			t.Errorf("%s: got %q, want %q", key, got, want)
		}
	}
}

func TestASilentEnginePassesOnlyWhatExpectsSilence(t *testing.T) {
	own := map[string]bool{"ran": true, "http_requests": true, "async": true} // the judge itself observes these
	for _, c := range repositorysCases(t) {
		p := c.Prepare(t, "")
		if got := p.Judge(p.Expect, Observation{}); len(got) > 0 {
			continue
		}
		for key, want := range p.Expect {
			if !own[key] || key != "async" && show(want) != "[]" {
				t.Errorf("%s: %s passes", c.Name, show(p.Expect))
			}
		}
		if async, ok := p.Expect["async"].(Expect); ok && len(p.JudgeBackground(async, Observation{}, Background{})) == 0 {
			t.Errorf("%s: %s passes", c.Name, show(p.Expect))
		}
	}
}
