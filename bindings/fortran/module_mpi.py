# SPDX-License-Identifier: Apache-2.0
"""The source of the module mpi: interfaces that bind straight to the library's mpi_x_.

Routines with a choice buffer are plain externals, as the standard allows: whatever
interface they had, flang would refuse an element of an assumed-shape or pointer
array as the beginning of a buffer, which programs pass all the time. An array that
is not contiguous is copied in and out as with an interface.
"""

from fortran import Dialect, block, constants, sentinels

# These also have a form with type(c_ptr), which is mpi_f08's: where an address is
# written, it does not matter what holds it. (The library's own name for both forms
# is refused by flang.)
CPTR = ("alloc_mem", "win_allocate", "win_allocate_shared", "win_shared_query")


def interfaces(chosen, prefix=""):
    """Interface blocks of all routines; `prefix` "P" for those of the profiling layer."""
    plain, generic = [], []
    mpi, mpi_c = Dialect(f08=False), Dialect(f08=False, cptr=True)
    for stem, signature in chosen.items():
        name = f"{prefix}MPI_{signature.name}"
        if signature.kind in ("callback", "function"):
            continue
        if has_choice_buffer(signature):
            continue
        if stem in CPTR:
            symbol = f"lapwing_{prefix.lower()}f08_{stem}"
            bodies = mpi.body(signature, name) + mpi_c.body(signature, f"{name}_cptr", symbol)
            generic += block(f"interface {name}", bodies, "end interface")
        else:
            plain += mpi.body(signature, name)
    return block("interface", plain, "end interface") + generic


def has_choice_buffer(signature):
    return any(a.type == "buf" for a in signature.arguments)


def externals(chosen):
    functions = [f"external :: MPI_{s.name}" for s in chosen.values() if s.kind == "function"]
    return functions + [f"external :: {prefix}MPI_{s.name}" for prefix in ("", "P") for s in chosen.values()
                        if s.kind not in ("callback", "function") and has_choice_buffer(s)]


def module(chosen, mpif):
    lines = ["use, intrinsic :: iso_c_binding, only: c_ptr", "use lapwing_mpi_sizeof, only: MPI_Sizeof, PMPI_Sizeof",
             "implicit none", "private :: c_ptr", ""]
    lines += constants(mpif, {}, [])
    lines += sentinels(mpif, f08=False)
    lines += externals(chosen)
    lines += interfaces(chosen)
    lines += interfaces(chosen, "P")
    return block("module mpi", lines, "end module")
