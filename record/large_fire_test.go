package record_test

import (
	"bytes"
	"context"
	"strings"
	"testing"
	"time"

	"github.com/snaphook-go/snaphook/pipeline"
	"github.com/snaphook-go/snaphook/record"
)

// bulky is an input that is already encoded.
type bulky struct{ text []byte }

func (b bulky) MarshalJSON() ([]byte, error) { return b.text, nil }

var large = pipeline.Declare(dialect, pipeline.Spec[bulky, nothing]{Name: "Large", Can: pipeline.CanBlock})

// The line of a large input costs the memory of one copy.
func TestALargeInputIsInMemoryOnceForItsLine(t *testing.T) {
	const size = 32 << 20
	in := bulky{[]byte(`{"tool_name":"Write","tool_input":{"content":"` + strings.Repeat("text ", size/5) + `"}}`)}
	kept := &bytes.Buffer{}
	r := record.New(kept, record.Config{Input: record.Full})
	var fires [2]uint64
	for i, o := range []pipeline.Observer{nil, r} {
		h := command("cat", runs{}) // the line is made from the hook's payload, which is the only copy
		h.Event = "Large"
		s := session(t, o, h)
		fires[i] = record.Allocated(func() {
			if res, err := large.Fire(context.Background(), s, &in); err != nil || len(res.Reports) != 1 {
				t.Errorf("%v, %v", res, err)
			}
		})
	}
	r.Close(time.Minute)
	if !strings.Contains(kept.String(), `"text text `) || kept.Len() > 16<<10 {
		t.Errorf("a line of %d bytes: %.300s", kept.Len(), kept)
	}
	if more := int64(fires[1] - fires[0]); more > size*3/2 {
		t.Errorf("the line takes %d MiB beside the %d of the fire, for an input of %d", more>>20, fires[0]>>20, size>>20)
	}
}
