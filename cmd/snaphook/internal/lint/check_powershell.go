package lint

import (
	"regexp"
	"slices"
	"strings"
)

// powershellExit looks for an exit 1 after a message on standard error, in a
// branch of a script that never ends with 2.
func (v *view) powershellExit(s *script) {
	if answersJSON(string(s.text)) {
		return
	}
	all := psTokens(string(s.text))
	var ones []token
	for i, t := range all {
		if t.str || !strings.EqualFold(t.text, "exit") {
			continue
		}
		status := "?"
		if i+1 < len(all) && all[i+1].indent < 0 {
			status = statusOf(all[i+1])
		}
		if i+1 == len(all) || all[i+1].indent >= 0 || all[i+1].text == "}" || all[i+1].text == ";" {
			status = "0"
		}
		switch {
		case status != "0" && status != "1":
			return // 2, or what only shows when it runs
		case status == "1" && len(ones) < maxFound && psRefuses(all, i):
			ones = append(ones, t)
		}
	}
	for _, one := range ones {
		v.add(*v.report("gate-exit-1", s.position(one.at), "end with 2: exit 2",
			"%s is refused with 2; after exit 1 it goes ahead, with a warning", v.where()))
		if s.inline {
			break
		}
	}
}

// maxBlock is how many tokens before an exit are looked at.
const maxBlock = 400

// psRefuses reports whether the exit at i follows a message on standard error in
// its block, and the block is no handler of errors.
func psRefuses(all []token, i int) bool {
	depth, warned, said := 0, false, ""
	last := max(0, i-maxBlock)
	for i--; i >= last; i-- {
		t := all[i]
		switch {
		case t.str:
			said = joined(t.value(), said)
		case t.text == "}":
			depth++
		case t.text == "{" && depth > 0:
			depth--
		case t.text == "{":
			return warned && !isTrouble(said) && !psHandles(all, i)
		case depth == 0 && (strings.EqualFold(t.text, "Write-Error") || strings.Contains(t.text, "::Error")):
			warned = true
		}
	}
	return false
}

// psHandles reports whether the block that begins at i is a handler of errors,
// asks whether something is there, or is a function that no verdict names.
func psHandles(all []token, i int) bool {
	last := max(0, i-maxBlock)
	for i--; i >= last && all[i].text != "}" && all[i].text != "{" && all[i].text != ";"; i-- {
		switch word := strings.ToLower(all[i].text); {
		case slices.Contains([]string{"catch", "trap", "finally", "test-path", "get-command"}, word):
			return true
		case word == "function" && i+1 < len(all):
			return !isVerdict(all[i+1].text)
		}
		if all[i].indent >= 0 {
			return false
		}
	}
	return false
}

// psReads are the ways in which a script of PowerShell reads standard input.
var psReads = regexp.MustCompile(`(?i)\$input\b|Console\]::In\b|OpenStandardInput|Read-Host|ReadLine|ReadToEnd|ValueFromPipeline|/dev/stdin`)

// powershellStdin looks for the call in variables that hosts do not set.
func (v *view) powershellStdin(s *script) {
	text := string(s.text)
	if psReads.MatchString(text) {
		return
	}
	all := psTokens(text)
	for _, t := range all {
		if t.str && strings.HasPrefix(t.text, "'") {
			continue
		}
		for _, m := range psEnv.FindAllStringSubmatchIndex(t.text, -1) {
			if name := t.text[m[2]:m[3]]; neverSet.MatchString(strings.ToUpper(name)) {
				v.add(*v.report("stdin-unread", s.position(t.at+m[0]),
					"read the call: $call = $input | Out-String | ConvertFrom-Json",
					"$env:%s is set by nothing, and standard input is not read", name))
				return
			}
		}
	}
	for i, t := range all {
		if !t.str && strings.EqualFold(t.text, "exit") && i+1 < len(all) && all[i+1].text == "2" && !psStarts(all) {
			v.decidesBlindly(s)
			return
		}
	}
}

var psEnv = regexp.MustCompile(`(?i)\$\{?env:(\w+)`)

// psStarts reports whether a program starts others, which may read.
func psStarts(all []token) bool {
	return slices.ContainsFunc(psCalls(all), func(c psCall) bool {
		text, _ := psText(c.words[0], nil)
		return text == "" || !isCmdlet(text)
	})
}

// psDownloads are the commands that print what a server sends.
var psDownloads = strings.Fields("iwr irm curl wget invoke-webrequest invoke-restmethod curl.exe wget.exe")

// powershellLaunchers looks for programs that run what a registry or a server
// has now.
func (v *view) powershellLaunchers(s *script) {
	calls := psCalls(psTokens(string(s.text)))
	for i, c := range calls {
		words, _ := c.texts(nil)
		words[0] = strings.TrimSuffix(strings.TrimSuffix(words[0], ".cmd"), ".exe")
		v.launcher(s.position(c.words[0].at), words)
		if n := c.name(); n != "iex" && n != "invoke-expression" {
			continue
		}
		sent := c.piped && i > 0 && slices.Contains(psDownloads, calls[i-1].name()) ||
			len(c.words) == 1 && i+1 < len(calls) && slices.Contains(psDownloads, calls[i+1].name()) ||
			slices.ContainsFunc(c.words[1:], psFetches) || len(c.words) == 1 && i+2 < len(calls) && psDownloader(calls[i+1:i+3])
		if sent {
			v.unpinned(s.position(c.words[0].at), Warning, runDownloaded, "what a server sends is run as it comes")
		}
	}
}

// psFetches reports whether a string has a command in it that downloads.
func psFetches(t token) bool {
	return t.str && (strings.Contains(t.text, "DownloadString") || slices.ContainsFunc(psCalls(psTokens(t.value())), func(c psCall) bool {
		return slices.Contains(psDownloads, c.name())
	}))
}

// psDownloader reports whether commands are those of
// (New-Object Net.WebClient).DownloadString(…).
func psDownloader(calls []psCall) bool {
	return calls[0].name() == "new-object" && strings.Contains(calls[1].words[0].text, "DownloadString")
}
