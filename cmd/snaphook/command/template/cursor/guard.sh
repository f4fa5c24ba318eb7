#!/bin/sh
# Refuses forced pushes. The command comes as JSON on standard input.
call=$(cat)
case $call in
*"git push"*--force*)
	echo "a forced push is for a person to do: ask the user" >&2
	exit 2 # refuse, with the reason above
	;;
esac
echo '{}' # nothing to say: Cursor takes silence for a failure
