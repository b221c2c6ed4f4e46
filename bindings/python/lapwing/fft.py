# SPDX-License-Identifier: Apache-2.0
"""Fourier transforms of distributed arrays: NumPy's serial ones (pocketfft), with redistributions between."""
from __future__ import annotations

from typing import List, NamedTuple, Optional, Sequence, Tuple

import numpy as np
from mpi4py import MPI

from .distributions import Distribution, block, checked, collapsed
from .errors import ArrayError
from .array_tasks import ArrayTasks, Request


class _Stage(NamedTuple):
    """The array as it lies while some axes are transformed: these are whole on each process."""

    array: Distribution
    local: np.ndarray
    axes: Tuple[int, ...]


def _stages(shape: Sequence[int], axes: Sequence[int], processes: int) -> List[Tuple[Tuple[int, ...], Tuple[int, ...]]]:
    """Of each stage: the axes that are divided, and those that are transformed. One axis is divided among all processes
    where it is long enough (slabs), else two are (pencils)."""
    dimensions = len(shape)
    longest = sorted(shape, reverse=True)[1 if dimensions > 1 else 0]
    divided = min(dimensions - 1, 1 if longest >= processes else 2)
    todo, out = set(axes), []
    while todo:
        whole = min(todo, key=lambda axis: shape[axis])
        others = sorted((axis for axis in range(dimensions) if axis != whole), key=lambda axis: (axis in todo, -shape[axis]))
        cut = tuple(sorted(others[:divided]))
        now = tuple(sorted(todo.difference(cut)))
        out.append((cut, now))
        todo.difference_update(now)
    return out


class FFT:
    """The plan of transforms of arrays that lie as `source` does, of all axes or of those given, into arrays that lie as
    `destination` does (as `source` unless given): complex64 or complex128, of one shape and over all processes of the task. Makes the
    memory and the requests of all stages once. Every process of the task makes the plan and its calls.

        plan = lapwing.FFT(tasks, rows, columns)
        plan.forward(a, b)      # b = numpy.fft.fftn(a)
        plan.backward(b, a)     # a = numpy.fft.ifftn(b)
    """

    def __init__(self, tasks: ArrayTasks, source: Distribution, destination: Optional[Distribution] = None,
                 axes: Optional[Sequence[int]] = None) -> None:
        destination = source if destination is None else destination
        if source.dtype.kind != "c" or source.dtype.itemsize > 16:
            raise ArrayError(ArrayError.TYPE, f"transforms are of complex64 and complex128, not of {source.dtype}")
        if destination.dtype != source.dtype:
            raise ArrayError(ArrayError.TYPE, f"the array is {source.dtype}, its transform {destination.dtype}")
        shape = source.shape
        if destination.shape != shape:
            raise ArrayError(ArrayError.SHAPE, f"the array is {shape}, its transform {destination.shape}")
        if axes is None:
            axes = range(len(shape))
        chosen = [axis + len(shape) if axis < 0 else axis for axis in axes]
        if not chosen or len(set(chosen)) != len(chosen) or not all(0 <= axis < len(shape) for axis in chosen):
            raise ValueError(f"axes {tuple(axes)} are not different ones of an array of {len(shape)} dimensions")
        self._tasks, self._ends = tasks, (source, destination)
        self._stages: List[_Stage] = []
        processes = tasks.processes()
        for cut, now in _stages(shape, chosen, processes):
            grid = MPI.Compute_dims(processes, len(cut)) if cut else [1]
            places = {axis: g for g, axis in enumerate(cut)}
            dimensions = [block(n, places[d]) if d in places else collapsed(n) for d, n in enumerate(shape)]
            array = Distribution(dimensions, source.dtype, grid)
            self._stages.append(_Stage(array, array.zeros(tasks.rank), now))
        self._requests: dict = {}

    def forward(self, local, out, norm: str = "backward") -> None:
        """`out` becomes the transform of `local`; `norm` as NumPy has it. `local` stays."""
        self._run(np.fft.fftn, 1, local, out, norm)

    def backward(self, local, out, norm: str = "backward") -> None:
        """The inverse: from an array that lies as the destination to one that lies as the source."""
        self._run(np.fft.ifftn, -1, local, out, norm)

    def free(self) -> None:
        for request in self._requests.values():
            request.free()
        self._requests.clear()

    def _run(self, transform, way: int, local, out, norm: str) -> None:
        begin, end = self._ends[::way]
        local, out = checked(local, begin, "local", False), checked(out, end, "out", True)
        stages = self._stages[::way]
        self._tasks.redistribute(local, begin, stages[0].local, stages[0].array)
        for at, stage in enumerate(stages):
            mine = stage.array.owned(stage.local, self._tasks.rank)
            if mine.size:
                mine[...] = transform(mine, axes=stage.axes, norm=norm)
            if at + 1 < len(stages):
                self._between(way, at, stage, stages[at + 1]).start()
                self._requests[way, at].wait()
        self._tasks.redistribute(stages[-1].local, stages[-1].array, out, end)

    def _between(self, way: int, at: int, stage: _Stage, following: _Stage) -> Request:
        if (way, at) not in self._requests:
            self._requests[way, at] = self._tasks.redistribute_init(stage.local, stage.array, following.local,
                                                                    following.array)
        return self._requests[way, at]
