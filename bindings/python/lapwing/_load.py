# SPDX-License-Identifier: Apache-2.0
"""Finds the native part that belongs to the MPI of mpi4py, or says why there is none."""
import importlib
import os
import pathlib
from types import ModuleType

from mpi4py import MPI

from .errors import FlavourError

NAMES = {"openmpi": "Open MPI", "mpich": "MPICH"}
LIBRARIES = {"openmpi": "libmpi.so.40", "mpich": "libmpich.so"}


def flavour_of_mpi4py() -> str:
    vendor = MPI.get_vendor()[0]
    for flavour, name in NAMES.items():
        if vendor == name:
            return flavour
    raise FlavourError(f"mpi4py is built for {vendor}; Lapwing knows {' and '.join(NAMES.values())}")


def built() -> list:
    """The flavours that this package has a native part for."""
    here = pathlib.Path(__file__).parent
    return [flavour for flavour in NAMES if any(here.glob(f"_core_{flavour}.*so"))]


def check_process(flavour: str) -> None:
    """One process must not hold two MPIs, nor be started by the launcher of the other."""
    mine, other = flavour, "mpich" if flavour == "openmpi" else "openmpi"
    try:
        loaded = pathlib.Path("/proc/self/maps").read_text()
    except OSError:
        loaded = ""
    if f"/{LIBRARIES[other]}" in loaded:
        raise FlavourError(f"mpi4py is built for {NAMES[mine]}, but the library of {NAMES[other]} is loaded in this "
                           "process too; preload and link the libraries of one MPI only")
    launched = int(os.environ.get("PMI_SIZE" if other == "mpich" else "OMPI_COMM_WORLD_SIZE", "1"))
    if launched > 1 and MPI.COMM_WORLD.Get_size() == 1:
        raise FlavourError(f"{launched} processes were started by the mpiexec of {NAMES[other]}, but mpi4py is built for "
                           f"{NAMES[mine]}, to which each of them is alone; use mpiexec.{mine}")


def load() -> ModuleType:
    flavour = flavour_of_mpi4py()
    check_process(flavour)
    if flavour not in built():
        has = " and ".join(NAMES[one] for one in built()) or "no MPI"
        raise FlavourError(f"mpi4py is built for {NAMES[flavour]}, but this Lapwing package for {has}; build Lapwing "
                           "where Python finds that mpi4py (CMake option LAPWING_PYTHON)")
    return importlib.import_module(f"._core_{flavour}", __package__)


core = load()
