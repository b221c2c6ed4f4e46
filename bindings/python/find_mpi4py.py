# SPDX-License-Identifier: Apache-2.0
"""Prints, as a list of CMake's, for which MPIs this Python has an mpi4py; fails without one, or without NumPy. MPI is
not started: the name of its library in mpi4py's own tells."""
import importlib.util
import pathlib
import sys


def main():
    spec = importlib.util.find_spec("mpi4py")
    if spec is None or importlib.util.find_spec("numpy") is None:
        sys.exit(1)
    found = []
    for library in sorted(pathlib.Path(spec.submodule_search_locations[0]).glob("MPI*.so")):
        content = library.read_bytes()
        for flavour, name in (("mpich", b"libmpich.so"), ("openmpi", b"libmpi.so.40")):
            if name in content and flavour not in found:
                found.append(flavour)
    print(";".join(found))


if __name__ == "__main__":
    main()
