# SPDX-License-Identifier: Apache-2.0
"""Which process of a task holds which elements of an array. Indices count from 0."""
from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Optional, Sequence, Tuple

import numpy as np

from ._load import core
from .errors import ArrayError

_TYPES = {"i1": 0, "u1": 1, "i2": 2, "u2": 3, "i4": 4, "u4": 5, "i8": 6, "u8": 7, "f4": 8, "f8": 9, "f16": 10, "c8": 11,
          "c16": 12, "c32": 13, "b1": 1}
_OPAQUE = 1000
_COLLAPSED, _CYCLIC, _IRREGULAR, _INDEXED = range(4)
_FORMS = {"text": 0, "ascii": 1, "svg": 2}


def _type_of(dtype: np.dtype) -> int:
    if not dtype.isnative:
        raise TypeError(f"elements of {dtype} are not in this machine's byte order")
    if dtype.hasobject:
        raise TypeError("elements that are Python objects cannot be sent; use numbers")
    return _TYPES.get(dtype.kind + str(dtype.itemsize), _OPAQUE + dtype.itemsize)


def _order_of(order: str) -> int:
    if order not in ("C", "F"):
        raise ValueError(f"order is {order!r}; use 'C' (row-major) or 'F' (column-major)")
    return 0 if order == "C" else 1


class IndexLists:
    """Which indices of a dimension each process of a task holds; made by ArrayTasks.index_lists()."""

    def __init__(self, native, extent: int) -> None:
        self._core, self.extent = native, extent


@dataclass(frozen=True)
class Dimension:
    """One dimension; made by collapsed(), block(), cyclic(), irregular() and indexed()."""

    extent: int
    layout: int = _COLLAPSED
    block: int = 0  # 0 of CYCLIC: BLOCK over the whole grid dimension
    bounds: Tuple[int, ...] = ()
    grid_dimension: int = -1
    first_process: int = 0
    offset: int = 0
    ghosts: Tuple[int, int] = (0, 0)
    lists: Optional[IndexLists] = None

    def with_ghosts(self, below: int, above: int) -> Dimension:
        """Layers around the owned elements in local memory; ArrayTasks.update_ghosts fills them."""
        return replace(self, ghosts=(below, above))


def collapsed(extent: int) -> Dimension:
    """Every process of a grid line has all of it."""
    return Dimension(extent)


def block(extent: int, grid_dimension: int = 0, *, offset: int = 0) -> Dimension:
    """Equal blocks, one for each process of the grid dimension."""
    return Dimension(extent, _CYCLIC, 0, (), grid_dimension, 0, offset)


def cyclic(extent: int, block: int = 1, grid_dimension: int = 0, *, first_process: int = 0,
           offset: int = 0) -> Dimension:
    """Blocks of `block` elements, dealt out in turn."""
    return Dimension(extent, _CYCLIC, block, (), grid_dimension, first_process, offset)


def irregular(bounds: Sequence[int], grid_dimension: int = 0) -> Dimension:
    """Position p of the grid dimension has elements bounds[p] to bounds[p + 1] - 1."""
    return Dimension(int(bounds[-1]), _IRREGULAR, 0, tuple(int(bound) for bound in bounds), grid_dimension)


def indexed(lists: IndexLists, grid_dimension: int = 0) -> Dimension:
    """Each process has the indices of its list, in the list's order."""
    return Dimension(lists.extent, _INDEXED, 0, (), grid_dimension, lists=lists)


@dataclass(frozen=True)
class LocalPart:
    """The part that one process holds: numbers of elements."""

    elements: int
    allocated: int
    offset: int
    shape: Tuple[int, ...]
    allocation: Tuple[int, ...]
    strides: Tuple[int, ...]


class Distribution:
    """An array's shape, element type and place: dimensions over a grid of the processes of one task.

    `grid` has the number of processes in each grid dimension; `ranks` those at its positions (default 0, 1, 2, ...),
    numbered in `grid_order`. A grid dimension that no array dimension uses replicates the array over it. `order` is
    that of local memory, `leading` the extents of its allocation.
    """

    def __init__(self, dimensions: Sequence[Dimension], dtype, grid: Sequence[int], *, order: str = "C",
                 ranks: Optional[Sequence[int]] = None, grid_order: str = "C",
                 leading: Optional[Sequence[int]] = None) -> None:
        self.dtype = np.dtype(dtype)
        self.order = order
        grid = [int(extent) for extent in grid]
        if ranks is not None and len(ranks) < int(np.prod(grid)):
            raise ArrayError(ArrayError.GRID, f"the grid has {int(np.prod(grid))} positions, but 'ranks' names "
                                              f"{len(ranks)} processes")
        axes = []
        for one in dimensions:
            size = one.block
            if one.layout == _CYCLIC and size == 0:
                processes = grid[one.grid_dimension] if 0 <= one.grid_dimension < len(grid) else 1
                size = max(1, -(-one.extent // max(processes, 1)))
            axes.append((one.extent, one.layout, size, list(one.bounds), one.grid_dimension, one.first_process,
                         one.offset, *one.ghosts))
        self._core = core.create(_type_of(self.dtype), axes, grid, list(ranks or ()), _order_of(grid_order),
                                 _order_of(order), list(leading or ()),
                                 [one.lists._core if one.lists else None for one in dimensions])

    @classmethod
    def _of(cls, native, dtype: np.dtype, order: str) -> Distribution:
        made = cls.__new__(cls)
        made._core, made.dtype, made.order = native, dtype, order
        return made

    @classmethod
    def from_scalapack(cls, descriptor: Sequence[int], dtype, rows: int, columns: int,
                       grid_order: str = "C") -> Distribution:
        """From the 9 integers of descinit, over a grid of rows x columns processes."""
        if len(descriptor) != 9:
            raise ArrayError(ArrayError.ARGUMENT, f"a ScaLAPACK descriptor has 9 integers, not {len(descriptor)}")
        dtype = np.dtype(dtype)
        return cls._of(core.from_scalapack([int(word) for word in descriptor], _type_of(dtype), rows, columns,
                                           _order_of(grid_order)), dtype, "F")

    def section(self, first: Sequence[int], count: Sequence[int], stride: Optional[Sequence[int]] = None,
                permutation: Optional[Sequence[int]] = None) -> Distribution:
        """`count[d]` elements from `first[d]` on, each `stride[d]` apart, of the same local memory. Dimension d of a
        receiver takes the sender's dimension permutation[d], so (1, 0) transposes."""
        dimensions = len(self.shape)
        for name, given in (("first", first), ("count", count), ("stride", stride), ("permutation", permutation)):
            if given is not None and len(given) != dimensions:
                raise ArrayError(ArrayError.ARGUMENT, f"section: the array has {dimensions} dimensions, but "
                                                      f"'{name}' has {len(given)} numbers")
        return self._of(self._core.section(list(first), list(count), list(stride or [1] * dimensions),
                                           list(permutation or ())), self.dtype, self.order)

    def transposed(self) -> Distribution:
        """All of it, for a receiver that takes the sender's dimensions in the opposite order."""
        dimensions = len(self.shape)
        return self.section([0] * dimensions, self.shape, None, list(reversed(range(dimensions))))

    def converting(self) -> Distribution:
        """For a receiver that takes elements of any type that converts to its own."""
        return self._of(self._core.converting(), self.dtype, self.order)

    @property
    def shape(self) -> Tuple[int, ...]:
        """Of the whole array."""
        return tuple(self._core.extents())

    def local(self, rank: int) -> LocalPart:
        elements, allocated, offset, shape, allocation, strides = self._core.local(rank)
        return LocalPart(elements, allocated, offset, tuple(shape), tuple(allocation), tuple(strides))

    def zeros(self, rank: int) -> np.ndarray:
        """Local memory for one process: its allocation, ghosts included."""
        return np.zeros(self.local(rank).allocation, self.dtype, order=self.order)

    def owned(self, local: np.ndarray, rank: int) -> np.ndarray:
        """A view of those elements of local memory that `rank` owns."""
        part = self.local(rank)
        flat = local.reshape(-1, order=self.order)[part.offset:] if part.elements else local.reshape(-1)[:0]
        if flat.size and not np.shares_memory(flat, local):
            raise ValueError(f"local memory is not contiguous in order {self.order!r}")
        size = self.dtype.itemsize
        return np.lib.stride_tricks.as_strided(flat, part.shape, [stride * size for stride in part.strides])

    def indices(self, rank: int) -> Tuple[np.ndarray, ...]:
        """Of each dimension: the indices of the elements that `rank` owns, shaped so that they broadcast."""
        part = self.local(rank)
        out = []
        for d, count in enumerate(part.shape):
            # A part without elements has no indices, but a shape.
            numbers = [self._core.index(rank, part.offset + i * part.strides[d])[d] if part.elements else 0
                       for i in range(count)]
            shape = [1] * len(part.shape)
            shape[d] = len(numbers)
            out.append(np.array(numbers, np.int64).reshape(shape))
        return tuple(out)

    def position(self, rank: int, index: Sequence[int]) -> int:
        """Where an element lies in `rank`'s local memory, in elements; -1 where it does not."""
        return self._core.position(rank, list(index))

    def index(self, rank: int, position: int) -> Tuple[int, ...]:
        """Which element lies there; ArrayError for ghosts and padding."""
        return tuple(self._core.index(rank, position))


def schedule(source: Distribution, destination: Distribution, rank: int, form: str = "text") -> str:
    """One process' part of the schedule between them, as 'text', as an 'ascii' drawing or as 'svg'."""
    if form not in _FORMS:
        raise ValueError(f"form is {form!r}; use {', '.join(_FORMS)}")
    return core.schedule(source._core, destination._core, rank, _FORMS[form])


def checked(local, array: Distribution, name: str, writable: bool) -> np.ndarray:
    """`local` if it can be what `array` describes, without a copy."""
    if not isinstance(array, Distribution):
        raise TypeError(f"the distribution of '{name}' is a {type(array).__name__}, not a lapwing.Distribution")
    if not isinstance(local, np.ndarray):
        local = np.asarray(memoryview(local))
    if local.dtype != array.dtype:
        raise ArrayError(ArrayError.TYPE, f"'{name}' has elements of {local.dtype}, its distribution of {array.dtype}")
    if writable and not local.flags.writeable:
        raise ArrayError(ArrayError.BUFFER, f"'{name}' is received into, but is read-only")
    fits = local.flags.c_contiguous if array.order == "C" else local.flags.f_contiguous
    if local.ndim > 1 and not fits:
        raise ArrayError(ArrayError.BUFFER, f"'{name}' is not contiguous in order {array.order!r}, which its distribution "
                                            "has; nothing is copied, so make it so (numpy.require), or describe a part of "
                                            "an array by Distribution.section")
    if local.ndim == 1 and not local.flags.c_contiguous:
        raise ArrayError(ArrayError.BUFFER, f"'{name}' has gaps between its elements; give the whole array and describe "
                                            "the part by Distribution.section")
    return local
