#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs one exchange under every MPI that is there, in each language and way to Lapwing.

    run.py --build DIR [--homes A:B] [--fetch [--fetch-only]] [--short] [--table docs/mpis.md]

A cell passes if the output is that of the plain run and transfers were deferred
(under check none is). MPIs are Debian's and those in --homes: prefixes, or
virtual environments, with bin/mpiexec. --fetch makes environments of PyPI's
MPIs under the build folder first. An MPI that is absent is named and skipped. In the
table a cell that cannot be says why. Under lwcc calls are split by the compiler: those
are counted, and the program runs without the preload.
"""
import argparse
import dataclasses
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

from installations import INTERFACES, homes_of, installations

HERE = pathlib.Path(__file__).resolve().parent
LIMIT = 60
TITLES = {"run": "`lapwing run`", "preload": "`LD_PRELOAD`", "check": "`lapwing check`", "lwcc": "`lwcc`, `lwfc`"}
LANGUAGES = ("C", *(f"Fortran, {interface}" for interface in INTERFACES), "Python")


class NotServed(Exception):
    """Lapwing has said that it cannot do this for that MPI."""


class Matrix:
    def __init__(self, build, folder):
        self.build, self.folder = build, folder
        self.preload, self.lapwing = build / "lib/liblapwing-preload.so", build / "bin/lapwing"

    def launch(self, mpi, program, variables=None, before=()):
        command = [*before, *mpi.launcher, "-n", "2", "env", *(f"{k}={v}" for k, v in (variables or {}).items()), *program]
        done = subprocess.run(command, text=True, capture_output=True, timeout=LIMIT, env=mpi.environment(),
                              stdin=subprocess.DEVNULL, check=False)
        if done.returncode == 125 and "no engine" in done.stderr:
            raise NotServed(done.stderr.split("lapwing: ", 1)[1].strip())
        if done.returncode != 0:
            raise RuntimeError(f"ended with {done.returncode}: {(done.stdout + done.stderr)[-400:]}")
        return done.stdout, done.stderr

    def cell(self, mpi, language, program, way):
        if not program:
            return f"none: {mpi.why.get(language, 'its compiler is not here')}"
        if way == "lwcc":
            return self.compiled(mpi, language, program)
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
        reason = re.findall(r"lapwing: (.*?)(?:; the program runs as it would without Lapwing)?\.?\n", err)
        return f"plain: {reason[0][:120] if reason else 'no word'}"

    def compiled(self, mpi, language, plain):
        wrapper = "lwcc" if language == "C" else "lwfc"
        if language == "Python":
            return "none: nothing is compiled"
        if not (self.build / "bin" / wrapper).exists():
            return f"none: this tree has no {wrapper}"
        if mpi.family == "abi" or not mpi.commands or (wrapper == "lwfc" and mpi.commands != "/usr/bin"):
            return "none: lwcc follows mpicc, of the MPICH ABI and Open MPI"
        if mpi.commands == "/usr/bin":
            wrapper += f".{mpi.family}"
        # flang's preprocessor has no option of its own in the name of a file.
        source = [HERE / "exchange.c"] if language == "C" else ["-cpp", *INTERFACES[language.split()[-1]], HERE / "exchange.F90"]
        program = self.folder / "compiled"
        done = subprocess.run([self.build / "bin" / wrapper, "-O1", "-g", *source, "-o", program, "-Rpass=lapwing"], text=True, timeout=LIMIT,
                              capture_output=True, check=False, env={**mpi.environment(), "PATH": f"{mpi.commands}:{os.environ['PATH']}"})
        if done.returncode != 0:
            return f"failed: {done.stderr.strip()[-200:]}"
        split = done.stderr.count(" is split")
        # gfortran and flang need not round alike: the program without Lapwing is the measure.
        out, same = self.launch(mpi, [str(program)])[0], self.launch(mpi, [str(program)], {"LAPWING": "off"})[0]
        if out != same or (language == "C" and out != self.launch(mpi, plain)[0]):
            return f"wrong: {out!r} for {same!r}"
        return f"passed, {split} calls split" if split else "failed: no call was split"

    def programs(self, mpi):
        for language in LANGUAGES:
            command, interface = None, language.split()[-1]
            if language == "C" and mpi.flags:
                command = ["gcc", HERE / "exchange.c", *mpi.flags]
            elif language == "Python":
                yield language, [*mpi.python, str(HERE / "exchange.py")] if mpi.python else None
                continue
            elif interface in mpi.fortran:
                words = mpi.fortran[interface]
                words = words if "SOURCE" in words else [*words, "SOURCE"]
                command = [HERE / "exchange.F90" if w == "SOURCE" else w for w in words]
            yield language, self.made(command, f"{mpi.name}-{language}") if command else None

    def made(self, command, name):
        program = self.folder / re.sub(r"\W+", "-", name)
        subprocess.run([*map(str, command), "-O1", "-o", program], check=True, timeout=LIMIT)
        return [str(program)]

    def run(self, mpis, ways):
        for mpi in mpis:
            for language, program in self.programs(mpi):
                for way in ways:
                    try:
                        yield mpi, language, way, self.cell(mpi, language, program, way)
                    except NotServed as word:
                        yield mpi, language, way, f"plain: {str(word)[:120]}"
                    except (RuntimeError, subprocess.TimeoutExpired) as error:
                        yield mpi, language, way, f"failed: {error}"


def by_another_launcher(mpis):
    """MPICH 5 started by MPICH 4's Hydra, which does not tell there which ranks have Lapwing."""
    found = {mpi.name: mpi for mpi in mpis}
    older = found.get("MPICH 4.0 of Debian")
    for name in ("MPICH 5", "MPICH 5, standard ABI"):
        if older and name in found:
            why = dict.fromkeys(LANGUAGES, "as with its own launcher")
            yield dataclasses.replace(found[name], name=f"{name}, by MPICH 4.0's `mpiexec`", launcher=older.launcher, fortran={},
                                      python=None, commands="", why=why)


def is_good(mpi, way, result, may_be_plain):
    told = way == "preload" and "`mpiexec`" in mpi.name and "LAPWING_JOB=uniform" in result
    return result.startswith(("passed", "none: ")) or (result.startswith("plain: ") and (told or mpi.family in may_be_plain))


def write_table(path, cells, absent):
    rows = {}
    for mpi, language, way, result in cells:
        rows.setdefault((mpi.name, language), {})[way] = re.sub(r"/[^ ]*/", "", result).replace("|", " ")
    lines = ["<!-- SPDX-License-Identifier: Apache-2.0 -->", "# MPIs", "",
             "`make test-mpis` has written this page. Each cell is one exchange of large messages between two ranks, bit for bit as in",
             "the plain run; the number is that of the transfers that were deferred, or of the calls that the compiler split.", "",
             "| MPI | language | " + " | ".join(TITLES.values()) + " |", "|---|---|" + "---|" * len(TITLES)]
    notes = {}
    for (name, language), row in rows.items():
        if row["run"].startswith("none: "):
            notes.setdefault((name, row["run"][6:]), []).append(language)
            continue
        cells_of = [row[way] for way in TITLES]
        lines.append(f"| {name} | {language} | " + " | ".join(re.sub("^none: .*", "-", c) for c in cells_of) + " |")
        if row["lwcc"].startswith("none: ") and language != "Python":
            notes.setdefault((name, row["lwcc"][6:]), []).append(TITLES["lwcc"] + f" in {language}")
    lines += ["", "Cells that are not there:", "", "| MPI | cell | why |", "|---|---|---|"]
    lines += [f"| {name} | {'; '.join(which)} | {why} |" for (name, why), which in notes.items()]
    lines += [f"| {name} | all | it was absent |" for name in absent]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--build", type=pathlib.Path, required=True)
    parser.add_argument("--homes", default=os.environ.get("MPI_HOMES", ""))
    parser.add_argument("--fetch", action="store_true")
    parser.add_argument("--fetch-only", action="store_true", help="no more than that")
    parser.add_argument("--short", action="store_true")
    parser.add_argument("--table", type=pathlib.Path)
    options = parser.parse_args()
    build = options.build.resolve()
    homes = homes_of(options.homes, build, options.fetch)
    if options.fetch_only:
        return 0
    mpis, absent = installations(homes)
    for name in absent:
        print(f"{name}: absent; skipped")
    mpis += by_another_launcher(mpis)
    ways = ["preload"] if options.short else list(TITLES)
    # Without an engine a program of the standard ABI runs plainly, and is told so.
    may_be_plain = {"mpich", "openmpi", "abi"} - {f for f in ("mpich", "openmpi", "abi") if (build / f"lib/liblapwing-{f}.so").exists()}
    cells, bad = [], []
    with tempfile.TemporaryDirectory(prefix="lapwing-mpis-") as folder:
        for mpi, language, way, result in Matrix(build, pathlib.Path(folder)).run(mpis, ways):
            cells.append((mpi, language, way, result))
            bad += [] if is_good(mpi, way, result, may_be_plain) else [result]
            if not options.short or not result.startswith("none: "):
                print(mpi.name, language, way, result, sep=" | ", flush=True)
    if options.table:
        write_table(options.table, cells, absent)
    tried = sum(1 for cell in cells if not cell[3].startswith("none: "))
    print(json.dumps({"cells": tried, "failed": len(bad)}))
    return 1 if bad or not tried else 0


if __name__ == "__main__":
    sys.exit(main())
