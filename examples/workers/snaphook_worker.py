"""Turns a hook written in Python into a worker of snaphook:
    from snaphook_worker import serve
    serve(main)                 # main() reads sys.stdin, prints, and exits as before
    handle(check, threads=8)    # check(payload) returns an answer, or None
"""
import concurrent.futures
import contextlib
import io
import json
import os
import sys
import threading
import traceback

def serve(main):
    """Runs main() for each call, with its standard input, environment and directory."""
    def call(c):
        out, err, status = io.StringIO(), io.StringIO(), 0
        before, sys.stdin = dict(os.environ), io.StringIO(json.dumps(c["payload"]))
        os.environ.update(c["env"])
        os.chdir(c["cwd"])
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            try:
                main()
            except SystemExit as e:
                status = e.code if isinstance(e.code, int) else int(e.code is not None)
                if e.code is not None and not isinstance(e.code, int):
                    print(e.code, file=sys.stderr)
            except Exception:
                traceback.print_exc()
                status = 1
        os.environ.clear()
        os.environ.update(before)
        return {"exit": status & 255, "stdout": out.getvalue(), "stderr": err.getvalue()}
    _loop(call, 1)

def handle(answer, threads=1):
    """Calls answer(payload) for each call. An exception is a failure: status 1."""
    def call(c):
        try:
            return {"output": answer(c["payload"])}
        except Exception:
            return {"exit": 1, "stderr": traceback.format_exc()}
    _loop(call, threads)

def _loop(call, threads):
    wire, lock = os.fdopen(os.dup(1), "w", encoding="utf-8"), threading.Lock()
    os.dup2(2, 1)  # what is printed outside a call goes to the log

    def run(c):
        line = json.dumps({"id": c["id"], **call(c)})
        with lock:
            print(line, file=wire, flush=True)
    print(json.dumps({"ready": {"concurrency": threads}}), file=wire, flush=True)
    with concurrent.futures.ThreadPoolExecutor(threads) as pool:
        for line in sys.__stdin__:
            c = json.loads(line)
            if "cancel" not in c:  # a call that is cancelled ends by itself
                run(c) if threads == 1 else pool.submit(run, c)
