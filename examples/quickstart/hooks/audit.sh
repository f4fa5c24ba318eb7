#!/bin/bash
# Looks at every tool call, and tells the user about it.
call=$(cat)
tool=${call##*'"tool_name":"'}
echo "{\"systemMessage\": \"audit: ${tool%%\"*} was asked for\"}"
