package trust

import (
	"strings"
)

// clearPrograms lists programs that run no other program and load no code, unless an argument begins with one of the
// texts listed for the program. A program that is not listed, and has no rule of its own in known, makes its hook
// unclear.
var clearPrograms = func() map[string][]string {
	all := map[string][]string{
		"sort": {"--compress-program"}, "split": {"--filter"}, "enable": {"-f"}, "hash": {"-p"}, "compgen": {"-C", "-F"},
		"alias": {"-"}, "date": {}, "rg": {"--pre", "--hostname-bin"},
		"fd": {"-x", "-X", "--exec"}, "curl": {"--engine", "-K", "--config"}, "gh": {"ext", "alias"}, "jobs": {"-x"},
		"install": {"--strip-program"}, "terminal-notifier": {"-execute"},
	}
	for name := range strings.FieldsSeq(`
		: [ true false test echo printf exit return break continue local declare typeset export readonly set
		unset shift wait jobs kill sleep umask ulimit pwd popd dirs type times let logout disown suspend fg bg
		caller cat tac head tail wc cut tr uniq paste join comm rev nl seq basename dirname realpath readlink
		stat ls file du df id whoami groups hostname uname arch nproc ps pgrep pkill killall which whereis md5sum
		sha1sum sha224sum sha256sum sha384sum sha512sum shasum md5 cksum sum b2sum base32 base64 od xxd hexdump
		strings grep egrep fgrep zgrep diff cmp expr bc factor mktemp yes column fold fmt expand unexpand pr
		iconv envsubst mkdir rmdir rm touch cp mv ln chmod chown chgrp truncate dd tee sync mkfifo install logger
		notify-send terminal-notifier say afplay paplay aplay tput stty clear tty printenv cal uuidgen getent
		getconf locale lsof uptime free vmstat pidof tree numfmt shuf tsort ptx csplit`) {
		if all[name] == nil {
			all[name] = []string{}
		}
	}
	return all
}()

// harmlessOptions lists the words of shopt and of set that do not change which files a text runs.
var harmlessOptions = map[string]map[string]bool{
	"shopt": set("-s -u -q -p nullglob failglob lastpipe inherit_errexit nocasematch checkwinsize histappend cmdhist huponexit"),
	"set":   set("-o +o -- allexport errexit errtrace functrace monitor noclobber noexec nolog notify nounset onecmd pipefail verbose xtrace"),
}

var (
	// writing lists programs that only write, make or remove the files in their arguments, or whose arguments name no
	// files.
	writing = set("tee touch rm rmdir mkdir logger")

	// readers lists those of clearPrograms that write none of the files in their arguments, or not their text. copying
	// lists programs that write the last one.
	readers = set(`
		: [ true false test echo printf exit return break continue set unset shift wait jobs kill sleep umask ulimit pwd popd
		dirs type times let logout disown suspend fg bg caller cat tac head tail wc cut tr paste join comm rev nl seq basename
		dirname realpath readlink stat ls file du df id whoami groups hostname uname arch nproc ps pgrep pkill killall which
		whereis md5sum sha1sum sha224sum sha256sum sha384sum sha512sum shasum md5 cksum sum b2sum base32 base64 od hexdump
		strings grep egrep fgrep zgrep cmp diff expr bc factor yes fold fmt expand unexpand numfmt tsort mkdir rmdir rm touch
		chmod chown chgrp rg fd sync logger notify-send say afplay paplay aplay tput clear tty printenv cal uuidgen getent
		getconf locale lsof uptime free vmstat pidof alias enable hash compgen local declare typeset export readonly date`)
	copying = set("cp mv ln install")

	// runners lists programs that run code according to the project's configuration. Like all unlisted programs they
	// make a hook unclear; the list makes the reason more specific.
	runners = set(`
		make gmake npm npx pnpm pnpx yarn bunx just task rake gradle gradlew mvn mvnw ant sbt cargo go docker-compose
		pre-commit husky lefthook lint-staged bazel ninja cmake tox nox poetry pipenv uv uvx hatch pdm
		rye composer bundle mix dotnet swift ansible ansible-playbook nix nix-shell direnv devbox turbo nx lerna
		mise asdf invoke inv fab pytest jest vitest mocha eslint prettier biome ruff mypy tsc webpack vite rollup
		rspec rubocop phpunit golangci-lint`)
)

func set(words string) map[string]bool {
	all := map[string]bool{}
	for word := range strings.FieldsSeq(words) {
		all[word] = true
	}
	return all
}
