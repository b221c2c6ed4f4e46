# SPDX-License-Identifier: Apache-2.0
"""`check`: what check mode costs the kernels. Each round runs the plain program, the same under the checker, and
the plain one again (the control), in turning order; two ranks through shared memory unless --ranks says otherwise.
"""
import json
import os
import sys
import time

from . import statistics, table
from .errors import BenchError
from .kernels import KERNELS
from .places import Local, run
from .rank_numbers import rank_number

_ROLES = ("plain", "check", "control")


class _Case:
    def __init__(self, options, build, where, kernel, ranks):
        self._options, (self._place, self._mpi) = options, where
        self.kernel, self.ranks = kernel, ranks
        self._size = options.size or ("W" if options.quick else "A")
        self._program = os.path.join(build.prefix, "libexec", "lapwing", self._mpi, "kernels", kernel + "-plain")
        self._checked = {**build.preload(self._mpi), "LAPWING_SETS": "check", "LAPWING_DEFER": "off"}
        self._seconds = {role: [] for role in _ROLES}
        self.longest = 0.0

    def round(self, number):
        begin, turn = time.monotonic(), number % len(_ROLES)
        for role in _ROLES[turn:] + _ROLES[:turn]:
            # No serial run to compare with: whether results are right is shown elsewhere.
            argv = [self._program, "--class", self._size, "--expect", "0"]
            lines = []
            try:
                run(self._place, self._mpi, argv, self._checked if role == "check" else {}, 180, lines.append,
                    ranks=self.ranks, first=self._options.first, last_line='{"kernel"')
            except BenchError:
                if not any('"seconds"' in line for line in lines):
                    raise
            self._seconds[role].append(next(json.loads(line) for line in lines if line.startswith("{"))["seconds"])
        self.longest = max(self.longest, time.monotonic() - begin)

    def record(self):
        fields = {"bench": "check", "case": self.kernel, "mpi": self._mpi, "transport": self._place.transport,
                  "class": self._size, "ranks": self.ranks, "pairs": len(self._seconds["plain"])}
        for role in ("plain", "check"):
            statistics.put(fields, role + "_s", self._seconds[role])
        statistics.put(fields, "overhead", statistics.ratios(self._seconds["check"], self._seconds["plain"]))
        statistics.put(fields, "control", statistics.ratios(self._seconds["control"], self._seconds["plain"]))
        return fields


def measure(options, build, _where, emit):
    names = options.kernel.split(",") if options.kernel else KERNELS
    if unknown := [name for name in names if name not in KERNELS]:
        raise BenchError(f"There is no kernel '{unknown[0]}'. Kernels: {', '.join(KERNELS)}.")
    ranks = rank_number(options.ranks, 2)
    rounds, started = options.pairs or (5 if options.quick else 30), time.monotonic()
    place = Local(options.transport == "best")
    with place:
        cases = [_Case(options, build, (place, mpi), name, ranks) for mpi in options.mpis for name in names
                 if build.has_preload(mpi)]
        for number in range(rounds):
            for case in cases:
                if options.quick and number and time.monotonic() - started + case.longest > 40:
                    continue
                print(f"bench: check, {case.kernel}: round {number + 1} of {rounds}", file=sys.stderr)
                case.round(number)
        for case in cases:
            emit(case.record())


COLUMNS = (
    ("mpi", "mpi", str), ("transport", "transport", str), ("kernel", "case", str), ("class", "class", str),
    ("ranks", "ranks", str), ("pairs", "pairs", str), ("plain s", "plain_s", table.two), ("checked s", "check_s", table.two),
    ("overhead", "overhead", table.two), ("from", "overhead_lo", table.two), ("to", "overhead_hi", table.two),
    ("control", "control", table.two), ("from", "control_lo", table.two), ("to", "control_hi", table.two))
EXPLANATION = ("overhead: the kernel's time under the checker (lapwing check) over its plain time, paired; control: the "
               "plain program's own repetition over it.")
