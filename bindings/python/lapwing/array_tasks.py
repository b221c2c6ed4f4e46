# SPDX-License-Identifier: Apache-2.0
"""Tasks, and the transfers between them: MPI's calls with tasks in the place of processes."""
from __future__ import annotations

import os
from typing import Dict, List, NamedTuple, Optional, Sequence, Tuple

import numpy as np
from mpi4py import MPI

from ._load import core
from .distributions import Distribution, IndexLists, _order_of, checked
from .errors import ArrayError

ANY_TASK, ANY_TAG, TASK_NULL = -1, -1, -2
STRATEGIES = ("automatic", "parallel", "packed", "direct", "centralized")
OPS = ("none", "transpose", "conjugate_transpose", "conjugate")
_STEPS = ("transfers", "inquiry_ns", "call_ns", "exchange_ns", "schedule_ns", "packing_ns", "transmission_ns", "messages",
          "bytes")


class Status(NamedTuple):
    """The sender's task, the tag, and how many elements this process sent or received."""

    task: int
    tag: int
    elements: int


class Request:
    """A transfer that is under way, or a persistent one; it keeps the memory that it uses."""

    def __init__(self, native) -> None:
        self._core = native

    def start(self) -> None:
        startall([self])

    def wait(self) -> Status:
        return waitall([self])[0]

    def test(self) -> Optional[Status]:
        """None while it is not complete."""
        done = testall([self])
        return done[0] if done else None

    def wait_section(self, first: Sequence[int], count: Sequence[int]) -> None:
        """Returns once this process' elements of that box of the whole array have landed."""
        self._core.wait_section(list(first), list(count))

    def test_section(self, first: Sequence[int], count: Sequence[int]) -> bool:
        """Whether they have; never blocks."""
        return self._core.test_section(list(first), list(count))

    def free(self) -> None:
        self._core.free()

    @property
    def pending(self) -> bool:
        """False once complete, and not persistent."""
        return self._core.pending()


def startall(requests: Sequence[Request]) -> None:
    core.startall([request._core for request in requests])


def waitall(requests: Sequence[Request]) -> List[Status]:
    return [Status(*status) for status in core.waitall([request._core for request in requests])]


def waitany(requests: Sequence[Request]) -> Tuple[int, Status]:
    """Index -1 where none is pending."""
    index, status = core.waitany([request._core for request in requests])
    return index, Status(*status)


def testall(requests: Sequence[Request]) -> Optional[List[Status]]:
    """None while any is not complete."""
    done = core.testall([request._core for request in requests])
    return None if done is None else [Status(*status) for status in done]


def attach_buffer(buffer) -> None:
    """Memory for buffered sends, kept until detach_buffer()."""
    core.buffer_attach(buffer)


def detach_buffer() -> None:
    core.buffer_detach()


def progress() -> None:
    """Lets transfers proceed where there is no thread for it."""
    core.progress()


def _mpi_type(array: np.ndarray) -> MPI.Datatype:
    return MPI._typedict[array.dtype.char]


class ArrayTasks:
    """Processes of a communicator as tasks: each says to which it belongs. Collective."""

    def __init__(self, comm: MPI.Comm, task: int) -> None:
        self._core = core.tasks_create(MPI._addressof(comm), task)

    @classmethod
    def _of(cls, native) -> ArrayTasks:
        made = cls.__new__(cls)
        made._core = native
        return made

    @classmethod
    def of_sizes(cls, comm: MPI.Comm, sizes: Sequence[int]) -> ArrayTasks:
        """`sizes[t]` consecutive ranks of `comm` are task t."""
        return cls._of(core.tasks_of_sizes(MPI._addressof(comm), [int(size) for size in sizes]))

    @classmethod
    def of_programs(cls) -> ArrayTasks:
        """Programs that were started together, in the order of the command line."""
        return cls._of(core.tasks_of_programs())

    def dup(self) -> ArrayTasks:
        return self._of(self._core.dup())

    def free(self) -> None:
        """Collective; transfers are complete before."""
        self._core.free()

    @property
    def task(self) -> int:
        return self._core.task()

    @property
    def size(self) -> int:
        return self._core.size()

    @property
    def rank(self) -> int:
        """Within the caller's task."""
        return self._core.rank()

    def processes(self, task: Optional[int] = None) -> int:
        return self._core.processes(self.task if task is None else task)

    @property
    def comm(self) -> MPI.Intracomm:
        """The communicator of the caller's task; Lapwing frees it."""
        made = MPI.Intracomm()
        self._core.write_comm(MPI._addressof(made))
        return made

    def index_lists(self, extent: int, indices, grid: Optional[Sequence[int]] = None, *, grid_dimension: int = 0,
                    ranks: Optional[Sequence[int]] = None, grid_order: str = "C") -> IndexLists:
        """The caller holds `indices` of a dimension, in this order. The lists lie along a dimension of the grid; without
        one, along all processes of the task. Collective over the task."""
        held = np.ascontiguousarray(indices)
        if held.size and held.dtype.kind not in "iu":
            raise TypeError(f"indices are integers, not {held.dtype}")
        return IndexLists(self._core.index_lists(int(extent), held.reshape(-1).astype(np.int64), list(grid or ()),
                                                 list(ranks or ()), _order_of(grid_order), grid_dimension), int(extent))

    def strategy(self, name: str) -> None:
        if name not in STRATEGIES:
            raise ValueError(f"strategy {name!r} is unknown; there are {', '.join(STRATEGIES)}")
        self._core.strategy(STRATEGIES.index(name))

    def time_steps(self, on: bool) -> None:
        self._core.time_steps(on)

    def steps(self) -> Dict[str, int]:
        return dict(zip(_STEPS, self._core.steps()))

    def send(self, local, array: Distribution, dest: int, tag: int = 0) -> None:
        self._core.send(checked(local, array, "local", False), array._core, dest, tag)

    def bsend(self, local, array: Distribution, dest: int, tag: int = 0) -> None:
        """Copies into the attached buffer, and never waits for the receiver."""
        self._core.bsend(checked(local, array, "local", False), array._core, dest, tag)

    def pack_size(self, array: Distribution) -> int:
        return self._core.pack_size(array._core)

    def recv(self, local, array: Distribution, source: int = ANY_TASK, tag: int = ANY_TAG) -> Status:
        return Status(*self._core.recv(checked(local, array, "local", True), array._core, source, tag))

    def sendrecv(self, send_local, send_array: Distribution, dest: int, recv_local, recv_array: Distribution,
                 source: int = ANY_TASK, send_tag: int = 0, recv_tag: int = ANY_TAG) -> Status:
        return Status(*self._core.sendrecv(checked(send_local, send_array, "send_local", False), send_array._core, dest,
                                           send_tag, checked(recv_local, recv_array, "recv_local", True),
                                           recv_array._core, source, recv_tag))

    def isend(self, local, array: Distribution, dest: int, tag: int = 0) -> Request:
        return Request(self._core.isend(checked(local, array, "local", False), array._core, dest, tag))

    def irecv(self, local, array: Distribution, source: int = ANY_TASK, tag: int = ANY_TAG) -> Request:
        return Request(self._core.irecv(checked(local, array, "local", True), array._core, source, tag))

    def isend_many(self, locals_and_arrays, dest: int, tag: int = 0) -> Request:
        """Several pairs of local memory and distribution as one transfer."""
        return Request(self._core.isend_many([checked(one, array, "local", False) for one, array in locals_and_arrays],
                                             [array._core for _, array in locals_and_arrays], dest, tag))

    def irecv_many(self, locals_and_arrays, source: int = ANY_TASK, tag: int = ANY_TAG) -> Request:
        return Request(self._core.irecv_many([checked(one, array, "local", True) for one, array in locals_and_arrays],
                                             [array._core for _, array in locals_and_arrays], source, tag))

    def send_init(self, local, array: Distribution, dest: int, tag: int = 0) -> Request:
        return Request(self._core.send_init(checked(local, array, "local", False), array._core, dest, tag))

    def recv_init(self, local, array: Distribution, source: int, tag: int = 0) -> Request:
        return Request(self._core.recv_init(checked(local, array, "local", True), array._core, source, tag))

    def redistribute(self, from_local, source: Distribution, to_local, destination: Distribution) -> None:
        """From one distribution over the caller's task to another."""
        self._core.redistribute(*self._pair(from_local, source, to_local, destination))

    def iredistribute(self, from_local, source: Distribution, to_local, destination: Distribution) -> Request:
        return Request(self._core.iredistribute(*self._pair(from_local, source, to_local, destination)))

    def redistribute_init(self, from_local, source: Distribution, to_local, destination: Distribution) -> Request:
        return Request(self._core.redistribute_init(*self._pair(from_local, source, to_local, destination)))

    def transform(self, from_local, source: Distribution, to_local, destination: Distribution, op: str = "none",
                  alpha: complex = 1, beta: complex = 0) -> None:
        """C = alpha op(A) + beta C while A (`from_local`) is redistributed as C (`to_local`) is: the same type, float32,
        float64, complex64 or complex128. `op` is one of OPS. With beta 0 C is not read. Every process of the task makes
        the call, with equal op and scalars."""
        self._core.transform(*self._transformed(from_local, source, to_local, destination, op, alpha, beta))

    def itransform(self, from_local, source: Distribution, to_local, destination: Distribution, op: str = "none",
                   alpha: complex = 1, beta: complex = 0) -> Request:
        return Request(self._core.itransform(*self._transformed(from_local, source, to_local, destination, op, alpha, beta)))

    def transform_init(self, from_local, source: Distribution, to_local, destination: Distribution, op: str = "none",
                       alpha: complex = 1, beta: complex = 0) -> Request:
        """A persistent one."""
        return Request(self._core.transform_init(*self._transformed(from_local, source, to_local, destination, op, alpha,
                                                                    beta)))

    def write(self, path, local, array: Distribution, offset: int = 0) -> None:
        """The elements of `array` become those of the file from byte `offset` on, in the array's order: what numpy.fromfile
        reads. The rest of the file stays. Every process of the task makes the call; ArrayError on all of them."""
        self._core.write(os.fspath(path), int(offset), checked(local, array, "local", False), array._core)

    def read(self, path, local, array: Distribution, offset: int = 0) -> None:
        """The other way, under any distribution and number of processes."""
        self._core.read(os.fspath(path), int(offset), checked(local, array, "local", True), array._core)

    def write_hdf5(self, path, dataset: str, local, array: Distribution) -> None:
        """The elements of `array` as the dataset of that name ("field", "run1/field") of an HDF5 file, which h5py reads. The file
        and its groups are made where there are none; what else the file has stays. The system's serial HDF5 does it: ArrayError
        where there is none."""
        self._core.write_hdf5(os.fspath(path), dataset, checked(local, array, "local", False), array._core)

    def read_hdf5(self, path, dataset: str, local, array: Distribution) -> None:
        """The other way, under any distribution; also of a dataset in chunks, compressed, or of another numeric type."""
        self._core.read_hdf5(os.fspath(path), dataset, checked(local, array, "local", True), array._core)

    def update_ghosts(self, local, array: Distribution, corners: bool = True,
                      periodic: Optional[Sequence[bool]] = None) -> None:
        """Fills the ghost layers of `local` with the elements that lie there in the whole array, from their owners.
        Without `corners` only those beside owned elements in one dimension. `periodic` has a flag for each dimension;
        in others ghosts outside the array stay as they are. Every process of the task makes the call, with equal
        arguments; messages go between neighbours. ArrayError where a dimension with ghosts goes round the processes."""
        self._core.update_ghosts(*self._ghosts(local, array, corners, periodic))

    def iupdate_ghosts(self, local, array: Distribution, corners: bool = True,
                       periodic: Optional[Sequence[bool]] = None) -> Request:
        """Until the request is complete, owned elements may be read only, and ghosts not be touched."""
        return Request(self._core.iupdate_ghosts(*self._ghosts(local, array, corners, periodic)))

    def update_ghosts_init(self, local, array: Distribution, corners: bool = True,
                           periodic: Optional[Sequence[bool]] = None) -> Request:
        """A persistent one, to be started before each sweep."""
        return Request(self._core.update_ghosts_init(*self._ghosts(local, array, corners, periodic)))

    def add_ghosts(self, local, array: Distribution, corners: bool = True,
                   periodic: Optional[Sequence[bool]] = None) -> None:
        """The other way: adds each ghost that update_ghosts would fill to the element of its owner; ghosts stay."""
        self._core.add_ghosts(*self._ghosts(local, array, corners, periodic))

    def iadd_ghosts(self, local, array: Distribution, corners: bool = True,
                    periodic: Optional[Sequence[bool]] = None) -> Request:
        """Until the request is complete, ghosts may be read only, and owned elements not be touched."""
        return Request(self._core.iadd_ghosts(*self._ghosts(local, array, corners, periodic)))

    def add_ghosts_init(self, local, array: Distribution, corners: bool = True,
                        periodic: Optional[Sequence[bool]] = None) -> Request:
        """A persistent one."""
        return Request(self._core.add_ghosts_init(*self._ghosts(local, array, corners, periodic)))

    @staticmethod
    def _ghosts(local, array, corners, periodic):
        local = checked(local, array, "local", True)
        flags = [] if periodic is None else [int(bool(flag)) for flag in periodic]
        if periodic is not None and len(flags) != len(array.shape):
            raise ArrayError(ArrayError.ARGUMENT, f"'periodic' has {len(flags)} flags for an array of "
                                                  f"{len(array.shape)} dimensions")
        return local, array._core, int(bool(corners)), flags

    @classmethod
    def _transformed(cls, from_local, source, to_local, destination, op, alpha, beta):
        if op not in OPS:
            raise ValueError(f"op {op!r} is unknown; there are {', '.join(OPS)}")
        out, from_core, into, to_core = cls._pair(from_local, source, to_local, destination)
        return OPS.index(op), complex(alpha), out, from_core, complex(beta), into, to_core

    @staticmethod
    def _pair(from_local, source, to_local, destination):
        return (checked(from_local, source, "from_local", False), source._core,
                checked(to_local, destination, "to_local", True), destination._core)

    # Collectives over tasks: plain memory that all processes of a task have alike, or, with `array`, distributed.

    def barrier(self) -> None:
        self._core.barrier()

    def bcast(self, local, root: int = 0, array: Optional[Distribution] = None) -> None:
        if array is None:
            self._core.plain_bcast(local, MPI._addressof(_mpi_type(local)), root)
        else:
            self._core.array_bcast(checked(local, array, "local", True), array._core, root)

    def reduce(self, send, recv, op: MPI.Op = MPI.SUM, root: int = 0, array: Optional[Distribution] = None) -> None:
        """`recv` may be None at tasks other than `root`."""
        if array is None:
            self._core.plain_reduce(send, recv, MPI._addressof(_mpi_type(send)), MPI._addressof(op), root)
        else:
            recv = checked(recv, array, "recv", True) if self.task == root else None
            self._core.array_reduce(checked(send, array, "send", False), recv, array._core, MPI._addressof(op), root)

    def allreduce(self, send, recv, op: MPI.Op = MPI.SUM, array: Optional[Distribution] = None) -> None:
        if array is None:
            self._core.plain_allreduce(send, recv, MPI._addressof(_mpi_type(send)), MPI._addressof(op))
        else:
            self._core.array_allreduce(checked(send, array, "send", False), checked(recv, array, "recv", True),
                                       array._core, MPI._addressof(op))

    def gather(self, send, recv, root: int = 0, array: Optional[Distribution] = None,
               whole: Optional[Distribution] = None) -> None:
        """With `array`: all tasks' arrays, one after the other along dimension 0, become `recv`, as `whole` says."""
        if array is None:
            self._core.plain_gather(send, recv, MPI._addressof(_mpi_type(send)), root)
        else:
            recv = checked(recv, whole, "recv", True) if self.task == root else None
            self._core.array_gather(checked(send, array, "send", False), array._core, recv,
                                    whole._core if self.task == root else None, root)

    def scatter(self, send, recv, root: int = 0, array: Optional[Distribution] = None,
                whole: Optional[Distribution] = None) -> None:
        if array is None:
            self._core.plain_scatter(send, recv, MPI._addressof(_mpi_type(recv)), root)
        else:
            send = checked(send, whole, "send", False) if self.task == root else None
            self._core.array_scatter(send, whole._core if self.task == root else None,
                                     checked(recv, array, "recv", True), array._core, root)

    def allgather(self, send, recv, array: Optional[Distribution] = None, whole: Optional[Distribution] = None) -> None:
        """gather() with every task as the root."""
        if array is None:
            self._room(recv, np.size(send) * self.size)
            self._core.plain_allgather(send, recv, MPI._addressof(_mpi_type(send)))
        else:
            self._core.array_allgather(checked(send, array, "send", False), array._core,
                                       checked(recv, whole, "recv", True), whole._core)

    def alltoall(self, send, recv, send_array: Optional[Distribution] = None,
                 recv_array: Optional[Distribution] = None) -> None:
        """Equal parts of `send`, along dimension 0, for each task, and in `recv` from each."""
        if send_array is None:
            self._room(recv, np.size(send))
            if np.size(send) % self.size:
                raise ArrayError(ArrayError.ARGUMENT, f"'send' has {np.size(send)} elements for {self.size} tasks")
            self._core.plain_alltoall(send, recv, MPI._addressof(_mpi_type(send)))
        else:
            self._core.array_alltoall(checked(send, send_array, "send", False), send_array._core,
                                      checked(recv, recv_array, "recv", True), recv_array._core)

    @staticmethod
    def _room(recv, elements):
        if np.size(recv) < elements:
            raise ArrayError(ArrayError.BUFFER, f"'recv' has {np.size(recv)} elements and needs {elements}")

    def plan(self, array: Distribution, root: int = 0, kind: str = "reduce") -> List[Tuple[int, int]]:
        """Which task sends to which, in order, in a 'reduce', an 'allreduce' or a 'bcast' of such arrays. Collective."""
        return self._core.plan(array._core, root, ("reduce", "allreduce", "bcast").index(kind))
