# SPDX-License-Identifier: Apache-2.0
"""Rounds of processes that differ in nothing but the way of running: plain, under the preload, compiled, plain again.

Shared by the benchmarks whose programs are built twice, by lwc++ with and without the pass (bench/wrapped.cmake)."""
import json
import os
import sys
import time

from . import programs_run, statistics
from .errors import BenchError

VARIANTS = ("run", "compiled")
_LIMIT, _TRIES = 120, 3


class Rounds:
    """The rounds of one case: `argv(path)` gives the command of a program, whose one line of JSON is kept."""

    def __init__(self, options, build, place, mpi, program, arguments, ranks=2):
        self.options, self.build, self.place, self.mpi = options, build, place, mpi
        self.program, self.arguments, self.ranks = program, list(arguments), ranks
        self.hung, self.verified, self.longest = 0, True, 0.0
        self.roles = ["plain"]
        if build.has_preload(mpi):
            self.roles.append("run")
        if os.path.exists(self._path("compiled")):
            self.roles.append("compiled")
        self.roles.append("control")
        self.samples = {role: [] for role in self.roles}

    def _path(self, way):
        return os.path.join(self.build.prefix, "libexec", "lapwing", self.mpi, f"{self.program}-{way}")

    def environment(self, role):
        return self.build.preload(self.mpi) if role == "run" else {}

    def once(self, role, *more):
        """Runs one process of a role; a hang after its line counts as hung, one before it is tried again."""
        path = self.build.program(self.mpi, f"{self.program}-{'compiled' if role == 'compiled' else 'plain'}")
        env = self.environment(role)
        argv = [path, *self.arguments, *more]
        for _ in range(_TRIES):
            outcome = programs_run.launch(self.place, self.mpi, argv, env, self.ranks, _LIMIT,
                                          lambda lines: any(line.startswith("{") for line in lines), None,
                                          self.options.first)
            found = [json.loads(line) for line in outcome.lines if line.startswith("{")]
            self.hung += outcome.hung
            if found:
                self.verified = self.verified and found[0]["verified"]
                return found[0]
            if not outcome.hung:
                raise BenchError(f"{' '.join(argv)} under {self.mpi} ended with status {outcome.status}: "
                                 f"{' '.join(outcome.lines[-2:])}")
        raise BenchError(f"{' '.join(argv)} under {self.mpi} hung {_TRIES} times.")

    def run(self, count, end=float("inf")):
        """Up to `count` rounds, at least one; none begins that would not be over at `end`."""
        for number in range(count):
            begin = time.monotonic()
            if number > 0 and begin + self.longest > end:
                break
            turn = number % len(self.roles)
            for role in self.roles[turn:] + self.roles[:turn]:
                self.samples[role].append(self.once(role))
            self.longest = max(self.longest, time.monotonic() - begin)

    def column(self, role, name):
        return [found[name] for found in self.samples[role]]

    def compare(self, record, role, name, field):
        """Adds the speed ratio of a role against plain."""
        statistics.put(record, field, statistics.ratios(self.column("plain", name), self.column(role, name)))


def say(*words):
    print("bench: " + ", ".join(str(word) for word in words), file=sys.stderr)
