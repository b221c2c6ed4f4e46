#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Random programs of tests/fuzz under MPIs for which the tree has no interpreter: members of other versions and ABIs.

    fuzz.py --build DIR [--homes A:B] [--mpi "MPICH 5"]... [--programs 500] [--first 1] [--seconds S]

The interpreter is compiled for each, into DIR/fuzz-mpis, when it is older than its sources. Each program runs plainly and under
both guards where the kernel permits them. An MPI that is absent is named and skipped.
"""
import argparse
import os
import pathlib
import re
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
FUZZ = HERE.parent / "fuzz"
sys.path.insert(0, str(FUZZ))
import launching  # noqa: E402
import run as fuzzing  # noqa: E402
import variations  # noqa: E402
from installations import homes_of, installations  # noqa: E402

# The interpreter leaves out for all members of MPICH's family what it leaves out for MPICH's mistakes.
KIN = ["-DMPICH_VERSION=\"kin\""]
TRANSPORTS = {
    # Not MPIR_CVAR_NOLOCAL=1, under which MPICH 5.0.2 hangs with messages of 80 KB and more, whatever UCX_TLS is.
    "MPICH": [{}],
    "Open MPI": [{}, {"OMPI_MCA_pml": "ob1", "OMPI_MCA_btl": "tcp,self"}],
    "Intel MPI": [{}, {"I_MPI_FABRICS": "shm"}],
}


def interpreter(mpi, build):
    """The path of the program for this MPI."""
    program = build / "fuzz-mpis" / re.sub(r"\W+", "-", mpi.name)
    sources = sorted([*FUZZ.glob("*.cpp"), *FUZZ.glob("*.hpp"), *FUZZ.glob("*.c")])
    if program.exists() and program.stat().st_mtime > max(s.stat().st_mtime for s in sources):
        return program
    program.parent.mkdir(parents=True, exist_ok=True)
    root = HERE.parents[1]
    options = [f"-I{root / 'include'}", f"-I{root / 'src'}", "-DMPICH_SKIP_MPICXX", "-DOMPI_SKIP_MPICXX", f'-DLAPWING_FLAVOUR="{mpi.family}"',
               *(KIN if mpi.family == "abi" else []), "-O1", "-g", "-w", "-pthread"]
    objects = []
    # As one unit: the headers take most of the time.
    unit = program.with_suffix(".cpp")
    unit.write_text("".join(f'#include "{s}"\n' for s in sources if s.suffix == ".cpp"))
    for source in [unit, *(s for s in sources if s.suffix == ".c")]:
        compiler = ["g++", "-std=c++20"] if source.suffix == ".cpp" else ["gcc"]
        objects.append(program.parent / f"{program.name}-{source.stem}.o")
        subprocess.run([*compiler, "-c", *options, *(f for f in mpi.flags if f.startswith(("-I", "-D"))), source, "-o", objects[-1]],
                       check=True)
    subprocess.run(["g++", *objects, *(f for f in mpi.flags if not f.startswith(("-I", "-D"))), "-pthread", "-ldl", "-o", program], check=True)
    return program


class Launcher(launching.Launcher):
    """Launches an interpreter that lies elsewhere, under a launcher of its own."""

    def __init__(self, build, stall, mpi):
        super().__init__(build, stall)
        self.program = interpreter(mpi, pathlib.Path(build))

    def interpreter(self, mpi):
        return self.program


def fuzz(mpi, options):
    launching.MPIEXEC[mpi.name] = [*mpi.launcher]
    variations.TRANSPORTS[mpi.name] = next(ts for name, ts in TRANSPORTS.items() if mpi.name.startswith(name))
    os.environ.update(launching.QUIET, OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1")
    if mpi.library:
        os.environ["LD_LIBRARY_PATH"] = mpi.library
    sys.argv = ["run.py", "--build", str(options.build), "--programs", str(options.programs), "--seed", str(options.first),
                "--no-record", "--no-shrink", "--stall", str(options.stall), "--seconds", str(options.seconds), "--save", str(options.build / "fuzz-mpis/failures"),
                *(["--guard", options.guard] if options.guard else []), *(["--control"] if options.control else [])]
    chosen = fuzzing.parse()
    chosen.mpi = mpi.name
    fuzzer = fuzzing.Fuzzer(chosen, Launcher(options.build, chosen.stall, mpi))
    fuzzer.run()
    os.environ.pop("LD_LIBRARY_PATH", None)
    return fuzzer.summary()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, required=True)
    parser.add_argument("--homes", default=os.environ.get("MPI_HOMES", ""))
    parser.add_argument("--fetch", action="store_true")
    parser.add_argument("--mpi", action="append", help="only these, by the names that this program prints")
    parser.add_argument("--programs", type=int, default=500)
    parser.add_argument("--first", type=int, default=1, help="the seed of the first program")
    parser.add_argument("--seconds", type=float, default=0, help="stop each MPI after so many; 0 for no limit")
    parser.add_argument("--stall", type=float, default=25, help="seconds without progress that are a hang")
    parser.add_argument("--guard", choices=["userfaultfd", "mprotect"])
    parser.add_argument("--control", action="store_true", help="compare plain with plain")
    options = parser.parse_args()
    options.build = options.build.resolve()
    mpis, absent = installations(homes_of(options.homes, options.build, options.fetch))
    for name in absent:
        print(f"{name}: absent; skipped")
    results = [fuzz(mpi, options) for mpi in mpis
               if mpi.flags and (mpi.name in options.mpi if options.mpi else "Debian" not in mpi.name)]
    if not results:
        print("nothing was tested")
    return max(results, default=77)


if __name__ == "__main__":
    sys.exit(main())
