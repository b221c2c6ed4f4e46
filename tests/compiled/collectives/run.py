#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Collectives that the pass has split in a whole program (-flto): what they give is right, and
they take their non-blocking form only where every process of the job does so.

  run.py --build BUILD --flavour mpich --compile mpicc.mpich --language c -- mpiexec
"""
import argparse
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
KINDS = ["bcast", "reduce", "allreduce", "gather", "gatherv", "scatter", "scatterv", "allgather", "allgatherv", "alltoall", "alltoallv"]
FORTRAN = ["bcast", "gatherv", "allreduce", "allgather"]


class Runs:
    def __init__(self, options, folder):
        self.options, self.folder = options, pathlib.Path(folder)
        self.forms = self.made("forms.so", [options.compile, "-O1", "-shared", "-fPIC", HERE / "forms.c", "-ldl"])

    def made(self, name, command):
        subprocess.run([*map(str, command), "-o", name], check=True, cwd=self.folder)
        return self.folder / name

    def by_pass(self, name, *words):
        wrapper, source = {"c": ("lwcc", "program.c")}.get(self.options.language, ("lwfc", "program.F90"))
        use = [f"-DUSE_{self.options.language.upper()}"] if wrapper == "lwfc" else []
        return self.made(name, [f"{self.options.build}/bin/{wrapper}.{self.options.flavour}", "-O2", *use, HERE / source, *words])

    def run(self, *parts, **variables):
        """Each part is (ranks, program, its variables); gives what was counted."""
        command = ["timeout", "60", *self.options.launcher]
        for index, (ranks, program, own) in enumerate(parts):
            own = {"LD_PRELOAD": self.forms, **own} if index == 0 else own
            command += [*([":"] if index else []), "-n", str(ranks), "env", *(f"{k}={v}" for k, v in own.items()), str(program)]
        ran = subprocess.run(command, capture_output=True, text=True, cwd=self.folder, check=False,
                             env={**os.environ, "LAPWING_DEFER": "on", **variables})
        if ran.returncode or ran.stdout != "everything adds up\n":
            sys.exit(f"{' '.join(command)}: status {ran.returncode}\n{ran.stdout}{ran.stderr}")
        counts = {}
        for line in ran.stderr.splitlines():
            word = line.split()
            if line.startswith("forms: "):
                counts[word[1]] = int(word[2]), int(word[4])
        return counts

    def expect(self, what, counts, split, not_split=()):
        for kind in split:
            if counts[kind][1] == 0:
                sys.exit(f"{what}: no {kind} is split: {counts}")
        for kind in not_split:
            if counts[kind][1] != 0:
                sys.exit(f"{what}: {kind} is split: {counts}")
        print(f"{what}: ok", flush=True)


def fortran(runs):
    # The module mpi_f08 comes with all of MPI's routines, called or not.
    program = runs.by_pass("whole", "-flto", *(["-Wl,--gc-sections"] if runs.options.language == "f08" else []))
    for ranks in (2, 3):
        runs.expect(f"{ranks} ranks", runs.run((ranks, program, {})), FORTRAN)
    runs.expect("one without", runs.run((1, program, {}), (1, program, {"LAPWING": "off"})), [], FORTRAN)


def c(runs):
    whole = runs.by_pass("whole", "-flto")
    for ranks in (2, 3, 4):
        counts = runs.run((ranks, whole, {}))
        runs.expect(f"{ranks} ranks", counts, KINDS)
        # Sums of numbers, small ones, one process, two groups.
        for kind in ("bcast", "allreduce"):
            if counts[kind][0] == 0:
                sys.exit(f"every {kind} is split: {counts}")
    runs.expect("polls", runs.run((2, whole, {}), LAPWING_HELPER="off"), KINDS)
    runs.expect("off", runs.run((2, whole, {}), LAPWING_DEFER="off"), [], KINDS)
    runs.expect("one off", runs.run((1, whole, {}), (1, whole, {"LAPWING_DEFER": "off"})), [], KINDS)
    runs.expect("one without", runs.run((1, whole, {}), (2, whole, {"LAPWING": "off"})), [], KINDS)
    # The larger threshold counts: a value of one rank's alone would part the forms.
    runs.expect("thresholds", runs.run((1, whole, {}), (1, whole, {"LAPWING_THRESHOLD_PROVED": "40K"})), ["alltoallv", "gather"], ["bcast"])
    preload = f"{runs.options.build}/lib/liblapwing-preload.so"
    runs.expect("preload", runs.run((2, whole, {"LD_PRELOAD": f"{preload}:{runs.forms}"})), [], KINDS)

    parts = runs.by_pass("parts")
    if "lapwing_start_bcast" in subprocess.run(["nm", "-u", parts], capture_output=True, text=True, check=True).stdout:
        sys.exit("a collective is split in a program of which one file was seen")
    runs.expect("another program", runs.run((1, whole, {}), (1, parts, {})), [], KINDS)

    runs.made("liblibrary.so", [runs.options.compile, "-O1", "-shared", "-fPIC", HERE / "library.c"])
    linked = runs.by_pass("linked", "-flto", "-DWITH_LIBRARY", "-L.", "-llibrary", "-Wl,-rpath," + str(runs.folder))
    runs.expect("a library", runs.run((2, linked, {})), ["gather", "allreduce"], ["bcast"])
    runs.made("libopener.so", ["gcc", "-O1", "-shared", "-fPIC", HERE / "opener.c", "-ldl"])
    later = runs.by_pass("later", "-flto", "-DWITH_OPENER", "-L.", "-lopener", "-Wl,-rpath," + str(runs.folder))
    runs.expect("a library that comes later", runs.run((2, later, {})), KINDS)
    runs.made("library.o", [runs.options.compile, "-O1", "-c", HERE / "library.c"])
    mixed = runs.by_pass("mixed", "-flto", "-DWITH_LIBRARY", "library.o")
    runs.expect("an object", runs.run((2, mixed, {})), ["gather", "allreduce"], ["bcast"])
    opens = runs.by_pass("opens", "-flto", "-DWITH_DLOPEN", "-ldl")
    runs.expect("dlopen", runs.run((2, opens, {})), [], KINDS)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--build", required=True)
    parser.add_argument("--flavour", required=True)
    parser.add_argument("--compile", required=True, help="an ordinary compiler for this MPI")
    parser.add_argument("--language", required=True, choices=["c", "mpif", "mpi", "f08"])
    parser.add_argument("launcher", nargs="+")
    options = parser.parse_args()
    if not shutil.which("clang-19" if options.language == "c" else "flang-new-19"):
        print("not run: the compiler is not installed")
        return 77
    with tempfile.TemporaryDirectory(prefix="lapwing-collectives-") as folder:
        (c if options.language == "c" else fortran)(Runs(options, folder))
    return 0


if __name__ == "__main__":
    sys.exit(main())
