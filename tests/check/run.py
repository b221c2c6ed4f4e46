# SPDX-License-Identifier: Apache-2.0
"""Runs programs that are wrong, each of which must be reported, and programs
that are right, of which none may be, under `lapwing check`'s preload, or in run mode.

    run.py --build DIR [--mpi mpich --mpi openmpi] [--sample N] [--offset K] [--only TEXT] [--right] [--keep]

--sample N runs every Nth case only. Without, all: `make check-suite`.
"""
import argparse
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time

import arguments
import buffers
import cases as library
import hangs
import lifecycle
import memory
import more_orders
import one_sided
import orders
import resources
import right
import right_strange
import threads
import wrong_collectives
import wrong_others
import wrong_strange

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
from mpis import without_noise  # noqa: E402

LAUNCHERS = {"mpich": ["mpiexec.mpich"], "openmpi": ["mpiexec.openmpi", "--oversubscribe"]}
COMPILERS = {"mpich": "mpicc.mpich", "openmpi": "mpicc.openmpi"}
ENVIRONMENT = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
               "OMPI_MCA_rmaps_base_oversubscribe": "1", "OMPI_MCA_hwloc_base_binding_policy": "none",
               "OMPI_MCA_mpi_yield_when_idle": "1"}
VERSIONS = {"mpich": 4, "openmpi": 3}  # of the MPI standard, in Debian's packages
STATUS = 86
AT_ONCE = 12  # right cases in one job


class Suite:
    def __init__(self, options, folder):
        self.options, self.folder = options, pathlib.Path(folder)
        self.wrong = [*wrong_collectives.cases(), *wrong_others.cases(), *wrong_strange.cases(), *memory.wrong(),
                      *resources.wrong(), *buffers.wrong(), *orders.wrong(), *arguments.wrong(), *one_sided.wrong(),
                      *lifecycle.wrong(), *hangs.wrong(), *threads.wrong(), *more_orders.wrong()]
        self.right = [*right.cases(), *right_strange.cases(), *memory.right(), *resources.right(), *buffers.right(),
                      *orders.right(), *arguments.right(), *one_sided.right(), *lifecycle.right(),
                      *hangs.right(), *threads.right(), *more_orders.right()]
        self.all = self.wrong + self.right
        names = [c.name + str(c.wrong) for c in self.all]
        assert len(set(names)) == len(names), "two cases have one name"
        self.failures = []

    def build(self, mpi):
        text, self.marked = library.program(self.all)
        source = self.folder / "suite.c"
        source.write_text(text)
        program = self.folder / f"suite-{mpi}"
        subprocess.run([COMPILERS[mpi], "-g", "-O0", "-w", str(source), "-o", str(program)], check=True)
        return program

    def start(self, mpi, program, ranks, numbers, json_file):
        # The cases of one job have the same settings; a program without numbers has those of most.
        case = self.all[numbers[0]] if numbers else library.Case("", "")
        environment = dict(os.environ, **ENVIRONMENT, LAPWING_SETS=case.mode, LAPWING_CHECK_SENDS=case.sends,
                           LAPWING_CHECK_RACES="error", LAPWING_CHECK_LEAKS="error", SUITE_ID=str(os.getpid()),
                           LAPWING_CHECK_JSON=str(json_file), TMPDIR=str(self.folder))
        environment.pop("LAPWING_TESTING", None)
        if case.buffers:
            environment["LAPWING_CHECK_BUFFERS"] = "on"
        # With what gives the cores of waiting ranks up, where tests run beside each other.
        preloads = [f"{self.options.build}/lib/liblapwing-preload.so", *filter(None, [os.environ.get("LD_PRELOAD")])]
        command = [*LAUNCHERS[mpi], "-n", str(ranks), "env", "LD_PRELOAD=" + ":".join(preloads), str(program),
                   *map(str, numbers)]
        try:
            done = subprocess.run(command, capture_output=True, text=True, timeout=self.options.timeout,
                                  env=environment, check=False)
            done.stderr = without_noise(done.stderr)
            return done
        except subprocess.TimeoutExpired as late:
            return subprocess.CompletedProcess(command, 124, "", (late.stderr or b"").decode(errors="replace"))

    def fail(self, mpi, case, why, result):
        self.failures.append((mpi, case.name))
        print(f"FAILED {mpi} {'wrong' if case.wrong else 'right'} '{case.name}': {why} (status {result.returncode})")
        for line in (result.stdout + result.stderr).splitlines()[:40]:
            print(f"    {line}")
        sys.stdout.flush()

    def run_wrong(self, mpi, program, number):
        case = self.all[number]
        found = self.folder / "found.json"
        found.unlink(missing_ok=True)
        result = self.start(mpi, program, case.ranks, [number], found)
        if result.returncode != STATUS:
            return self.fail(mpi, case, "not reported", result)
        if not found.exists():
            return self.fail(mpi, case, "no JSON", result)
        finding = json.loads(found.read_text())
        if finding["kind"] not in case.kinds:
            return self.fail(mpi, case, f"reported as {finding['kind']} instead of {'/'.join(case.kinds)}", result)
        places = [f"suite.c:{line}" for line in self.marked[number]]
        if places and not any(f"{place}" in result.stderr.split() for place in places):
            return self.fail(mpi, case, f"none of {', '.join(places)} is named", result)
        if result.stderr.count("lapwing:") != 1:
            return self.fail(mpi, case, "not reported exactly once", result)
        return None

    def run_right(self, mpi, program, numbers):
        ranks = self.all[numbers[0]].ranks
        result = self.start(mpi, program, ranks, numbers, self.folder / "unexpected.json")
        if result.returncode == 0 and not result.stderr and not result.stdout:
            return
        if len(numbers) > 1:
            for number in numbers:
                self.run_right(mpi, program, [number])
            if not any(self.all[n].name == f for n in numbers for _, f in self.failures):
                self.fail(mpi, self.all[numbers[0]], f"fails only together with {numbers}", result)
            return
        self.fail(mpi, self.all[numbers[0]], "flagged" if result.returncode == STATUS else "fails", result)

    def kind(self, number):
        """Cases of one kind can share a job."""
        return self.all[number].ranks, self.all[number].buffers, self.all[number].sends, self.all[number].mode, self.all[number].bare

    def run(self):
        # No others are compiled.
        self.all = [case for case in self.all if self.options.only in case.name][self.options.offset::self.options.sample]
        numbers = range(len(self.all))
        begun = time.monotonic()
        for mpi in self.options.mpi:
            program = self.build(mpi)
            possible = [n for n in numbers if self.all[n].version <= VERSIONS[mpi]]
            for number in possible:
                if self.all[number].wrong and not self.options.right:
                    self.run_wrong(mpi, program, number)
            for kind in sorted({self.kind(n) for n in possible}):
                these = [n for n in possible if not self.all[n].wrong and self.kind(n) == kind]
                together = 1 if kind[-1] else AT_ONCE
                for i in range(0, len(these), together):
                    self.run_right(mpi, program, these[i:i + together])
        wrong = sum(self.all[n].wrong for n in numbers)
        print(f"{wrong} wrong and {len(numbers) - wrong} right programs (of {len(self.wrong)} and {len(self.right)}) under "
              f"{' and '.join(self.options.mpi)}: {len(self.failures)} failures, {time.monotonic() - begun:.0f} s")
        return 1 if self.failures else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", required=True)
    parser.add_argument("--mpi", action="append", choices=LAUNCHERS)
    parser.add_argument("--sample", type=int, default=1)
    parser.add_argument("--offset", type=int, default=0)
    parser.add_argument("--only", default="")
    parser.add_argument("--right", action="store_true", help="only programs that are right")
    parser.add_argument("--timeout", type=float, default=40)
    parser.add_argument("--keep", action="store_true")
    options = parser.parse_args()
    options.build = os.path.abspath(options.build)
    options.mpi = options.mpi or list(LAUNCHERS)
    folder = tempfile.mkdtemp(prefix="lapwing-suite-")
    try:
        return Suite(options, folder).run()
    finally:
        if options.keep:
            print(f"kept in {folder}")
        else:
            import shutil
            shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    sys.exit(main())
