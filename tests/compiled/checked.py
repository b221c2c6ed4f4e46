#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Builds checked.c or checked.F90 with the pass and runs it: a program that looks at the error of
every call is split and its waits are moved, and every real error comes back as MPI's own.

  checked.py --build BUILD --flavour mpich --language c++ -- mpiexec -n 2
"""
import argparse
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
WORDS = {"c": ["lwcc", "checked.c"], "c++": ["lwc++", "-x", "c++", "checked.c", "-x", "none"],
         **{name: ["lwfc", f"-DUSE_{name.upper()}", "checked.F90"] for name in ("mpif", "mpi", "f08")}}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--build", required=True)
    parser.add_argument("--flavour", required=True)
    parser.add_argument("--language", required=True, choices=WORDS)
    parser.add_argument("launcher", nargs="+")
    options = parser.parse_args()
    if not shutil.which("flang-new-19" if WORDS[options.language][0] == "lwfc" else "clang-19"):
        print("not run: the compiler is not installed")
        return 77
    with tempfile.TemporaryDirectory(prefix="lapwing-checked-") as folder:
        program = os.path.join(folder, "program")
        wrapper, *words = WORDS[options.language]
        words = [str(HERE / word) if word.startswith("checked") else word for word in words]
        subprocess.run([f"{options.build}/bin/{wrapper}.{options.flavour}", "-O2", *words, "-o", program], check=True, cwd=folder)
        undefined = subprocess.run(["nm", "-u", program], capture_output=True, text=True, check=True).stdout
        for name in ("lapwing_may_split", "lapwing_may_sink", "lapwing_wait", "lapwing_defer"):
            if name not in undefined:
                sys.exit(f"the pass has left everything alone: the program does not call {name}")
        ran = subprocess.run(["timeout", "50", *options.launcher, program], capture_output=True, text=True, cwd=folder,
                             env={**os.environ, "LAPWING_DEFER": "on"})
        if ran.returncode or ran.stdout != "every error is where it belongs\n":
            sys.exit(f"status {ran.returncode}\n{ran.stdout}{ran.stderr}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
