#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""hdf5.py PROGRAM MPIEXEC...: what hdf5_cases writes, as HDF5's own tools read it serially, and what they have rewritten in
chunks, compressed or among its headers, as hdf5_cases reads it. Status 77: HDF5 or its tools are not here."""
import ctypes.util
import pathlib
import shutil
import struct
import subprocess
import sys
import tempfile

PROGRAM, MPIEXEC = sys.argv[1], sys.argv[2:]
CASES = {
    "/field": ("d", [float(n) for n in range(77)], "( 11, 7 )"),
    # Turned round: in the file the first dimension is the array's last one.
    "/groups/inner/turned": ("i", [i * 5 + j + 3 for j in range(5) for i in range(6)], "( 5, 6 )"),
    "/waves": ("d", [part for n in range(12) for part in (n + 2.0, float(-n))], "( 4, 3 )"),
    "/part": ("d", [float((9 - 3 * i) * 7 + 1 + 2 * j) for i in range(4) for j in range(3)], "( 4, 3 )"),
}


def run(*command):
    done = subprocess.run([str(c) for c in command], capture_output=True, text=True, timeout=60, check=False, stdin=subprocess.DEVNULL)
    if done.returncode != 0:
        raise AssertionError(f"{command} ended with {done.returncode}: {done.stdout}{done.stderr}")
    return done.stdout


def check_by_h5dump(file, folder):
    for name, (letter, numbers, shape) in CASES.items():
        out = folder / "dumped"
        said = run("h5dump", "-d", name, "-b", "NATIVE", "-o", out, file)
        expected = struct.pack(f"={len(numbers)}{letter}", *numbers)
        if out.read_bytes() != expected or shape not in said:
            raise AssertionError(f"{name} of {shape}: {said}")


def check_by_h5py(file):
    try:
        import h5py
    except ImportError:
        return "h5dump"
    with h5py.File(file) as f:
        if f["waves"].dtype != complex or f["waves"][3, 2] != 13 - 11j or f["groups/inner/turned"][4, 0] != 7 or f["field"][10, 6] != 76:
            raise AssertionError("h5py reads other elements")
    return "h5dump and h5py"


def main():
    if not (shutil.which("h5dump") and shutil.which("h5repack")) or not (
            ctypes.util.find_library("hdf5_serial") or ctypes.util.find_library("hdf5")):
        print("HDF5 or its tools h5dump and h5repack are not installed")
        return 77
    with tempfile.TemporaryDirectory(prefix="lapwing-hdf5-") as where:
        folder = pathlib.Path(where)
        for ranks in (1, 3):
            file = folder / f"written-by-{ranks}.h5"
            run(*MPIEXEC, "-n", ranks, PROGRAM, "write", file)
            check_by_h5dump(file, folder)
            readers = check_by_h5py(file)
            run(*MPIEXEC, "-n", 2, PROGRAM, "read", file)
            for number, how in enumerate((["-l", "CHUNK=3x2"], ["-l", "CHUNK=4x3", "-f", "GZIP=6"], ["-l", "COMPA"])):
                other = folder / f"{ranks}-{number}.h5"
                run("h5repack", *how, file, other)
                run(*MPIEXEC, "-n", 4 - ranks, PROGRAM, "read", other)
        print(f"right, by {readers}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
