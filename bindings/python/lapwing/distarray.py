# SPDX-License-Identifier: Apache-2.0
"""The Distributed Array Protocol, version 0.10: dictionaries that other packages give and take, without a copy.

Each process has the dictionary of its own part, so both directions need the grid position of every process; the
grid is numbered row-major over the ranks of the communicator, as the protocol demands.
"""
from __future__ import annotations

from typing import Any, Dict, List, Tuple

import numpy as np
from mpi4py import MPI

from .distributions import _CYCLIC, Dimension, Distribution, collapsed, cyclic, irregular
from .errors import ArrayError


def _padding(one: Dict[str, Any]) -> Tuple[int, int]:
    """Layers that are the neighbours': at the array's edge padding is the program's own, and counts as owned."""
    below, above = one.get("padding", (0, 0))
    periodic = one.get("periodic", False)
    first, last = one["proc_grid_rank"] == 0, one["proc_grid_rank"] == one["proc_grid_size"] - 1
    return (0 if first and not periodic else below), (0 if last and not periodic else above)


def _dimension(d: int, parts: List[Dict[str, Any]], rank: int, grid_dimension: int) -> Dimension:
    """From dimension `d` of every process' dictionary."""
    mine = parts[rank]
    kinds = {one["dist_type"] for one in parts}
    sizes = {one["size"] for one in parts}
    if len(kinds) > 1 or len(sizes) > 1:
        raise ArrayError(ArrayError.DIFFERS, f"processes describe dimension {d} differently: kinds {sorted(kinds)}, sizes "
                                             f"{sorted(sizes)}")
    kind, size = mine["dist_type"], mine["size"]
    if kind == "n":
        return collapsed(size)
    if kind == "c":
        first = next((one["proc_grid_rank"] for one in parts if one["start"] == 0), 0)
        return cyclic(size, mine.get("block_size", 1), grid_dimension, first_process=first)
    if kind == "b":
        ranges = {one["proc_grid_rank"]: (one["start"], one["stop"]) for one in parts}
        bounds = [0]
        for position in range(mine["proc_grid_size"]):
            start, stop = ranges[position]
            if start != bounds[-1]:
                raise ArrayError(ArrayError.DIFFERS, f"dimension {d}: the block of grid position {position} starts at "
                                                     f"{start}, but the one before it stops at {bounds[-1]}")
            bounds.append(stop)
        return irregular(bounds, grid_dimension).with_ghosts(*_padding(mine))
    raise ArrayError(ArrayError.ARGUMENT, f"dimension {d} has distribution type {kind!r}; Lapwing knows 'b', 'c' and 'n' "
                                          "(an unstructured one lists its indices one by one)")


def from_distarray(exporter, comm: MPI.Comm) -> Tuple[np.ndarray, Distribution]:
    """Local memory and distribution of an object with __distarray__(), or of its dictionary. Collective over `comm`,
    the processes of the task."""
    given = exporter.__distarray__() if hasattr(exporter, "__distarray__") else exporter
    local = np.asarray(given["buffer"])
    rank = comm.Get_rank()
    everybody = comm.allgather([{"dist_type": "n", **{key: value for key, value in one.items() if key != "indices"}}
                                for one in given["dim_data"]])
    dimensions, grid = [], []
    for d in range(len(everybody[rank])):
        parts = [one[d] for one in everybody]
        made = _dimension(d, parts, rank, len(grid))
        if made.grid_dimension >= 0:
            grid.append(parts[rank]["proc_grid_size"])
        dimensions.append(made)
    if int(np.prod(grid)) != comm.Get_size():
        raise ArrayError(ArrayError.GRID, f"the process grid {' x '.join(map(str, grid))} of the dictionary does not have "
                                          f"the {comm.Get_size()} processes of the communicator")
    order = "C" if local.flags.c_contiguous else "F"
    array = Distribution(dimensions, local.dtype, grid or [1], order=order)
    part = array.local(rank)
    if local.shape != part.allocation and local.size != 0:
        raise ArrayError(ArrayError.BUFFER, f"the buffer is {local.shape}, but its dictionary describes {part.allocation}")
    return local, array


def to_distarray(local: np.ndarray, dimensions, grid, rank: int) -> Dict[str, Any]:
    """The dictionary for other packages of `local`, distributed as `dimensions` over the row-major grid `grid`."""
    array = Distribution(dimensions, local.dtype, grid, order="C" if local.flags.c_contiguous else "F")
    part = array.local(rank)
    indices = array.indices(rank)
    dim_data, shown = [], []
    for d, one in enumerate(dimensions):
        shown.append(slice(None))
        if one.grid_dimension < 0:
            dim_data.append({"dist_type": "n", "size": one.extent})
            continue
        position = int(np.unravel_index(rank, grid)[one.grid_dimension])
        common = {"size": one.extent, "proc_grid_size": grid[one.grid_dimension], "proc_grid_rank": position}
        start = int(indices[d].flat[0]) if part.shape[d] else one.extent
        if one.layout == _CYCLIC and one.block:
            dim_data.append({"dist_type": "c", **common, "start": start, "block_size": one.block})
        else:
            # To the protocol there are no neighbours' layers at the array's edges.
            below, above = one.ghosts
            first, last = position == 0, position == common["proc_grid_size"] - 1
            shown[d] = slice(below if first else 0, local.shape[d] - (above if last else 0))
            dim_data.append({"dist_type": "b", **common, "start": start, "stop": start + part.shape[d],
                             "padding": (0 if first else below, 0 if last else above)})
    return {"__version__": "0.10.0", "buffer": local[tuple(shown)], "dim_data": tuple(dim_data)}
