package permission

import (
	"testing"

	"github.com/snaphook-go/snaphook/wire"
)

// No trick of PowerShell gets past a rule: every command of the first table may do the action
// that the rule is about.
func TestNoTrickOfPowerShellGetsPastARule(t *testing.T) {
	tried := 0
	for pattern, commands := range map[string][]string{
		"Remove-Item *": {
			"& \"Remove-$x\" y", "& \"$x\" y", "&\"$x\" y", "& \"Remove`u{2d}Item\" y", "& \"`u{52}emove-Item\" y", "& \"Remove-$('Item')\" y",
			"& (Get-Command Remove-Item) y", "Get-Command Remove-Item | % { & $_ y }", "% { Remove-Item y }", "Start-Job { Remove-Item y }", "&Remove-Item y",
			"function f { Remove-Item y }; f", "filter f { ri $_ }; 'y' | f", "switch (1) { 1 { Remove-Item y } }", "try { ri y } catch {}", "do { ri y } while ($false)",
			"while (Remove-Item y) {}", "if (ri y) {}", "for (;ri y;) {}", "@(ri y)", "$(ri y)", "@{a = ri y}", "@{a=ri y}", "$x += ri y", "$x ??= ri y", "$a, $b = ri y",
			"[string]$x = ri y", ",(ri y)", "!(ri y)", "-not (ri y)", "return(ri y)", "ri -Path:y", "ri;", "Remove-Item{y}", "Remove-Item(y)", "Remove-Item\ty", "Remove-Item\fy",
			"& 'Microsoft.PowerShell.Management\\Remove-Item' y", "New-PSDrive q Alias ''; ni q:z -Value Remove-Item; z y", "ndr q Function ''; sc q:z 'Remove-Item y'; z",
			"[pscustomobject]@{CommandLine='Remove-Item y'} | Add-History; r", "Invoke-History 3", "ihy", "trap { ri y }; throw 1", "Measure-Command { ri y }",
			"'y' | Remove-Item", "'y'|ri", "(gi y)|ri", "gci y |\nri", "gci y `\n| ri", "a && ri y", "a || ri y", "a & ri y", "[void](ri y)", "$null = ri y", "ri y | Out-Null",
			"ri y > $null", "-join (ri y)", "$x.Where({ri y})", "& { param($c) & $c y } ri", "& { param($c) . $c y } 'ri'", "powershell { ri y }", "$x[(ri y)]", "switch -regex (ri y) {}",
			"param($x = (ri y))", "process{ri y}", "class A { A() { ri y } }", "New-Item alias:z -Value Remove-Item; z y", "sl alias:; ni z -value ri; z y", "$alias:z = 'ri'; z y",
			"$function:z = 'ri y'; z", "Rename-Item alias:rm z; z y", "$ExecutionContext.InvokeCommand.InvokeScript('ri y')", "[powershell]::Create().AddScript('ri y').Invoke()",
			"1;ri y", "1,2|ri", "REMOVE-ITEM y", "rEmOvE-iTeM y", "del y", "erase y", "rd y", "rmdir y", "a\u2028ri y", "ri\u200by", "Remove\u2011Item y", "workflow w { ri y }; w",
			"i`ex 'ri y'", "& i\"e\"x 'ri y'", "set-al`ias z remove-item; z y", "sa''l z ri; z y", "$ExecutionContext.InvokeCommand | % InvokeScript 'ri y'",
			"$ExecutionContext.InvokeCommand.('Invoke'+'Script')('r'+'i y')", "(gv exec*).Value.InvokeCommand.$m('ri y')", "(gv exec*).Value.\"$m\"('ri y')",
			"(gv exec*).Value.InvokeCommand | % ('Invoke'+'Script') 'ri y'", "'ri y' | % ([scriptblock]::('Cre'+'ate'))", "[scriptblock]::$c('ri y')",
			"si ('al'+'ias:zz') ('remove'+'-item'); zz y", "si \"$a`:zz\" ri; zz y", "si -pa $p ri; zz y", "ni $p -Value ri; zz y", "ni -va ri $p; zz y", "'ri' | ni $p; zz y",
			"sc ('func'+'tion:zz') 'ri y'; zz", "sc -Path ($a+$b) 'ri y'; zz", "ni ali`as:z -Value ri; z y", "return . ri y", "throw . 'ri' y", "foreach ($i in . ri y) {}",
			"\"a`\"\"; ri y", "'a`'; ri y", "'a''b'; ri y", "\"a\"\"b\"; ri y", "echo `\"; ri y", "a; # x\nri y", "a `; b; ri y",
		},
		"git push *": {
			"git ('pu' + 'sh') x", "git (echo push) x", "git ((echo push)) x", "git('push')", "git $('push') x", "git @('push')", "git @a", "git $a", "git \"$a\" x", "git \"pu$a\" x",
			"git \"pu`u{73}h\" x", "git pu`sh x", "git p'us'h x", "git 'push' x", "git \"push\" x", "& git push x", "& 'git' push x", "& \"git\" push x", "& \"g$x\" push y", "git.exe push x",
			"& 'git.EXE' push x", "C:\\bin\\git.cmd push x", "git p* x", "git [p]ush x", "git p?sh x", "x; git push y", "x | git push y", "if (1) { git push y }", "$x = git push y", "git  push  y",
			"git\tpush y", "git push", "git push>x", "2>&1 git push y", "git 2>&1 push y", "git `\npush y", "GIT PUSH y", "return . git push", "return . 'git' push", "exit . git push", "!. git push", "git pu\u2019sh", "git {push} x",
		},
		"Get-Content *": {"content secret", "CONTENT secret", "x; content y", "& content y", "gc y", "cat y", "return . content y"},
		"git * push *":  {"cd a; git -c a=b push x", "cd a; git -c (b) push x", "if ($x) { git -c (b) push x }", "$y = git -c a=(b) push x"},
	} {
		r := mustParse(t, "PowerShell("+pattern+")")
		for _, command := range commands {
			tried++
			if !r.Match(Call{Tool: "PowerShell", Input: wire.Object(`{"command":` + string(wire.Quote(command)) + `}`)}) {
				t.Errorf("%s does not match %q", r, command)
			}
		}
	}
	for pattern, commands := range map[string][]string{
		"Remove-Item *": {"Get-Item (y)", "$x = @{a = 1}", "if ($x) { Get-Item y }", "& \"Get-Item\" y", "git push y", "Get-ChildItem | Select-Object Name",
			"Set-Content -Path $f -Value x", "Set-Content out.txt (Get-Date)", "New-Item -ItemType Directory -Path $d", "1..(3) | % { $_ }", "gci | % Name", "gci | % { $_.Name }",
			"return .\\a.ps1", "$x.Name", "echo 'a' + 'b'", "$x.Replace('a', $b)",
		},
		"Get-Content *": {"contents x", "git x"},
		"git push *":    {"git pull (x)", "git status", "npm run a=b", "git commit -m (x)", "if ($x) { git pull }", "git.exe pull"},
	} {
		r := mustParse(t, "PowerShell("+pattern+")")
		for _, command := range commands {
			if r.Match(Call{Tool: "PowerShell", Input: wire.Object(`{"command":` + string(wire.Quote(command)) + `}`)}) {
				t.Errorf("%s matches %q, which has nothing of it", r, command)
			}
		}
	}
	t.Logf("%d tricks", tried)
}
