"""The calls of libacesim by ctypes; see acesim.h for what each of them does.

ctypes releases the lock of the interpreter during a call, so that runs of
several threads proceed at the same time.
"""
import contextlib
import ctypes
import os
import re
import signal
import threading

SONAME = "libacesim.so.0"
RECORD_ATTRIBUTION = 1
RECORD_UTILISATION = 2
FOLDS = {"auto": 0, "off": 1, "require": 2}

_TELL = ctypes.CFUNCTYPE(
    ctypes.c_int, ctypes.c_void_p, ctypes.c_ulonglong, ctypes.c_ulonglong
)


class Error(ValueError):
    """A problem with a file, a value or a run.

    The text has one problem per line, each as "file:line:column: what".  The
    attributes file, line and column are those of the first one, or None.
    """

    def __init__(self, text):
        super().__init__(text)
        place = re.match(r"(.+?):(\d+)(?::(\d+))?: ", text)
        self.file = place.group(1) if place else None
        self.line = int(place.group(2)) if place else None
        self.column = int(place.group(3)) if place and place.group(3) else None


def _find_library():
    """Returns the library of the environment, of the wheel, of the folder into
    which `make install` installs, or else the name that the loader knows."""
    here = os.path.dirname(os.path.abspath(__file__))
    given = os.environ.get("ACESIM_LIBRARY")
    if given:
        return given
    for folder in here, os.path.join(here, "..", ".."):
        path = os.path.join(folder, SONAME)
        if os.path.exists(path):
            return path
    return SONAME


def _open_library():
    try:
        library = ctypes.CDLL(_find_library())
    except OSError as reason:
        raise ImportError(
            f"{reason}; name the file in the environment variable "
            "ACESIM_LIBRARY"
        ) from None
    pointer, text = ctypes.c_void_p, ctypes.c_char_p
    error = ctypes.POINTER(pointer)
    # Texts that a call returns are pointers here, so that they can be freed.
    for name, result, *arguments in (
        ("version", text),
        ("free", None, pointer),
        ("load", pointer, text, error),
        ("run_free", None, pointer),
        ("set", ctypes.c_int, pointer, text, text, error),
        ("set_fold", None, pointer, ctypes.c_int),
        ("set_record", None, pointer, ctypes.c_uint),
        ("set_tell", None, pointer, _TELL, pointer),
        ("simulate", pointer, pointer, error),
        ("result_free", None, pointer),
        ("what_ifs", ctypes.c_int, pointer, _TELL, pointer, error),
        ("html", pointer, pointer, error),
        ("rows", pointer, pointer, text, error),
        ("compare", pointer, text, text, text, text, error),
        ("columns", pointer, text, text, error),
        ("axis", pointer, text, text, error),
        ("solve", pointer, pointer, text, text, text, text, error),
    ):
        function = getattr(library, "acesim_" + name)
        function.restype = result
        function.argtypes = arguments
    return library


_lib = _open_library()


def version():
    """Returns the version of the library."""
    return _lib.acesim_version().decode()


def _bytes(argument):
    return argument.encode() if isinstance(argument, str) else argument


def _call(name, *arguments):
    """Calls a function whose last parameter is an error; raises Error."""
    error = ctypes.c_void_p()
    result = getattr(_lib, "acesim_" + name)(
        *map(_bytes, arguments), ctypes.byref(error)
    )
    if not result:
        raise Error(_take_text(error.value))
    return result


def _take_text(pointer):
    """Returns a text of the library, which is freed."""
    try:
        return ctypes.string_at(pointer).decode("utf-8", "replace")
    finally:
        _lib.acesim_free(pointer)


class _Watch:
    """Passes the progress of a call on, and ends the call when the program is
    interrupted or the function raises.

    Python handles a signal when the main thread executes Python code.  While
    that thread is in the library, this is the first moment of _tell().  An
    exception there would be lost in ctypes, so the handler of SIGINT is called
    by one that keeps its exception until the call has ended.
    """

    def __init__(self, progress, is_stopped):
        self.progress = progress
        self.is_stopped = is_stopped
        self.raised = None
        self.tell = _TELL(self._tell)

    def _tell(self, _, n_done, n_iterations):
        try:
            if self.progress and not self.raised:
                self.progress(n_done, n_iterations)
            is_stopped = self.is_stopped and self.is_stopped()
        except BaseException as raised:
            self.raised = raised
        return int(bool(self.raised or is_stopped))

    @contextlib.contextmanager
    def _keep_interrupts(self):
        handler = signal.getsignal(signal.SIGINT)
        is_main = threading.current_thread() is threading.main_thread()
        if not is_main or not callable(handler):
            yield
            return

        def handle(number, frame):
            try:
                handler(number, frame)
            except BaseException as raised:
                self.raised = raised

        signal.signal(signal.SIGINT, handle)
        try:
            yield
        finally:
            signal.signal(signal.SIGINT, handler)

    def call(self, take, name, *arguments):
        """Does the call, and returns take() of what it returns.  Raises what
        the function of the caller raised."""
        failure = None
        with self._keep_interrupts():
            try:
                result = take(_call(name, *arguments))
            except Error as error:
                failure = error
        # An exception refers to the frames of its traceback; such a cycle
        # would live until the next collection.
        raised, self.raised = self.raised, None
        try:
            if raised or failure:
                raise (raised or failure) from None
        finally:
            raised = failure = None
        return result


class LibraryRun:
    """A run of the library, to be used in a with statement."""

    def __init__(self, path, settings, fold="auto", record=0):
        self._settings = settings
        self._run = _call("load", path)
        _lib.acesim_set_fold(self._run, FOLDS[fold])
        _lib.acesim_set_record(self._run, record)

    def __enter__(self):
        try:
            for key, value in self._settings:
                _call("set", self._run, key, value)
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_):
        _lib.acesim_run_free(self._run)

    def simulate(self, progress=None, is_stopped=None):
        watch = _Watch(progress, is_stopped)
        _lib.acesim_set_tell(self._run, watch.tell, None)
        return watch.call(LibraryResult, "simulate", self._run)

    def solve(self, key, least, most, until, progress=None):
        watch = _Watch(progress, None)
        _lib.acesim_set_tell(self._run, watch.tell, None)
        return watch.call(
            _take_text, "solve", self._run, key, least, most, until
        )


class LibraryResult:
    """A result of the library, which is freed with this object."""

    def __init__(self, pointer):
        self._result = pointer
        self._free = _lib.acesim_result_free

    def __del__(self):
        self.close()

    def close(self):
        pointer, self._result = self._result, None
        if pointer:
            self._free(pointer)

    def _pointer(self):
        if self._result is None:
            raise Error("the result was closed")
        return self._result

    def rows(self, table):
        """Returns a table as CSV."""
        return _take_text(_call("rows", self._pointer(), table))

    def html(self):
        return _take_text(_call("html", self._pointer()))

    def run_what_ifs(self, progress=None):
        watch = _Watch(progress, None)
        watch.call(bool, "what_ifs", self._pointer(), watch.tell, None)


def compare(runs, baselines, best, offloads):
    """Returns compare.csv of the text of a runs.csv; lists may be None."""
    return _take_text(_call("compare", runs, baselines, best, offloads))


def columns(table, rows):
    """Returns what the columns of a CSV text mean, as JSON."""
    return _take_text(_call("columns", table, rows))


def axis(key, values):
    """Returns the column of a swept key as CSV; values has one in a line."""
    return _take_text(_call("axis", key, values))
