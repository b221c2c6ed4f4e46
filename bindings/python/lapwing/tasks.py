# SPDX-License-Identifier: Apache-2.0
"""Tasks with declared accesses: a serial program says what its parts read and write, and they run side by side.

    import numpy as np
    from lapwing import tasks

    @tasks.task(reads="left", updates="mine")
    def relax(left, mine, weight):            # gets NumPy arrays
        mine += weight * left

    def program():
        blocks = [tasks.shared(np.ones(100000)) for _ in range(8)]
        for i in range(1, 8):
            relax(blocks[i - 1], blocks[i], 0.5)   # a task: it returns at once
        print(blocks[7].read().sum())              # waits for what it needs

    tasks.run(program)

Results are those of the serial program, on threads and, under an mpiexec, on its ranks. On threads tasks run side by
side where they release Python's lock, as NumPy does in its larger operations; on ranks everywhere. Rows of an array are
a part of it, x[first:end] or x[first:end:step], and tasks on rows that are apart need not wait for each other.

A task's function is known to all ranks by its module and name. Its other arguments are copied, by pickle. Tasks spawn
no tasks and wait for nothing; that is the main program's part.
"""
from __future__ import annotations

import base64
import ctypes
import inspect
import math
import pathlib
import pickle
import threading
from typing import Any, Callable, Dict, Iterable, Optional, Tuple, Union

import numpy as np

_RD, _WR, _CM = 1, 2, 4


class TaskError(RuntimeError):
    """A task has failed, or does what it has not declared."""


class _Object(ctypes.Structure):
    _fields_ = [("object", ctypes.c_void_p), ("generation", ctypes.c_uint32), ("zero", ctypes.c_uint32)]


class _Access(ctypes.Structure):
    _fields_ = [("object", _Object), ("rights", ctypes.c_int), ("deferred", ctypes.c_int), ("first", ctypes.c_size_t),
                ("width", ctypes.c_size_t), ("count", ctypes.c_size_t), ("stride", ctypes.c_size_t)]


class _Options(ctypes.Structure):
    _fields_ = [("name", ctypes.c_char_p), ("number", ctypes.c_int64), ("second", ctypes.c_int64),
                ("worker", ctypes.c_int), ("priority", ctypes.c_int)]


_PROGRAM = ctypes.CFUNCTYPE(None, ctypes.c_void_p)
_BODY = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_size_t)


def _load() -> ctypes.CDLL:
    here = pathlib.Path(__file__).resolve().parent
    for folder in (here.parent.parent, here.parent.parent.parent, here, here / "lib"):
        path = folder / "liblapwing-tasks.so"
        if path.exists():
            break
    else:
        path = pathlib.Path("liblapwing-tasks.so")
    library = ctypes.CDLL(str(path))
    library.lapwing_task_run.argtypes = [_PROGRAM, ctypes.c_void_p, ctypes.c_int]
    library.lapwing_task_error.restype = ctypes.c_char_p
    library.lapwing_task_create.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_char_p]
    library.lapwing_task_create.restype = _Object
    library.lapwing_task_destroy.argtypes = [_Object]
    library.lapwing_task_use.argtypes = [_Access]
    library.lapwing_task_use.restype = ctypes.c_void_p
    library.lapwing_task_spawn_at.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_size_t, ctypes.POINTER(_Access),
                                              ctypes.c_size_t, ctypes.POINTER(_Options), ctypes.c_char_p, ctypes.c_int]
    library.lapwing_task_fail.argtypes = [ctypes.c_char_p]
    library.lapwing_task_bodies.argtypes = [_BODY]
    return library


_library = _load()
_here = threading.local()  # .body: the running task's name
_tasks: Dict[Tuple[str, str], "Task"] = {}


def _error() -> TaskError:
    return TaskError(_library.lapwing_task_error().decode(errors="replace"))


def _only_main(doing: str) -> None:
    name = getattr(_here, "body", None)
    if name is not None:
        raise TaskError(f"task '{name}' {doing}; only the main program may")


class Rows:
    """Rows of a shared array, all or some."""

    def __init__(self, array: "Shared", rows: Optional[slice]) -> None:
        self.array = array
        self.rows = rows

    def _access(self, rights: int) -> _Access:
        array = self.array
        access = _Access(_Object(*array._handle), rights, 0, 0, 0, 0, 0)
        if self.rows is None:
            return access
        row = array.dtype.itemsize * math.prod(array.shape[1:])
        first, end, step = self.rows.indices(array.shape[0])
        count = len(range(first, end, step))
        access.first = first * row
        access.width, access.count, access.stride = (count * row, 1, 0) if step == 1 else (row, count, step * row)
        if count == 0:
            access.width, access.count = 0, 1
        return access

    def _view(self, rights: int) -> np.ndarray:
        address = _library.lapwing_task_use(self._access(rights))
        if address is None:
            raise _error()
        array, rows, step = self.array, self.array.shape[0] if self.array.shape else 1, 1
        if self.rows is not None:
            first, end, step = self.rows.indices(rows)
            rows = len(range(first, end, step))
        row = array.dtype.itemsize * math.prod(array.shape[1:])
        size = 0 if rows == 0 else ((rows - 1) * step + 1) * row
        memory = (ctypes.c_char * size).from_address(address)
        if not array.shape:
            view = np.frombuffer(memory, array.dtype).reshape(())
        else:
            full = np.frombuffer(memory, array.dtype).reshape((-1,) + array.shape[1:]) if size else np.empty(
                (0,) + array.shape[1:], array.dtype)
            view = full[::step]
        if rights == _RD:
            view.flags.writeable = False
        return view

    def read(self) -> np.ndarray:
        """The elements, once they are what the serial program has here. Good until the next task is spawned."""
        return self._view(_RD)

    def write(self) -> np.ndarray:
        """The same, to be written."""
        return self._view(_WR)

    def read_write(self) -> np.ndarray:
        """The same, to be read and written."""
        return self._view(_RD | _WR)


class Shared(Rows):
    """A shared array: a handle, the same on all ranks. shared() makes one."""

    def __init__(self, handle: Tuple[int, int], dtype: np.dtype, shape: Tuple[int, ...]) -> None:
        super().__init__(self, None)
        self._handle = handle
        self.dtype = dtype
        self.shape = shape

    def __reduce__(self):
        return Shared, (self._handle, self.dtype, self.shape)

    def __getitem__(self, rows: Union[int, slice]) -> Rows:
        if not self.shape:
            raise IndexError("an array without dimensions has no rows")
        if not isinstance(rows, slice):
            if not -self.shape[0] <= rows < self.shape[0]:
                raise IndexError(f"row {rows} of an array with {self.shape[0]} rows")
            rows = slice(rows % self.shape[0], rows % self.shape[0] + 1)
        if rows.step is not None and rows.step < 1:
            raise ValueError("the step of rows is a positive number")
        return Rows(self, rows)

    def destroy(self) -> None:
        """Ends its life at this place of the program."""
        _only_main("destroys an array")
        if _library.lapwing_task_destroy(_Object(*self._handle)) != 0:
            raise _error()


def shared(array: Any, name: str = "") -> Shared:
    """A shared object with a copy of the array. It lives until destroy(), or the end of run()."""
    _only_main("makes a shared array")
    values = np.ascontiguousarray(array) if np.ndim(array) else np.array(array)
    if values.dtype.hasobject:
        raise TypeError("the elements of shared arrays are plain values, not Python objects")
    made = _library.lapwing_task_create(values.ctypes.data, values.nbytes, name.encode())
    if not made.object:
        raise _error()
    return Shared((made.object, made.generation), values.dtype, values.shape)


class Task:
    """A function whose calls are tasks."""

    def __init__(self, function: Callable, rights: Dict[str, int], worker: int = -1, priority: int = 0) -> None:
        self.function = function
        self._rights = rights
        self._signature = inspect.signature(function)
        self._name = function.__name__.encode()
        self._options = _Options(self._name, -1, -1, worker, priority)
        unknown = set(rights) - set(self._signature.parameters)
        if unknown:
            raise TypeError(f"{function.__name__}() has no parameter {', '.join(sorted(unknown))}")

    def options(self, worker: int = -1, priority: int = 0) -> "Task":
        """The same task on a worker, or before others that can run: relax.options(priority=1)(...)."""
        return Task(self.function, self._rights, worker, priority)

    def __call__(self, *arguments: Any, **named: Any) -> None:
        _only_main(f"spawns {self.function.__name__}()")
        bound = self._signature.bind(*arguments, **named)
        accesses = []
        for parameter, rights in self._rights.items():
            if parameter not in bound.arguments:
                continue
            rows = bound.arguments[parameter]
            if not isinstance(rows, Rows):
                raise TypeError(f"the argument '{parameter}' of {self.function.__name__}() is no shared array: "
                                f"it is a {type(rows).__name__}")
            accesses.append(rows._access(rights))
        what = (self.function.__module__, self.function.__qualname__, bound.args, bound.kwargs)
        message = base64.b64encode(pickle.dumps(what, protocol=4))
        if _library.lapwing_task_spawn_at(None, message, len(message), (_Access * len(accesses))(*accesses), len(accesses),
                                          self._options, b"", 0) != 0:
            raise _error()

    def _run(self, arguments: tuple, named: dict) -> None:
        bound = self._signature.bind(*arguments, **named)
        for parameter, rights in self._rights.items():
            if parameter in bound.arguments:
                bound.arguments[parameter] = bound.arguments[parameter]._view(_RD | _WR if rights == _CM else rights)
        self.function(*bound.args, **bound.kwargs)


def _names(names: Union[str, Iterable[str]]) -> Iterable[str]:
    return (names,) if isinstance(names, str) else names


def task(*, reads: Union[str, Iterable[str]] = (), writes: Union[str, Iterable[str]] = (),
         updates: Union[str, Iterable[str]] = (), commutes: Union[str, Iterable[str]] = ()) -> Callable:
    """The function's calls become tasks, which do this with the shared arrays among their arguments: read them, write
    them without having read, both (updates), or both in any order with others that say the same (commutes)."""
    rights: Dict[str, int] = {}
    for names, right in ((updates, _RD | _WR), (writes, _WR), (commutes, _CM), (reads, _RD)):
        for name in _names(names):
            if name in rights:
                raise TypeError(f"'{name}' is declared twice: say updates for what is read and written")
            rights[name] = right

    def decorate(function: Callable) -> Task:
        made = Task(function, rights)
        _tasks[function.__module__, function.__qualname__] = made
        return made

    return decorate


@_BODY
def _body(message: int, size: int) -> None:
    try:
        module, name, arguments, named = pickle.loads(base64.b64decode(ctypes.string_at(message, size)))
        found = _tasks.get((module, name))
        if found is None:
            raise TaskError(f"the function {module}.{name} is not known to this rank: define it on all ranks before run()")
        _here.body = name
        try:
            found._run(arguments, named)
        finally:
            _here.body = None
    except BaseException as error:  # pylint: disable=broad-except
        _library.lapwing_task_fail(f"{type(error).__name__}: {error}".encode())


def run(program: Callable[[], None], workers: int = 0) -> None:
    """Runs `program` as the main program, on rank 0, and returns when all its tasks have ended. `workers` threads run
    tasks, 0 for one a core; the variables LAPWING_TASKS_... set the rest."""
    raised: list = []

    @_PROGRAM
    def call(_: int) -> None:
        try:
            program()
        except BaseException as error:  # pylint: disable=broad-except
            raised.append(error)

    _library.lapwing_task_bodies(_body)
    failed = _library.lapwing_task_run(call, None, workers) != 0
    if raised:
        raise raised[0]
    if failed:
        raise _error()


def finish() -> None:
    """The main program waits for all tasks so far."""
    _only_main("calls finish()")
    if _library.lapwing_task_finish() != 0:
        raise _error()


def workers() -> int:
    """The workers of all ranks."""
    return _library.lapwing_task_workers()


def worker() -> int:
    """Which of them runs the caller."""
    return _library.lapwing_task_worker()
