# SPDX-License-Identifier: Apache-2.0
"""Starts python_arrays.py on 4 processes, and asks that the launcher of the other MPI is refused with a sentence.

    run_python.py BUILD PYTHON -- MPIEXEC...
"""
import os
import pathlib
import shutil
import subprocess
import sys

BUILD, PYTHON, MPIEXEC = sys.argv[1], sys.argv[2], sys.argv[4:]
HERE = pathlib.Path(__file__).resolve().parent
ENVIRONMENT = {**os.environ, "PYTHONPATH": f"{BUILD}/lib/python"}


def run(*command):
    return subprocess.run(["timeout", "-k", "5", "50", *command], capture_output=True, text=True, check=False,
                          stdin=subprocess.DEVNULL, env=ENVIRONMENT)


def main():
    done = run(*MPIEXEC, "-n", "4", PYTHON, "-B", HERE / "python_arrays.py")
    print(done.stdout + done.stderr)
    if done.returncode != 0 or done.stdout.count("all tests passed") != 1:
        sys.exit("the package's tests failed")
    other = "mpiexec.mpich" if "openmpi" in MPIEXEC[0] else "mpiexec.openmpi"
    if shutil.which(other):
        done = run(other, "-n", "2", PYTHON, "-B", "-c", "import lapwing")
        if done.returncode == 0 or "FlavourError" not in done.stderr or "use the mpiexec of" not in done.stderr:
            sys.exit(f"under {other} there is no sentence: {done.stdout}{done.stderr}")


main()
