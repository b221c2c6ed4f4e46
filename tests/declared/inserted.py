#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Builds inserted.c as C and as C++, with and without optimisation, with --declared: every value is
right; without --declared it is not, or the program would show nothing.

  inserted.py --build BUILD --flavour mpich -- mpiexec
"""
import argparse
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

SOURCE = pathlib.Path(__file__).resolve().parent / "inserted.c"
RIGHT = "every value is the one that was meant\n"
VARIANTS = ((["lwcc", "-O0"], 2), (["lwcc", "-O2"], 3), (["lwcc", "-O3", "-flto"], 2), (["lwc++", "-O1", "-x", "c++"], 4))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--build", required=True)
    parser.add_argument("--flavour", required=True)
    parser.add_argument("launcher", nargs="+")
    options = parser.parse_args()
    if not shutil.which("clang-19"):
        print("not run: the compiler is not installed")
        return 77

    def result(words, ranks, *more):
        with tempfile.TemporaryDirectory(prefix="lapwing-inserted-") as folder:
            wrapper, *rest = words
            program = os.path.join(folder, "program")
            subprocess.run([f"{options.build}/bin/{wrapper}.{options.flavour}", *rest, *more, "-g",
                            f"-I{SOURCE.parents[2]}/include", str(SOURCE), "-o", program], check=True, cwd=folder)
            ran = subprocess.run(["timeout", "50", *options.launcher, "-n", str(ranks), program],
                                 capture_output=True, text=True, cwd=folder)
            return ran.returncode, ran.stdout + ran.stderr

    for words, ranks in VARIANTS:
        status, said = result(words, ranks, "--declared")
        if status or said != RIGHT:
            sys.exit(f"{' '.join(words)}, {ranks} ranks: status {status}\n{said}")
    status, said = result(["lwcc", "-O2"], 2)
    if said == RIGHT:
        sys.exit(f"without --declared it is right as well: status {status}\n{said}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
