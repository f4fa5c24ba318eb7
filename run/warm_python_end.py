# The end of a warm Python script. After atexit an interpreter takes itself apart:
# modules are cleared, objects end, libraries too. That takes longer than most hooks
# run, and hardly ever has an effect. This file finds out with which status the
# script has ended, and whether anything would still have an effect. If nothing
# would, the process ends at once; in doubt it ends as always.
#
# What would have an effect: __del__, a generator that is suspended, a callback of
# a weak reference, a file that is open, a library in C that is not known to do
# nothing at its end, an audit hook, other threads, options that print something.
import sys


def watched_end():
    """Returns two functions: remember() is called whenever modules have been loaded
    in advance; end() when all other functions of atexit have been called, and returns
    if the interpreter has to end as always, with whether the script has called
    gc.freeze. And those functions that have been registered before and have to be
    again, after the one that calls end()."""
    import _codecs
    import _functools
    import _io
    import _operator
    import _socket
    import _thread
    import _warnings
    import _weakref
    import atexit
    import gc
    import itertools
    import os

    main_thread, library = _thread.get_ident(), os.path.dirname(os.__file__) + os.sep
    main = _weakref.ref(sys.modules["__main__"])  # as nothing else may keep it
    out, err, excepthook = sys.stdout, sys.stderr, sys.excepthook
    streams = [s for text in (sys.stdin, out, err) if text is not None for s in (text, text.buffer, getattr(text.buffer, "raw", None))]
    statuses = []  # of the SystemExit that the interpreter has handled
    hooked = []  # there is an audit hook
    loaded = set()  # names of modules that are known to have no end of their own
    classes = []  # the names of each class that has had objects before the script
    begun = []  # objects whose end would have an effect, from before the script
    quiet = False  # nothing that was there before the script has an effect at the end
    canary = []  # an object that the collector shows, unless the script hides its own with gc.freeze
    memory_files = (_io.StringIO, _io.BytesIO)
    files = memory_files + (_io.FileIO, _io.BufferedReader, _io.BufferedWriter, _io.BufferedRandom, _io.BufferedRWPair, _io.TextIOWrapper)

    async def coroutine():
        pass

    async def stream():
        yield

    unused = coroutine()
    unused.close()
    generators = {type(i for i in ()): "gi", type(unused): "cr", type(stream()): "ag"}
    python_function, c_function = type(coroutine), type(len)
    raise_it = _codecs.lookup_error("strict")
    weak = (_weakref.ReferenceType, _weakref.ProxyType, _weakref.CallableProxyType)
    shows = sys.flags.verbose or sys.flags.inspect or sys.flags.dev_mode or not (3, 10) <= sys.version_info < (3, 14)
    foreign = any(n in os.environ for n in ("LD_PRELOAD", "LD_AUDIT", "PYTHONMALLOCSTATS", "PYTHONDUMPREFS", "PYTHONINSPECT"))

    class Code:
        # SystemExit.code. The interpreter reads it, below all frames, to end.
        def __get__(self, error, owner=None):
            if error is None:
                return code
            status = code.__get__(error, owner)
            if not hooked and get_frame().f_back is None and _thread.get_ident() == main_thread:
                statuses.append(status)
            return status

        def __set__(self, error, status):
            code.__set__(error, status)

        def __delete__(self, error):
            code.__delete__(error)

    class Builtin(_functools.partial):
        # Stands for a function of sys, and looks like it.
        def __repr__(self):
            return "<built-in function %s>" % self.__name__

        def __reduce__(self):
            return self.__name__

    def builtin(was, *call):
        function = Builtin(*call)
        for name in ("__name__", "__qualname__", "__module__", "__doc__", "__self__", "__text_signature__"):
            setattr(function, name, getattr(was, name))
        setattr(sys, was.__name__, function)

    class Steps:
        # What sys.exit goes through: after set_status has had the first step, the second
        # raises what it has left, from C, so that no frame of this file is in a traceback.
        def __iter__(self):
            errors, statuses = [SystemExit()], []
            return itertools.chain(((errors, statuses),), map(raise_it, iter(errors.pop, None)), map(exit, statuses))

    def set_status(status, step):
        if isinstance(status, tuple):  # an interpreter that ends prints it, one that catches takes it apart
            step[0][0] = None
            step[1].append(status)
        elif isinstance(status, SystemExit):
            step[0][0] = status
        elif status is not None:
            step[0][0] = SystemExit(status)

    def add_audit_hook(hook):
        hooked.append(True)
        return addaudithook(hook)

    addaudithook, exit, module_type = sys.addaudithook, sys.exit, type(sys)
    names = gc.get_referents(SystemExit.__dict__)[0]
    code = names["code"]
    names["code"] = Code()
    builtin(addaudithook, add_audit_hook)
    if sys.version_info < (3, 12):  # before, the interpreter has no SystemExit to read the code of
        builtin(exit, _functools.reduce, set_status, Steps())
    watched = sys.addaudithook, sys.exit
    fields, fstat, getpid = _operator.attrgetter("st_dev", "st_ino"), os.fstat, os.getpid
    close, listdir, os_open, sched_yield, write = os.close, os.listdir, os.open, os.sched_yield, os.write
    get_objects, get_referents, get_frame, leave = gc.get_objects, gc.get_referents, sys._getframe, os._exit

    class Any:
        # Equal to nothing; it sees what atexit compares it with.
        def __eq__(self, function):
            registered.append(function)
            return False

    registered = []
    atexit.unregister(Any())  # .pth files have registered them
    for function in registered:
        known = getattr(sys.modules.get(function.__module__), function.__name__, None) is function
        if not known or function.__module__ + "." + function.__name__ not in QUIET_ATEXIT:
            foreign = True
    earlier = [] if foreign else registered
    for function in earlier:
        atexit.unregister(function)

    def attribute(o, name):
        # As getattr, but asks no code of a user: a module may be loaded when it is asked.
        try:
            return object.__getattribute__(o, name)
        except AttributeError:
            return None

    def has_end(kind):
        if type(kind) is type:
            return hasattr(kind, "__del__")
        try:
            type.__getattribute__(kind, "__del__")
        except AttributeError:
            return False
        return True

    def harmless(name, module):
        # Written in Python, or in C and known to do nothing at the end.
        spec = attribute(module, "__spec__")
        origin = getattr(spec, "origin", None)
        if origin == "built-in":  # in some interpreters all of them are
            return spec.name in QUIET_LIBRARY
        origin = origin or attribute(module, "__file__")
        if origin is None or origin.endswith((".py", ".pyc", "frozen")):
            return True
        path, file = os.path.split(origin)
        stem = file.partition(".")[0]
        return (stem in QUIET_LIBRARY if path.endswith("lib-dynload")
                else stem.endswith("__mypyc") or os.path.basename(path) in QUIET_PACKAGES or stem in QUIET_PACKAGES)

    def loud(objects):
        # Those whose end would have an effect now.
        found = []
        for kind in set(map(type, objects)):
            if has_end(kind) and kind not in memory_files:
                found += [o for o in objects if type(o) is kind and not ended(o)]
            elif issubclass(kind, weak):
                found += [o for o in objects if type(o) is kind and not all(map(plain_callback, get_referents(o)))]
            elif issubclass(kind, type):
                found += [o for o in objects if type(o) is kind and hidden(o)]
            elif kind is module_type:  # those that are not in sys.modules
                found += [o for o in objects if type(o) is kind and not harmless(None, o)]
        return found

    def hidden(c):
        # A class with __del__ whose objects the collector does not know.
        return has_end(c) and not c.__flags__ & 1 << 14 and c.__module__ != "posix"

    def ended(o):
        kind = type(o)
        if kind in generators:
            prefix = generators[kind]
            frame = getattr(o, prefix + "_frame")
            if frame is None or prefix == "cr":  # one that is not awaited causes a warning
                return frame is None
            return not getattr(o, prefix + "_suspended", frame.f_lasti >= 0)
        if kind is _socket.socket:  # the resident interpreter's own have been detached
            return o.fileno() < 0
        return kind in files and (o.closed is True or any(o is s for s in streams))

    def plain_callback(callback):
        if type(callback) is c_function:
            return callback.__name__ in QUIET_C_CALLBACKS
        owner = callback if isinstance(callback, python_function) else type(callback)
        return owner.__module__ in QUIET_CALLBACKS

    def warns():
        # Whether a ResourceWarning is shown: some objects of C that the collector does not know cause one.
        for action, message, category, module, line in getattr(sys.modules.get("warnings"), "filters", _warnings.filters):
            if issubclass(ResourceWarning, category):
                return action != "ignore" or message is not None or module is not None or line
        return True

    def remember():
        nonlocal quiet
        loaded.clear()
        loaded.update(name for name, module in sys.modules.items() if harmless(name, module))
        del classes[:]
        objects = gc.get_objects()
        found = [o for o in objects if isinstance(o, type) and o.__flags__ & 1 << 9]
        begun[:] = loud([o for o in objects if not isinstance(o, type)])
        quiet = (not (shows or foreign) and len(loaded) == len(sys.modules)
                 and not any(map(hidden, found)))
        kinds = set(map(type, objects))
        kinds.update(c for c in found if not c.__flags__ & 1 << 14)  # the collector knows none of their objects
        kinds = {base for kind in kinds for base in kind.__mro__ if base.__flags__ & 3 << 8 == 1 << 9}  # that can be changed
        classes.extend(gc.get_referents(c.__dict__)[0] for c in kinds if "__del__" not in c.__dict__)
        gc.freeze()
        canary[:] = [[]]

    def status():
        # The exit status; None if it is not known for certain.
        module = main()
        if module is None or sys.modules.get("__main__") is not module:
            return None  # the script has put another one there
        names = module.__dict__
        if getattr(names.get("__loader__"), "path", None) is None:
            return None  # the script has not begun
        if (sys.addaudithook, sys.exit) != watched:
            return None  # the script has loaded sys again
        if any(hasattr(sys, name) for name in ("last_type", "last_value", "last_traceback", "last_exc")) or sys.excepthook is not excepthook:
            return None  # an exception has ended it
        if not statuses:
            # With a class of its own the script may have ended in another way.
            unsure = "__file__" in names or "__cached__" in names or SystemExit.__subclasses__()
            return None if unsure or names_excepthook(names["__loader__"].path) else 0
        end = statuses[0]
        if len(statuses) > 1:
            return None
        if end is None:
            return 0
        if type(end) is str:
            return 1
        return end if type(end) is int and 0 <= end <= 255 else None

    def names_excepthook(script):
        # Whether a file of the project names what may hide an exception that has ended the script.
        files = [script]
        for name, module in list(sys.modules.items()):
            path = attribute(module, "__file__") if name not in loaded and name != "__main__" else None
            if path and path.endswith(".py") and not path.startswith(library) and "-packages" + os.sep not in path:
                files.append(path)
        for path in files:
            with _io.FileIO(path) as file:
                if b"excepthook" in file.readall():
                    return True
        return False

    def unseen(number):
        # Whether nothing more can be seen of the process but its exit status.
        if number is None or not quiet or hooked or gc.get_debug() or gc.callbacks:
            return False
        if sys.stdout is not out or sys.stderr is not err or len(out.__dict__) > 1 or len(err.__dict__) > 1:
            return False
        if len(sys._current_frames()) > 1 or _thread._count() or warns():
            return False
        if any(map(has_end, set(map(type, sys.modules.values())))):
            return False
        for name in list(sys.modules):
            if name not in loaded and name != "__main__" and not harmless(name, sys.modules[name]):
                return False
        if any(map(dict.__contains__, classes, itertools.repeat("__del__"))):
            return False
        objects = get_objects()
        if not any(o is canary[0] for o in objects) or loud(objects) or not all(map(ended, begun)):
            return False
        try:
            for stream in (out, err):
                if not stream.closed:
                    stream.flush()
        except Exception:
            return False  # the interpreter will say so
        return True

    def tell(number, pid, path, pipe):
        # Tells with which status the process ends, before the kernel takes its memory
        # apart. What others may wait for is free before: files, locks, sockets.
        try:
            if getpid() != pid:
                return
            fd = os_open(path, 1)
            if fields(fstat(fd)) != pipe:
                return
            for name in listdir("/proc/self/fd"):
                if int(name) != fd:
                    try:
                        close(int(name))
                    except OSError:
                        pass  # it was that of the directory
            write(fd, b"f%d\n" % (number << 8))
            sched_yield()  # to whom it has told
        except OSError:
            pass  # the resident interpreter tells it

    def end(*report):
        nonlocal out, err
        try:
            number = status()
            at_once = unseen(number) and get_frame(1).f_back is None  # nothing but the interpreter calls this
        except Exception:
            at_once = False
        if at_once:
            if report:
                tell(number, *report)
            leave(number)
        hidden_objects = not hooked and not any(o is canary[0] for o in get_objects())
        out = err = None
        for kept in (streams, classes, begun):
            kept.clear()
        return hidden_objects

    return remember, end, earlier


# Modules in C of the standard library without an end that can be seen.
QUIET_LIBRARY = set("""
_abc _ast _asyncio _bisect _blake2 _bz2 _codecs _codecs_cn _codecs_hk _codecs_iso2022 _codecs_jp _codecs_kr
_codecs_tw _collections _contextvars _crypt _csv _datetime _decimal _elementtree _functools _hashlib _heapq
_hmac _imp _io _json _locale _lzma _md5 _multibytecodec _multiprocessing _opcode _operator _pickle _posixshmem
_posixsubprocess _queue _random _sha1 _sha2 _sha256 _sha3 _sha512 _signal _socket _sre _ssl _stat _statistics
_string _struct _suggestions _symtable _sysconfig _thread _tokenize _tracemalloc _types _typing _uuid
_warnings _weakref _zoneinfo array atexit binascii builtins cmath errno fcntl gc grp itertools marshal math
mmap posix pwd pyexpat resource select sys syslog termios time unicodedata zlib
""".split())

# What is registered at the start of an interpreter, without arguments.
QUIET_ATEXIT = {"certifi.core.exit_cacert_ctx", "logging.shutdown"}

# Modules whose callbacks of weak references remove an entry of a table.
QUIET_CALLBACKS = {"_frozen_importlib", "_weakrefset", "importlib._bootstrap", "logging", "weakref"}

# The same in C, of abc and of threading.local.
QUIET_C_CALLBACKS = {"_destroy", "_localdummy_destroyed", "clear_locals"}

# Packages, or modules of their own, with parts in C of which the same is true.
QUIET_PACKAGES = {"yaml", "_yaml", "charset_normalizer", "markupsafe", "simplejson", "regex", "orjson", "rpds", "pydantic_core", "msgpack"}
