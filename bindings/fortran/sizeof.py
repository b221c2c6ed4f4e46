# SPDX-License-Identifier: Apache-2.0
"""The source of MPI_Sizeof: one procedure for each type and kind that flang has, for any rank."""

from fortran import block

KINDS = {"integer": (1, 2, 4, 8, 16), "real": (2, 4, 8, 10, 16), "complex": (2, 4, 8, 10, 16), "logical": (1, 2, 4, 8)}


def module():
    names, bodies = [], []
    kinds = [(f"{t}({k})", f"lapwing_sizeof_{t}{k}") for t, ks in KINDS.items() for k in ks]
    for type, name in [*kinds, ("character(len=*)", "lapwing_sizeof_character")]:
        names.append(name)
        bodies += block(f"subroutine {name}(x, size, ierror)",
                        ["!dir$ ignore_tkr(r) x", f"{type}, intent(in) :: x", "integer, intent(out) :: size",
                         "integer, optional, intent(out) :: ierror", "size = storage_size(x) / 8",
                         "if (present(ierror)) ierror = 0"], "end subroutine")
    generic = []
    for prefix in ("", "P"):
        generic += block(f"interface {prefix}MPI_Sizeof", [f"module procedure {n}" for n in names], "end interface")
    return block("module lapwing_mpi_sizeof", ["implicit none", "private", "public :: MPI_Sizeof, PMPI_Sizeof",
                                               *generic, "contains", *bodies], "end module")
