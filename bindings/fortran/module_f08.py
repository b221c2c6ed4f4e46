# SPDX-License-Identifier: Apache-2.0
"""The sources of mpi_f08 and of the helper module with its types.

A routine binds to lapwing_f08_x, which shims.py writes. One that takes strings
is the external lapwing_f08_x_, in which the lengths follow the arguments:
bind(C) would pass descriptors.
"""

import routines
from large import OWN_NAME
from fortran import PRIVATE_FIELD, Dialect, block, constants, sentinels


def types(chosen, mpif):
    lines = []
    for name in routines.handle_types(chosen):
        lines += block(f"type, bind(C) :: MPI_{name}", ["integer :: MPI_VAL"], "end type")
    fields = {mpif.values[f"MPI_{n}"]: f"MPI_{n}" for n in ("SOURCE", "TAG", "ERROR")}
    inner = [f"integer :: {fields[i]}" if i in fields else f"integer, private :: {PRIVATE_FIELD}{i}"
             for i in range(1, mpif.values["MPI_STATUS_SIZE"] + 1)]
    return lines + block("type, bind(C) :: MPI_Status", inner, "end type")


def operators(chosen):
    """Comparison of handles: interfaces, and the elemental functions behind them."""
    names = routines.handle_types(chosen)
    head, bodies = [], []
    for spelling, what in (("==", "eq"), ("/=", "ne")):
        head += block(f"interface operator({spelling})",
                      [f"module procedure lapwing_{what}_{n.lower()}" for n in names], "end interface")
        for n in names:
            function = f"lapwing_{what}_{n.lower()}"
            bodies += block(f"elemental logical function {function}(a, b)",
                            [f"type(MPI_{n}), intent(in) :: a, b", f"{function} = a%MPI_VAL {spelling} b%MPI_VAL"],
                            "end function")
    return head, bodies


def status_conversions():
    """MPI_Status_f2f08 and its reverse: both kinds of status have the same layout."""
    bodies = []
    for name, source, target in (("f2f08", "f_status", "f08_status"), ("f082f", "f08_status", "f_status")):
        declare = {"f_status": "integer, intent({}) :: f_status(MPI_STATUS_SIZE)",
                   "f08_status": "type(MPI_Status), intent({}) :: f08_status"}
        bodies += block(f"subroutine MPI_Status_{name}({source}, {target}, ierror)",
                        [declare[source].format("in"), declare[target].format("out"),
                         "integer, optional, intent(out) :: ierror",
                         f"{target} = transfer({source}, {target})",
                         "if (present(ierror)) ierror = MPI_SUCCESS"], "end subroutine")
    return bodies


def callbacks(chosen):
    bodies = []
    for signature in chosen.values():
        if signature.kind == "callback":
            bodies += Dialect(f08=True).body(signature, f"MPI_{signature.name}")
    return block("abstract interface", bodies, "end interface")


def types_module(chosen, mpif, handles):
    head, bodies = operators(chosen)
    lines = ["use, intrinsic :: iso_c_binding, only: c_ptr", "implicit none", "private :: c_ptr", ""]
    lines += types(chosen, mpif)
    lines += constants(mpif, handles, routines.handle_types(chosen))
    lines += sentinels(mpif, f08=True)
    lines += head + callbacks(chosen)
    return block("module lapwing_f08_types", lines + ["", "contains", ""] + bodies + status_conversions(),
                 "end module")


def is_bound(signature):
    return not signature.strings()


def function_bodies(chosen):
    """Interfaces of MPI's own callbacks, such as MPI_COMM_DUP_FN: mpi_comm_dup_fn_ of the library."""
    bodies = []
    for signature in chosen.values():
        callback = signature.kind == "function" and chosen.get(signature.result.lower())
        if callback:
            bodies += Dialect(f08=True).body(callback, f"MPI_{signature.name}")
    return bodies


def interfaces(chosen, large, prefix=""):
    """A routine's specific procedure is MPI_X_f08, MPI's name for it, and MPI_X_c_f08 with large counts. Where
    there is but one form MPI_X is that procedure itself, which gives better errors than a generic name."""
    f08 = Dialect(f08=True)
    plain, generic = ([], []) if prefix else (function_bodies(chosen), [])
    for stem, signature in chosen.items():
        name, shim = f"{prefix}MPI_{signature.name}", f"lapwing_{prefix.lower()}f08_{stem}"
        if signature.kind in ("callback", "function", "deprecated"):
            continue
        if signature.kind == "plain":
            plain += f08.body(signature, name)
            continue
        second = large.get(stem)
        if second and second.name.lower() in OWN_NAME:
            plain += f08.body(second, f"{prefix}MPI_{second.name}", f"{shim}_c")
            second = None
        bound = is_bound(signature)
        if bound and not second:
            plain += f08.body(signature, name, shim)
            generic.append(f'procedure({name}), bind(C, name="{shim}") :: {name}_f08')
            continue
        bodies = f08.body(signature, *((f"{name}_f08", shim) if bound else (shim,)))
        if second:
            bodies += f08.body(second, *((f"{name}_c_f08", f"{shim}_c") if bound else (f"{shim}_c",)))
        generic += block(f"interface {name}", bodies, "end interface")
    return block("interface", plain, "end interface") + generic


def module(chosen, large):
    lines = ["use, intrinsic :: iso_c_binding, only: c_ptr", "use lapwing_f08_types",
             "use lapwing_mpi_sizeof, only: MPI_Sizeof, PMPI_Sizeof", "implicit none", "private :: c_ptr", ""]
    return block("module mpi_f08", lines + interfaces(chosen, large) + interfaces(chosen, large, "P"), "end module")
