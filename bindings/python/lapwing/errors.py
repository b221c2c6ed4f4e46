# SPDX-License-Identifier: Apache-2.0
"""What the calls raise."""


class ArrayError(RuntimeError):
    """A call was refused; the sentence says what differed, at which task, rank and dimension, and both values.

    `code` is one of the codes below, as in lapwing/array_distributions.h.
    """

    SHAPE, TYPE, GRID, TASK, BUFFER, DIFFERS, ARGUMENT, STATE, MPI, FILE = range(1, 11)

    def __init__(self, code: int, sentence: str) -> None:
        super().__init__(sentence)
        self.code = code


class FlavourError(ImportError):
    """Lapwing, mpi4py and the program's launcher do not belong to the same MPI."""
