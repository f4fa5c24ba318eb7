package lint

var ruleColdScript = Rule{
	ID: "cold-script", Severity: Note, look: coldScript,
	Doc: "The shell that runs in the host's process leaves the hook's script to bash.",
	Why: "A guard of [the commands that the shell in the process knows](warm.md) takes a hundredth of the time that bash " +
		"takes. The finding names the first line that only bash runs. A script that needs that line is best left as it is.",
	Mistake: `declare -A denied=([main]=1); [[ ${denied[$branch]-} ]] && exit 2`,
	Fix:     `case $branch in main) exit 2 ;; esac`,
}

// coldScript reports shell scripts that the engine cannot run in its own process.
func coldScript(v *hookView) {
	if s, _, why := keepWarm(v); s != nil && why != "" && s.lang == langShell {
		v.add(*v.report("cold-script", v.h.Position, "write that line another way, or leave the script to bash",
			"this hook starts bash for each %s: %s", v.event.Name, why))
	}
}
