// Without is a typical agent program: it sends requests to a server, and reads JSON.
package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"regexp"
)

func main() {
	words := regexp.MustCompile(os.Args[1])
	resp, err := http.Get(os.Args[2])
	if err != nil {
		fmt.Println(err)
		return
	}
	defer resp.Body.Close()
	var answer map[string]any
	_ = json.NewDecoder(resp.Body).Decode(&answer)
	text, _ := json.Marshal(answer)
	fmt.Println(words.Match(text), string(text))
}
