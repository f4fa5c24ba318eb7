#!/bin/bash
# Refuses to let a tool write below /etc. Exit status 2 refuses; standard error
# is the reason, which the model gets to see in place of the tool's result. Tools call the
# argument path or file_path.
call=$(cat)
if [[ $call == *'path":"/etc/'* ]]; then
	echo "writing to /etc is prohibited" >&2
	exit 2
fi
