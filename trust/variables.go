package trust

import (
	"slices"
	"strings"
)

// variables holds the values that a text assigns to each variable; nil means that the values are not known.
type variables map[string][]string

// set adds a possible value of a variable; known is false if it may have others.
func (v variables) set(name, value string, known bool) {
	values, assigned := v[name]
	switch {
	case !known || assigned && values == nil || len(values) >= mostValues || computed[name]:
		v[name] = nil
	case !slices.Contains(values, value):
		v[name] = append(slices.Clone(values), value)
	}
}

// computed lists variables that a shell computes. An assignment does not decide their values.
var computed = set("BASH_ARGC BASH_ARGV BASH_ARGV0 BASH_COMMAND BASH_LINENO BASH_SOURCE BASH_SUBSHELL BASH_VERSINFO BASHOPTS " +
	"BASHPID COMP_CWORD COMP_LINE COMP_POINT COMP_WORDS DIRSTACK EPOCHREALTIME EPOCHSECONDS EUID FUNCNAME GROUPS HISTCMD " +
	"LINENO MAPFILE OLDPWD OPTARG OPTIND PIPESTATUS PPID RANDOM REPLY SECONDS SHELLOPTS SHLVL SRANDOM UID _ BASH_REMATCH " +
	"COPROC PWD BASH BASH_VERSION BASH_EXECUTION_STRING")

// count returns the number of possible values, which grows with each new value.
func (v variables) count() (n int) {
	for _, values := range v {
		if n += len(values); values == nil {
			n += mostValues + 1
		}
	}
	return n
}

// loading lists variables that make known programs load files, or from which known programs read options. loadingKinds
// lists prefixes of such variables.
var (
	loading = set("PATH BASH_ENV ENV PROMPT_COMMAND PS4 SHELLOPTS BASHOPTS AWKPATH AWKLIBPATH GCONV_PATH LOCPATH NLSPATH " +
		"OPENSSL_CONF OPENSSL_MODULES OPENSSL_ENGINES RIPGREP_CONFIG_PATH GREP_OPTIONS JQ_LIBRARY_PATH CDPATH POSIXLY_CORRECT " +
		"BASH_CMDS BASH_ALIASES OLDPWD PS0 PS1 PS2")
	loadingKinds = []string{"LD_", "DYLD_", "PYTHON", "GIT_", "NODE_", "BASH_FUNC_", "PERL", "RUBY"}
)

// loads reports whether programs load files named by a variable, or read options from it.
func loads(name string) bool {
	begins := func(kind string) bool { return strings.HasPrefix(name, kind) }
	return loading[name] || slices.ContainsFunc(loadingKinds, begins)
}

// folders reports whether a variable contains only folders.
func folders(name string) bool {
	return strings.HasSuffix(name, "PATH") || strings.HasSuffix(name, "LIB")
}

// harmless lists variables for which loads returns true, but whose values are assumed to make no program load a file.
var harmless = set("PYTHONUNBUFFERED PYTHONIOENCODING PYTHONUTF8 PYTHONDONTWRITEBYTECODE PYTHONHASHSEED PYTHONNOUSERSITE PYTHONSAFEPATH GIT_WORK_TREE GIT_OPTIONAL_LOCKS GIT_PAGER_IN_USE GIT_TERMINAL_PROMPT GIT_AUTHOR_NAME GIT_AUTHOR_EMAIL GIT_COMMITTER_NAME GIT_COMMITTER_EMAIL NODE_ENV NODE_NO_WARNINGS NODE_DEBUG NODE_DISABLE_COLORS")

// configuring lists variables that name a folder of settings, and starting lists variables that name a program. Some
// known programs start a program that such settings or variables name.
var (
	configuring = set("HOME XDG_CONFIG_HOME ZDOTDIR GH_CONFIG_DIR CURL_HOME")
	starting    = set("SHELL EDITOR VISUAL PAGER BROWSER GREP SUDO_ASKPASS")
)

// configures reports whether a variable is in configuring or starting.
func configures(name string) bool { return configuring[name] || starting[name] }
