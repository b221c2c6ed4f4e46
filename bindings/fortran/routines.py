# SPDX-License-Identifier: Apache-2.0
"""Which routines a flavour has: those that src/calls describes and whose mpif.h spelling a library exports."""

import calls_path  # noqa: F401  before signatures and table
import signatures
import table

# Exported, in the table, and yet not offered.
LEFT_OUT = {
    "mpi_alloc_mem_cptr_": "a specific of MPI_Alloc_mem, which binds to mpi_alloc_mem_",
    "mpi_win_allocate_cptr_": "a specific of MPI_Win_allocate",
    "mpi_win_allocate_shared_cptr_": "a specific of MPI_Win_allocate_shared",
    "mpi_win_shared_query_cptr_": "a specific of MPI_Win_shared_query",
    "mpi_aint_add_f90_": "an inner name of the library's: MPI_Aint_add is mpi_aint_add_",
    "mpi_aint_diff_f90_": "an inner name of the library's",
    "mpi_wtick_f90_": "an inner name of the library's",
    "mpi_wtime_f90_": "an inner name of the library's",
}
LEFT_OUT_PREFIX = {
    "mpix_": "an extension (MPIX_): not of the modules mpi and mpi_f08, in the MPIs' own ones neither",
}


class RoutineError(Exception):
    pass


def exported(flavour, libmpi, nm="nm"):
    """{symbol: entry of the table} of all routines that Fortran code can call by mpif.h's spelling."""
    known = table.Table()
    result = {}
    for path in table.find_libraries(flavour, libmpi).values():
        for name in table.exported(path, nm)[0]:
            if not name.islower() or not name.endswith("_") or name.endswith("__") or not name.startswith("mpi"):
                continue
            try:
                symbol = table.classify(name, known)
            except table.TableError:
                continue  # the table's own test says so
            if symbol and symbol.form == "f77" and not symbol.profiling:
                result[name] = symbol.entry
    if not result:
        raise RoutineError(f"the Fortran library of {flavour} beside {libmpi} exports no routine; "
                           "is the package with its Fortran library installed?")
    return result


def with_arguments():
    return signatures.read()


def select(flavour, libmpi, nm="nm"):
    """(signatures that the flavour has, by lower-case name; symbols that have none and no reason)."""
    known = with_arguments()
    names = {s.name.lower() for s in known.values() if s.kind not in ("callback", "large")}
    chosen, missing = {}, []
    for symbol in sorted(exported(flavour, libmpi, nm)):
        stem = symbol[4:-1] if symbol.startswith("mpi_") else ""
        if symbol in LEFT_OUT or any(symbol.startswith(p) for p in LEFT_OUT_PREFIX):
            continue
        if stem in names:
            chosen[stem] = known[stem]
        else:
            missing.append(symbol)
    for signature in known.values():
        if signature.kind == "callback" and used(signature, chosen.values()):
            chosen[signature.name.lower()] = signature
    return chosen, missing


def used(callback, others):
    return any(a.callback == callback.name for s in others for a in s.arguments)


def handle_types(chosen):
    """The handle types that these routines take, in a fixed order."""
    found = {a.type for s in chosen.values() for a in s.arguments}
    return [h for h in signatures.HANDLES if h in found]
