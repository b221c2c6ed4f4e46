# SPDX-License-Identifier: Apache-2.0
"""Distributed arrays: data-parallel tasks send each other whole arrays.

    from mpi4py import MPI
    import lapwing

    tasks = lapwing.ArrayTasks.of_sizes(MPI.COMM_WORLD, [4, 2])
    if tasks.task == 0:
        a = lapwing.Distribution([lapwing.block(8), lapwing.collapsed(8)], float, grid=[4])
        tasks.send(a.zeros(tasks.rank), a, dest=1, tag=99)
    else:
        b = lapwing.Distribution([lapwing.collapsed(8), lapwing.block(8)], float, grid=[2])
        local = b.zeros(tasks.rank)
        tasks.recv(local, b, source=0, tag=99)

Errors are exceptions, at both tasks. For that every process of a job returns errors; C and Fortran programs of the
same job call lapwing_array_errors_return() before they make tasks, or this one errors_return(False), with which an
error ends the job.
"""
from ._load import core as _core
from .array_tasks import (ANY_TAG, ANY_TASK, OPS, STRATEGIES, TASK_NULL, ArrayTasks, Request, Status, attach_buffer,
                          detach_buffer, progress, startall, testall, waitall, waitany)
from .distarray import from_distarray, to_distarray
from .distributions import (Dimension, Distribution, IndexLists, LocalPart, block, collapsed, cyclic, indexed, irregular,
                            schedule)
from .errors import ArrayError, FlavourError
from .fft import FFT


def errors_return(on: bool) -> bool:
    """Calls raise ArrayError (True, as this package begins), or end the job. Before tasks are made."""
    return _core.errors_return(on)


_core.errors_return(True)

Tasks = ArrayTasks  # its name until 0.1; lapwing.tasks is the module of tasks with declared accesses

__all__ = ["ANY_TAG", "ANY_TASK", "OPS", "STRATEGIES", "TASK_NULL", "ArrayError", "ArrayTasks", "Dimension",
           "Distribution", "FFT", "FlavourError", "IndexLists", "LocalPart", "Request", "Status", "Tasks", "attach_buffer", "block",
           "collapsed", "cyclic", "detach_buffer", "errors_return", "from_distarray", "indexed", "irregular", "progress",
           "schedule", "startall", "testall", "to_distarray", "waitall", "waitany"]
