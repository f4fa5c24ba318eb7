#!/usr/bin/env python3
"""A guard that stays up: it refuses commands that write below /etc."""
import json
import sys

from snaphook_worker import serve


def main():
    call = json.load(sys.stdin)
    if "/etc/" in call.get("tool_input", {}).get("command", ""):
        print("writing to /etc is prohibited", file=sys.stderr)
        sys.exit(2)


serve(main)
