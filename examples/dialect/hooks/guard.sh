#!/bin/bash
input=$(cat)
case $input in
*'"rm"'*)
	echo '{"verdict": "no", "because": "nothing is removed here"}'
	;;
*'"shutdown"'*)
	echo "the machine stays on" >&2
	exit 49
	;;
esac
