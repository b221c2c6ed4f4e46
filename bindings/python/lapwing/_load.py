# SPDX-License-Identifier: Apache-2.0
"""Finds the native part that belongs to the MPI of mpi4py, or says why there is none."""
import importlib
import os
import pathlib
from types import ModuleType

from mpi4py import MPI

from .errors import FlavourError

NAMES = {"openmpi": "Open MPI", "mpich": "MPICH and its kin", "abi": "the standard ABI of MPI 5"}
LIBRARIES = {"openmpi": ("/libmpi.so.40",), "mpich": ("/libmpich.so.12", "/libmpi.so.12")}
SIZES = {"openmpi": "OMPI_COMM_WORLD_SIZE", "mpich": "PMI_SIZE", "abi": "PMI_SIZE"}
STANDARD_WORLD = 0x101  # MPI_COMM_WORLD by the standard ABI


def flavour_of_mpi4py() -> str:
    """By how it represents handles: as an int in the MPICH ABI, as an address or a fixed number in the others."""
    if MPI._sizeof(MPI.Comm) == 4:
        return "mpich"
    return "abi" if MPI._handleof(MPI.COMM_WORLD) == STANDARD_WORLD else "openmpi"


def built() -> list:
    """The flavours that this package has a native part for."""
    here = pathlib.Path(__file__).parent
    return [flavour for flavour in NAMES if any(here.glob(f"_core_{flavour}.*so"))]


def check_process(flavour: str) -> None:
    """One process must not hold two MPIs, nor be started by the launcher of the other."""
    mine, other = MPI.get_vendor()[0], "mpich" if flavour == "openmpi" else "openmpi"
    try:
        loaded = pathlib.Path("/proc/self/maps").read_text()
    except OSError:
        loaded = ""
    if any(library in loaded for library in LIBRARIES[other]):
        raise FlavourError(f"mpi4py is built for {mine}, but the library of {NAMES[other]} is loaded in this "
                           "process too; preload and link the libraries of one MPI only")
    launched = int(os.environ.get(SIZES[other], "1"))
    if launched > 1 and MPI.COMM_WORLD.Get_size() == 1:
        raise FlavourError(f"{launched} processes were started by the launcher of {NAMES[other]}, but mpi4py is built for "
                           f"{mine}, to which each of them is alone; use the mpiexec of {mine}")


def load() -> ModuleType:
    flavour = flavour_of_mpi4py()
    check_process(flavour)
    if flavour not in built():
        has = " and ".join(NAMES[one] for one in built()) or "no MPI"
        raise FlavourError(f"mpi4py speaks to {NAMES[flavour]}, but this Lapwing package to {has}; build Lapwing "
                           "where it finds such an MPI (MPI_HOMES)")
    return importlib.import_module(f"._core_{flavour}", __package__)


core = load()
