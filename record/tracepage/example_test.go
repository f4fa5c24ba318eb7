package tracepage_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"

	"github.com/snaphook-go/snaphook/pipeline"
	"github.com/snaphook-go/snaphook/record"
	"github.com/snaphook-go/snaphook/record/tracepage"
)

// A program shows the fires of its own system, without a file, below a path of its own server.
func ExampleNew() {
	page, err := tracepage.New(tracepage.Config{})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer page.Close()
	sys := pipeline.NewSystem(pipeline.Config{Observe: []pipeline.Observer{page.Recorder(record.Config{Input: record.Full})}})
	defer sys.Close()

	mux := http.NewServeMux()
	mux.Handle("/hooks/", http.StripPrefix("/hooks", page)) // the server decides who may see the page

	answer := httptest.NewRecorder()
	mux.ServeHTTP(answer, httptest.NewRequest(http.MethodGet, "http://localhost/hooks/", nil))
	fmt.Println(answer.Code, strings.Contains(answer.Body.String(), "<title>snaphook</title>"))
	// Output: 200 true
}
