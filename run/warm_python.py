# The resident interpreter of warm Python hooks. It is found as sitecustomize
# by an interpreter that is started exactly as for the hook: site imports it
# after everything that comes before a script and before the script itself.
# There it waits. For each call it forks; the child returns from this module
# and so becomes an ordinary start of the script, with its argv, its traceback
# and its end. The parent never returns: it must not run the script.
#
# When it has nothing else to do, it forks the children of the next two calls in
# advance, each of which waits for its call on a socket of its own.
#
# Messages are packets on a socket, in: "run", id, flags, directory, ids of calls
# that have told their end, number of the list of files that has been looked at,
# "+NAME=value" or "-NAME" for each variable that differs, with the descriptors of
# standard input, output and error, one for the status, and one on which a byte says
# that none of the files has changed; "kill", id, signal. On the status descriptor:
# "l" if there is another list by now, and no process; "p<pid>", written by the child
# when it leads its process group, "f<wait status>" when its end is certain, "e<wait
# status>" afterwards, or "s<reason>" when there is no process.
import os
import sys

__builtins__ = dict(__builtins__)  # a script may change what is in the other one


# The sitecustomize of Debian and Ubuntu.
APPORT = """# install the apport exception handler if available
try:
    import apport_python_hook
except ImportError:
    pass
else:
    apport_python_hook.install()
"""


def _serve(fd, script, own):
    before = set(sys.modules)
    with open(os.path.join(own, "end.py"), "rb") as f:
        text = {}
        exec(compile(f.read(), "end.py", "exec"), text)
    remember, end_now, earlier = text["watched_end"]()
    import _operator
    import _socket
    import atexit
    import gc
    import select

    mine = {"_functools", "_operator", "_socket", "atexit", "gc", "itertools", "select"} - before
    start = set(sys.modules) - mine
    started = os.listdir("/proc/self/fd")
    inherited = sorted(int(n) for n in started if int(n) > 2 and int(n) != fd and os.path.exists("/proc/self/fd/" + n))
    control = _socket.socket(_socket.AF_UNIX, _socket.SOCK_SEQPACKET, 0, fd)
    poller = select.poll()
    poller.register(fd, select.POLLIN)
    running = {}  # pidfd: [id, pid, status fd, was signalled, learn file]
    files = {}  # path: signature; what was read before the script
    tops = set()  # top-level names of the modules that are loaded in advance
    before_script = {"sitecustomize", "usercustomize", "apport_python_hook"}  # those of them that a folder of a script has no part in
    listed = 0  # the number of the list of these
    offer = True  # modules may be loaded in advance
    waiting = []  # children that have been forked and wait for a call: [pidfd, pid, socket, was told to get ready]
    fork_early = True  # such children can be made
    lasting = {str, bytes, int, float, tuple, dict, type, type(_serve), type(len), type(_serve.__code__), type(str.join), type(str.__add__)}
    report = []  # in a child: its pid, and what tells with which status it ends
    resident = os.getpid()
    pages = []  # an object of each page of memory, of types whose end nobody sees
    rehearsal = """import sys
def f(a, b=1, *c, **d):
    for x in c:
        if x and not a or b != "x" + "%s" % a and x in (1, 2):
            return {k: v for k, v in d.items()}, [y.strip() for y in f"{a} {b!r}"], x["y"][1:], not b
    while a < 0:
        with b as g:
            a += 1
    return "a".join(["b", "c"])
try:
    f(0, k=1)
    raise SystemExit(2)
except (SystemExit, ValueError) as e:
    pass
if __name__ == "__main__":
    class C(object):
        pass
"""

    def last():
        # Runs at the end of a child, after all that the script has asked for.
        frozen = end_now(*report)
        pages.clear()
        if not frozen:
            gc.unfreeze()

    def freeze():
        nonlocal pages
        gc.unfreeze()
        gc.collect()
        found = {}
        objects = gc.get_objects()
        main = sys.modules["__main__"].__dict__  # its end may come early
        for some in (objects, gc.get_referents(*objects)):
            for o in some:
                if type(o) in lasting and o is not main:
                    found.setdefault(id(o) >> 12, o)
        pages = [found[page] for page in sorted(found)]
        del objects, some, o, found, main
        gc.collect()
        remember()

    for function in [last] + earlier:
        atexit.register(function)
    freeze()

    fields = _operator.attrgetter("st_mtime_ns", "st_size", "st_ino", "st_dev")

    def signature(path):
        try:
            return fields(os.stat(path))
        except OSError:
            return None

    def watch(path):
        if path:
            files[path] = signature(path)

    watch(os.path.realpath(sys.executable))
    watch(os.path.join(sys.prefix, "pyvenv.cfg"))
    for folder in sys.path:
        watch(folder if folder.endswith("-packages") else None)
    for name in start:
        watch(getattr(getattr(sys.modules.get(name), "__spec__", None), "origin", None)
              if name not in sys.builtin_module_names else None)
    files.pop("built-in", None)
    files.pop("frozen", None)

    library = os.path.dirname(os.__file__)
    here = os.path.dirname(os.path.realpath(script))
    script = os.path.abspath(script)
    ahead = [here] + sys.path[:sys.path.index(library) if library in sys.path else 0]

    def search():
        # Finds and reads the real sitecustomize, which the child imports next.
        for finder in sys.meta_path:
            if getattr(finder, "__name__", "") == "PathFinder":
                spec = finder.find_spec("sitecustomize", [p for p in sys.path if p in files or p.startswith(library)])
                if spec and spec.loader:
                    spec.loader.get_code(spec.name)

    search()

    def found(name):
        for finder in sys.meta_path:
            spec = finder.find_spec(name, None)
            if spec:
                return spec
        return None

    def runs_nothing():
        # No code of a user runs between this module and the script.
        watch(library)
        site = found("sitecustomize")
        if site:
            watch(site.origin)
            try:
                with open(site.origin) as f:
                    if f.read(1024) != APPORT or found("apport_python_hook"):
                        return False
            except (OSError, TypeError, ValueError):
                return False
        return not found("usercustomize")

    try:
        goes_ahead = runs_nothing() and script not in sys.path and (3, 10) <= sys.version_info < (3, 14)
    except Exception:
        goes_ahead = False  # a finder of an installed package fails

    def publish():
        # Writes what the host looks at before each call: whether files have
        # changed, and whether a folder has what hides a module.
        nonlocal listed
        listed += 1
        items = ["l%d" % listed]
        items += ["f%d %d %d %d %s" % (was + (path,)) if was else "f- " + path for path, was in files.items()]
        items += ["n" + name for name in tops - before_script] + ["c" + name for name in before_script if goes_ahead]
        items += ["s" + ahead[0]] + ["d" + folder for folder in ahead[1:]]
        path = os.path.join(own, "files-%d" % resident)
        try:
            with open(path + ".new", "wb") as f:
                f.write(b"\0".join(map(os.fsencode, items)))
            os.rename(path + ".new", path)
        except OSError:
            pass  # the host finds no list, and replaces this interpreter when its calls have ended

    def load(path):
        # Loads what the script has imported, as far as it is no part of the
        # project: the standard library and installed packages.
        nonlocal offer
        try:
            with open(path) as f:
                lines = f.read().splitlines()
            os.unlink(path)
        except OSError:
            return
        drop(waiting[:])  # they will not have loaded it
        has = [len(os.listdir("/proc/self/" + of)) for of in ("task", "fd")]
        wanted = {line.partition("\t")[0] for line in lines}
        for line in lines:
            name = line.partition("\t")[0]
            if name in sys.modules or name in ("this", "antigravity"):
                continue
            try:
                __import__(name)
            except BaseException:
                sys.modules.pop(name, None)
                continue
        for name, module in list(sys.modules.items()):
            if name in start or name in mine and name not in wanted:
                continue
            tops.add(name.split(".", 1)[0])
            spec = getattr(module, "__spec__", None)
            origin = getattr(spec, "origin", None)
            if origin and origin not in ("built-in", "frozen"):
                watch(origin)
        if has != [len(os.listdir("/proc/self/" + of)) for of in ("task", "fd")]:
            os._exit(76)  # a module that starts threads or opens files cannot be loaded in advance
        freeze()
        publish()
        offer = False

    def isolate(*kept):
        # Closes what the resident interpreter has open, but what the hook inherits.
        # One by one: some Pythons have no better way for all numbers there are.
        control.detach()
        for other in waiting:
            other[2].detach()
        kept = set(inherited).union(kept, range(3))
        for n in map(int, os.listdir("/proc/self/fd")):
            if n not in kept:
                close(n)

    def close(n):
        try:
            os.close(n)
        except OSError:
            pass  # it was that of the directory

    def child(parts, fds):
        flags, folder, number, changes = parts[2], parts[3], parts[4], parts[6:]
        if b"s" in flags:
            os.setsid()
        else:
            os.setpgid(0, 0)
        os.dup2(fds[0], 0)
        os.dup2(fds[1], 1)
        os.dup2(fds[2], 2)
        try:
            os.chdir(folder)  # again: it may not be the one that was there at the fork
        except OSError as e:
            os.write(fds[3], b"s" + os.fsencode(str(e)) + b"\n")
            os._exit(1)
        for change in changes:
            name, _, value = change[1:].partition(b"=")
            if change[:1] == b"+":
                os.environb[name] = value
            else:
                os.environb.pop(name, None)
        pipe = os.fstat(fds[3])
        report[:] = os.getpid(), "/proc/%d/fd/%d" % (resident, int(number)), (pipe.st_dev, pipe.st_ino)
        if not os.read(fds[4], 1):
            os._exit(0)  # a file has changed
        os.write(fds[3], b"p%d\n" % report[0])
        for n in fds:
            os.close(n)
        if b"l" in flags:
            atexit.register(learn, os.path.join(own, "learned-" + os.fsdecode(parts[1])), list(sys.path))

    def receive(channel):
        data, rights, _, _ = channel.recvmsg(1 << 17, 64)
        fds = []
        for level, kind, raw in rights:
            fds += [int.from_bytes(raw[i:i + 4], sys.byteorder) for i in range(0, len(raw) - 3, 4)]
        return data, fds

    def fork_next():
        # Forks the child of a later call, so that the call need not wait for it.
        nonlocal fork_early
        try:
            ours, theirs = _socket.socketpair(_socket.AF_UNIX, _socket.SOCK_SEQPACKET)
            pid = os.fork()
        except OSError:
            fork_early = False
            return False
        if pid == 0:
            ours.detach()
            isolate(theirs.fileno())
            (await_call_before_script if goes_ahead else await_call)(theirs)
            return True
        theirs.close()
        waiting.append([os.pidfd_open(pid, 0), pid, ours, False])
        poller.register(waiting[-1][0], select.POLLIN)
        return False

    def await_call(channel):
        data, fds = receive(channel)
        if data == b"idle":
            touch()
            data, fds = receive(channel)
        if not data:
            os._exit(0)
        channel.close()
        child(data.split(b"\0"), fds)

    def await_call_before_script(channel):
        # Lets the interpreter go on, up to where it asks the path hooks whether the
        # script is a directory or an archive. There it waits.
        hooks = sys.path_hooks[:]

        def answer(path):
            for hook in hooks:
                try:
                    return hook(path)
                except ImportError:
                    pass
            return None

        def wait(path):
            if os.path.abspath(path) == script:
                was, importer = signature(path), answer(path)
                await_call(channel)
                sys.path_hooks[:] = hooks
                if importer is not None or signature(path) != was:
                    getattr(sys.modules.get("zipimport"), "_zip_directory_cache", {}).pop(path, None)  # of the archive that was there
                    importer = answer(path)
            else:
                importer = answer(path)
            if importer is None:
                raise ImportError(path)
            return importer

        sys.path_importer_cache.pop(script, None)
        sys.path_hooks[:] = [wait]

    def touch():
        # Writes to the pages that a script and its end write to, by counting a
        # reference to an object of each, and does once what an interpreter does
        # before the script: the kernel copies and maps now what that takes.
        pages.copy()
        exec(compile(rehearsal, "rehearsal", "exec"), {"__name__": "rehearsal"})
        try:
            search()
            for hook in sys.path_hooks:
                try:
                    hook(os.__file__)
                except ImportError:
                    pass
        except Exception:
            pass

    def hand_over(data, fds):
        # Returns the process that has the call; None if it has to be forked.
        if not waiting:
            return None
        pidfd, pid, channel, _ = waiting.pop(0)
        try:
            channel.sendmsg([data], [(_socket.SOL_SOCKET, _socket.SCM_RIGHTS, b"".join(n.to_bytes(4, sys.byteorder) for n in fds))])
        except OSError:
            collect(pidfd, pid)
            return None
        finally:
            channel.close()
        return pidfd, pid

    def collect(pidfd, pid):
        os.kill(pid, 9)
        os.waitpid(pid, 0)
        poller.unregister(pidfd)
        os.close(pidfd)

    def drop(children):
        for child in children:
            waiting.remove(child)
            child[2].close()
            collect(*child[:2])

    def learn(path, paths):
        installed = tuple(p + os.sep for p in paths if p.endswith("-packages")) if sys.path[1:] == paths or sys.path == paths else ()
        out = []
        for name, module in list(sys.modules.items()):
            try:
                spec = object.__getattribute__(module, "__spec__")  # a module may be loaded when it is asked
            except AttributeError:
                continue
            origin = getattr(spec, "origin", None)
            if name in start or name == "__main__" or not origin or spec.name != name:
                continue
            plain = origin in ("built-in", "frozen")
            if not plain and origin.startswith(here + os.sep):
                continue
            if plain or origin.startswith(installed) or (origin.startswith(library + os.sep) and "-packages" + os.sep not in origin):
                out.append(name + "\t" + origin)
        try:
            with open(path + ".new", "w") as f:
                f.write("\n".join(out))
            os.rename(path + ".new", path)
        except OSError:
            pass

    def end(pidfd):
        ident, pid, status, signalled, learned = running.pop(pidfd)
        if signalled:  # its group is still its own: it has not been collected
            try:
                os.killpg(pid, 9)
            except OSError:
                pass
        code = os.waitpid(pid, 0)[1]
        poller.unregister(pidfd)
        os.close(pidfd)
        tell(status, b"e%d\n" % code)
        if learned and offer:
            load(learned)

    def tell(status, text):
        try:
            os.write(status, text)
        except OSError:
            pass
        os.close(status)

    def leave():
        for ident, pid, status, signalled, learned in running.values():
            try:
                os.killpg(pid, 9)
            except OSError:
                pass
        os._exit(0)

    def run(parts, fds):
        for call in parts[4].split(b","):  # they have ended, and may have to be collected
            for pidfd in [pidfd for pidfd in running if running[pidfd][0] == call]:
                end(pidfd)
        parts[4] = b"%d" % fds[3]
        if int(parts[5]) != listed:
            return tell(fds[3], b"l\n")
        if offer:
            parts[2] += b"l"
        pidfd, pid = hand_over(b"\0".join(parts), fds) or (None, None)
        if pid is None:
            try:
                pid = os.fork()
            except OSError as e:
                return tell(fds[3], b"s" + os.fsencode(str(e)) + b"\n")
            if pid == 0:
                isolate(*fds)
                child(parts, fds)
                return True
            pidfd = os.pidfd_open(pid, 0)
            poller.register(pidfd, select.POLLIN)
        running[pidfd] = [parts[1], pid, fds[3], False, os.path.join(own, "learned-" + os.fsdecode(parts[1])) if offer else None]

    def packet():
        data, fds = receive(control)
        if not data:
            leave()
        parts = data.split(b"\0")
        if parts[0] == b"kill":
            for call in running.values():
                if call[0] == parts[1]:
                    call[3] = True
                    try:
                        os.killpg(call[1], int(parts[2]))
                    except OSError:
                        pass
            return False
        if run(parts, fds):
            return True
        for f in fds[:3] + fds[4:]:
            os.close(f)
        try:
            os.chdir(parts[3])
        except OSError:
            pass  # the call says so
        return False

    def serve():
        # Returns in a child, which goes on to run the script.
        while True:
            # As long as it is not known what the script imports, only when it is
            # idle; and not before the call that has just begun has the processor.
            # The second one when there is nothing else to do.
            unready = [] if running else [child for child in waiting if not child[3]]
            fork = fork_early and not (offer and running) and len(waiting) < (1 if running or unready else 2)
            events = poller.poll(1 if fork or unready else None)
            if not events and unready:
                unready[0][3] = True
                try:
                    unready[0][2].send(b"idle")
                except OSError:
                    pass  # it is dead, and its descriptor will say so
            elif not events and fork and fork_next():
                return
            for ready, _ in events:
                if ready == fd:
                    if packet():
                        return
                elif ready in running:
                    end(ready)
                else:
                    drop([child for child in waiting if child[0] == ready])

    publish()
    serve()
    for name in mine:
        if name not in start and name not in tops:
            sys.modules.pop(name, None)


def _snaphook():
    fd, _, rest = os.environ.pop("SNAPHOOK_WARM").partition(":")
    path, _, script = rest.partition(":")
    if fd == "probe":
        os._exit(77 if hasattr(os, "pidfd_open") and hasattr(sys, "orig_argv") else 1)
    own = os.path.dirname(os.path.abspath(__file__))
    if path == "=":
        del os.environ["PYTHONPATH"]
    else:
        os.environ["PYTHONPATH"] = os.environ["PYTHONPATH"][len(own) + 1:]
    sys.path.remove(own)
    sys.path_importer_cache.pop(own, None)
    os.environb  # made here, not in every child
    _serve(int(fd), script, own)


if "SNAPHOOK_WARM" in os.environ:
    try:
        _snaphook()
    except BaseException as e:
        if os.environ.get("SNAPHOOK_WARM_DEBUG"):
            os.write(2, repr(e).encode())
        os._exit(75)
    del sys.modules["sitecustomize"], _snaphook, _serve, APPORT
    try:
        import sitecustomize
    except ImportError as e:
        raise ImportError(str(e), name=e.name) from None
else:
    raise ImportError("not for this process", name="sitecustomize")
