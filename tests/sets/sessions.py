#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""sessions.py --build DIR [--homes A:B]: sessions.c and the examples of that name with every MPI that is there and has sessions.

MPIs are those of tests/mpis: Debian's, those in --homes, and those that `make fetch-mpis` has fetched. Open MPI 4.1 has no
sessions; the others have.
"""
import argparse
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "mpis"))
from installations import homes_of, installations  # noqa: E402

ROOT = HERE.parent.parent
MODES = {"as it is": {}, "off": {"LAPWING_SETS": "off"}, "check": {"LAPWING_SETS": "check"}, "stripped": {"LAPWING_DEFER": "on"}}


# An error of a session ends the job, whatever handler the session has: what must be refused is left out.
WITHOUT_HANDLERS = ("Intel MPI 2021, standard ABI",)


def compiled(mpi, build, folder, source):
    program = folder / f"{mpi.name}-{source.parent.parent.name}{source.suffix}".replace(" ", "-")
    compiler = ["g++", "-std=c++20", "-DOMPI_SKIP_MPICXX", "-DMPICH_SKIP_MPICXX"] if source.suffix == ".cpp" else ["gcc"]
    done = subprocess.run([*compiler, "-O1", "-g", "-Wall", f"-I{ROOT / 'include'}", source, "-o", program,
                           f"-L{build / 'lib'}", "-Wl,--no-as-needed", f"-Wl,-rpath,{build / 'lib'}", f"-llapwing-{mpi.family}", *mpi.flags],
                          capture_output=True, text=True, check=False, timeout=60)
    if done.returncode != 0 and "MPI_Session" in done.stderr:
        return None
    if done.returncode != 0 or "warning" in done.stderr:
        raise RuntimeError(f"{mpi.name}: {done.stderr}")
    return program


def compiled_fortran(build, folder):
    """The Fortran example by gfortran, with Debian's MPICH: the only one whose Fortran wrapper is known here."""
    library = build / "lib/liblapwing-mpich.so"
    if not shutil.which("mpifort.mpich") or not library.exists():
        return None
    program = folder / "sessions-fortran"
    subprocess.run(["mpifort.mpich", "-O1", "-Wall", "-J", folder, ROOT / "bindings/fortran/lapwing.f90", ROOT / "examples/sets/sessions.f90",
                    "-o", program, "-Wl,--no-as-needed", library, f"-Wl,-rpath,{build / 'lib'}"], check=True, timeout=60)
    return program


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--build", type=pathlib.Path, required=True)
    parser.add_argument("--homes", default=os.environ.get("MPI_HOMES", ""))
    options = parser.parse_args()
    build = options.build.resolve()
    tried = wrong = 0
    with tempfile.TemporaryDirectory(prefix="lapwing-sessions-") as folder:
        for mpi in installations(homes_of(options.homes, build))[0]:
            if not mpi.flags or not (build / f"lib/liblapwing-{mpi.family}.so").exists():
                print(f"{mpi.name}: no headers of its own, or no engine of its family in this tree; left out")
                continue
            program = compiled(mpi, build, pathlib.Path(folder), HERE / "sessions.c")
            if program is None:
                print(f"{mpi.name}: has no sessions; left out")
                continue
            for source, size in (("sessions.c", 4), ("sessions.cpp", 4), ("sessions.c", 1), ("sessions.cpp", 2)):
                example = compiled(mpi, build, pathlib.Path(folder), ROOT / "examples/sets" / source)
                done = subprocess.run([*mpi.launcher, "-n", str(size), example], capture_output=True, text=True, check=False, timeout=100,
                                      env=mpi.environment(), stdin=subprocess.DEVNULL)
                tried += 1
                if done.returncode != 0 or done.stdout != f"sessions: {size} processes, {size // 3} of them ice: right\n" or done.stderr:
                    wrong += 1
                    print(f"{mpi.name}, {source} on {size}: status {done.returncode}\n{done.stdout}{done.stderr}")
            for ranks in ("4", "5"):
                for mode, variables in MODES.items():
                    done = subprocess.run([*mpi.launcher, "-n", ranks, program, *(["accepted"] if mpi.name in WITHOUT_HANDLERS else [])], capture_output=True, text=True, check=False, timeout=100,
                                          env={**mpi.environment(), **variables}, stdin=subprocess.DEVNULL)
                    tried += 1
                    run = mode in ("as it is", "stripped")
                    if done.returncode != 0 or f"right in mode {int(run)}" not in done.stdout or "lapwing:" in done.stderr:
                        wrong += 1
                        print(f"{mpi.name}, {ranks} ranks, sets {mode}: status {done.returncode}\n{done.stdout}{done.stderr}")
            print(f"{mpi.name}: {done.stdout.strip()}")
        fortran = compiled_fortran(build, pathlib.Path(folder))
        for mode in ("as it is", "stripped") if fortran else ():
            done = subprocess.run(["mpiexec.mpich", "-n", "4", fortran], capture_output=True, text=True, check=False, timeout=100,
                                  env={**os.environ, "LAPWING_SETS": "run", **MODES[mode]}, stdin=subprocess.DEVNULL)
            tried += 1
            if done.returncode != 0 or done.stdout != "sessions: 4 processes, 1 of them ice: right\n" or done.stderr:
                wrong += 1
                print(f"the Fortran example, {mode}: status {done.returncode}\n{done.stdout}{done.stderr}")
    print(f"{tried} runs, {wrong} wrong")
    return 1 if wrong or not tried else 0


if __name__ == "__main__":
    sys.exit(main())
