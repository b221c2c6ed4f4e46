# SPDX-License-Identifier: Apache-2.0
"""`kernels`: seven programs, each plain, by hand, by the compiler, by the compiler under the preload, and plain under
the preload, where collectives are deferred too.

A round runs every variant once, in turning order, and the plain program a second time (the control) and once
more with a clock at every seam (the limit). Checksums come from one serial run before the rounds.
"""
import json
import os
import sys
import time
from statistics import median

from . import statistics, table
from .errors import BenchError
from .places import Local, run
from .rank_numbers import rank_numbers

KERNELS = ("adi", "cg", "fft", "heat", "multigrid", "sort", "wavefront")
_SLABS = (8, 16, 32, 64)
# Beside the usual ones, on request: by hand in one portion, whose messages overlap nothing but each other, and that under the preload; and for
# all fft with a transposition in the order of what has been received, as NAS FT has it.
EXTRA = ("whole", "whole+run")
IN_ORDER = "in-order"
_TIMED, _TIMEOUT, _QUICK = 2, 180, 44


class Case:
    """One kernel with one MPI, class and number of ranks: how it is run, and what came of it."""

    def __init__(self, options, build, place, mpi, kernel, size, ranks, ratio=None):
        self.options, self.build, self.place, self.mpi = options, build, place, mpi
        self.kernel, self.size, self.ranks, self.ratio = kernel, size, ranks, ratio
        self.arguments = ["--class", size] + (["--in-order"] if kernel == "fft" and IN_ORDER in (options.variants or "").split(",") else [])
        self.end = None   # when a short run must be over
        self.slabs, self.longest, self.verified = 16, 0.0, True
        self.checksum = self.received = self.work = None
        self.roles = ["plain", "hand", "limit", "control"]
        if os.path.exists(self._path("compiler")):
            self.roles[2:2] = ["compiler", "both"] if build.has_preload(mpi) else ["compiler"]
        if build.has_preload(mpi):
            self.roles.insert(2, "preload")
        self.roles += [role for role in EXTRA if role in (options.variants or "").split(",") and ("run" not in role or build.has_preload(mpi))]
        self.samples = {role: [] for role in self.roles}

    def _path(self, variant):
        return os.path.join(self.build.prefix, "libexec", "lapwing", self.mpi, "kernels", f"{self.kernel}-{variant}")

    def launch(self, role, *more):
        """Runs the program of a role once and gives its record."""
        variant = {"limit": "plain", "control": "plain", "serial": "plain", "preload": "plain",
                   "both": "compiler", "whole": "hand", "whole+run": "hand"}.get(role, role)
        argv = [self._path(variant), *self.arguments, *more]
        if role in ("limit", "serial"):
            argv.append("--" + role)
        if variant == "hand" and "--slabs" not in more:
            argv += ["--slabs", str(1 if "whole" in role else self.slabs)]
        if self.checksum:
            argv += ["--expect", self.checksum]
        env = self.build.preload(self.mpi) if role in ("both", "preload", "whole+run") else {}
        if role in ("preload", "whole+run"):
            env["LAPWING_COLLECTIVES"] = "on"   # not learnt: a run has few steps
        if (variant == "compiler" or env) and not self.place.rate:
            env["LAPWING_DEFER"] = self.options.defer or "on"   # it stands aside on one node without a free core
        lines = []
        timeout = max(2, self.end - time.monotonic()) if self.end else _TIMEOUT
        try:
            run(self.place, self.mpi, argv, env, timeout, lines.append, ranks=self.ranks, first=self.options.first,
                last_line='{"kernel"')
        except BenchError:
            if not any('"verified":false' in line for line in lines):
                raise
        found = [json.loads(line) for line in lines if line.startswith("{")]
        if not found:
            raise BenchError(f"{' '.join(argv)} under {self.mpi} printed no result.")
        return found[0]

    def prepare(self, thorough):
        """The work that gives the ratio, the checksum that all must have, the best rival."""
        if self.ratio:
            self._calibrate()
        serial = self.launch("serial")
        self.checksum, self.work = serial["checksum"], serial["work"]
        if thorough:
            self.slabs = min(_SLABS, key=lambda n: self.launch("hand", "--slabs", str(n))["seconds"])

    def _calibrate(self):
        self.checksum = "0"   # nobody's; no serial run for the trials
        once = self.launch("limit")
        work = once["work"]
        twice = self.launch("limit", "--work", str(2 * work))
        per_work = (twice["compute_s"] - once["compute_s"]) / work
        wanted = self.ratio * (once["transfer_s"] + twice["transfer_s"]) / 2
        if per_work > 0:
            work = max(1, round(work + (wanted - once["compute_s"]) / per_work))
        self.arguments += ["--work", str(work)]
        self.checksum = None

    def round(self, number):
        begin = time.monotonic()
        turn = number % len(self.roles)
        for role in self.roles[turn:] + self.roles[:turn]:
            self.add(role, self.launch(role))
        self.longest = max(self.longest, time.monotonic() - begin)

    def add(self, role, found):
        if self.received is None:
            self.received = found["received"]
        if not found["verified"] or found["checksum"] != self.checksum or found["received"] != self.received:
            self.verified = False
            print(f"bench: {self.kernel}, class {self.size}, {self.ranks} ranks, {self.mpi}: {role} gave checksum "
                  f"{found['checksum']} and received {found['received']}; right are {self.checksum} and "
                  f"{self.received}.", file=sys.stderr)
        self.samples[role].append(found)

    def record(self, timed=True):
        fields = {"bench": "kernels", "case": self.kernel, "kernel": self.kernel, "mpi": self.mpi,
                  "transport": self.place.transport, "rate": self.place.rate, "class": self.size,
                  "ranks": self.ranks, "work": self.work, "ratio": self.ratio}
        for name in ("plain_s", "hand_s", "preload_s", "compiler_s", "both_s", "limit_s", "compute_s", "transfer_s",
                     "hidden", "hand_hidden", "both_hidden", "preload_hidden", "vs_plain", "vs_hand", "both_vs_plain",
                     "preload_vs_plain", "control"):
            for end in ("", "_lo", "_hi"):
                fields[name + end] = None
        if timed:
            self._times(fields)
        fields["verified"] = self.verified
        fields["variants"] = [role for role in self.roles if role not in ("limit", "control")]
        fields["pairs"] = len(self.samples["plain"]) if timed else 0
        return fields

    def _times(self, fields):
        seconds = {role: [one["seconds"] for one in found] for role, found in self.samples.items()}
        for role in ("plain", "hand", "preload", "compiler", "both", *EXTRA):
            if role in seconds:
                statistics.put(fields, role + "_s", seconds[role])
        limit = {name: [one[name] for one in self.samples["limit"]] for name in ("limit_s", "compute_s", "transfer_s")}
        for name, values in limit.items():
            statistics.put(fields, name, values)
        fields["ratio"] = self.ratio or (fields["compute_s"] / fields["transfer_s"] if fields["transfer_s"] else None)
        fields["slabs"] = self.slabs
        statistics.put(fields, "control", statistics.ratios(seconds["control"], seconds["plain"]))
        for role, name in (("compiler", "hidden"), ("hand", "hand_hidden"), ("both", "both_hidden"),
                           ("preload", "preload_hidden")):
            if role not in seconds or fields["plain_s"] - fields["limit_s"] < 0.02 * fields["plain_s"]:
                continue   # there is nothing to speak of that could be hidden
            columns = list(zip(seconds["plain"], seconds[role], limit["limit_s"]))
            statistics.put_joint(fields, name, columns, _share_hidden)
        if "compiler" in seconds:
            statistics.put(fields, "vs_plain", statistics.ratios(seconds["plain"], seconds["compiler"]))
            statistics.put(fields, "vs_hand", statistics.ratios(seconds["hand"], seconds["compiler"]))
        for role in ("both", "preload"):
            if role in seconds:
                statistics.put(fields, role + "_vs_plain", statistics.ratios(seconds["plain"], seconds[role]))


def _share_hidden(rounds):
    plain, other, limit = (median(column) for column in zip(*rounds))
    return (plain - other) / (plain - limit) if plain > limit else None


def measure(options, build, where, emit):
    started = time.monotonic()
    place = where[0]
    sizes = (options.size or ("W" if options.quick else "A")).split(",")
    ratios = [float(r) for r in options.ratios.split(",")] if options.ratios else [None]
    names = options.kernel.split(",") if options.kernel else KERNELS
    unknown = [name for name in names if name not in KERNELS] + [s for s in sizes if s not in ("S", "W", "A", "B")]
    if unknown:
        raise BenchError(f"There is no kernel or class '{unknown[0]}'. Kernels: {', '.join(KERNELS)}; classes: S, W, A, B.")
    ranks = rank_numbers(options.ranks, [2, 4])
    rounds = options.pairs or (5 if options.quick else 9)

    with place:
        cases = [Case(options, build, place, mpi, name, size, _TIMED, ratio) for mpi in options.mpis for name in names
                 if _built(build, mpi, name) for size in sizes for ratio in ratios if _TIMED in ranks]
        # More ranks than cores are verified only, and not over the emulated network, on which MPICH's Finalize
        # now and then hangs with two ranks a host.
        local = Local(options.transport == "best")
        small = [Case(options, build, local, mpi, name, "S" if options.quick else sizes[0], n)
                 for n in ranks if n != _TIMED for mpi in options.mpis for name in names if _built(build, mpi, name)]
        if not cases and not small:
            raise BenchError("No kernel is built: it takes clang-19 and flang-19 (tools/install-deps) and a new configure.")
        if options.quick:
            for case in cases + small:
                case.end = started + _QUICK
        # What is only verified comes first, so that a short run's time goes to the others.
        for case in small:
            if options.quick and time.monotonic() - started > 15:
                _say(case, "left out, this machine is busy")
                continue
            _say(case, "verified, not timed")
            case.prepare(False)
            for role in case.roles:
                if role not in ("limit", "control"):
                    case.add(role, case.launch(role))
            emit(case.record(timed=False))
        if options.quick:
            _in_turn(cases, rounds, started, emit)
            return
        for case in cases:
            _say(case, "prepared")
            case.prepare(True)
            for number in range(rounds):
                _say(case, f"round {number + 1} of {rounds}")
                case.round(number)
            emit(case.record())


def _in_turn(cases, rounds, started, emit):
    """Rounds of all kernels in turn, so that a short run leaves none out; within 45 s all the same."""
    for case in cases:
        if time.monotonic() - started < 25:
            _say(case, "prepared")
            case.prepare(False)
    for number in range(rounds):
        for case in cases:
            # Before its first round a case's length is guessed from the others'.
            longest = case.longest or max(other.longest for other in cases)
            if case.checksum and time.monotonic() - started + longest < 42:
                _say(case, f"round {number + 1} of {rounds}")
                case.round(number)
    for case in cases:
        if case.samples["plain"]:
            emit(case.record())
        else:
            _say(case, "left out, this machine is busy")


def _built(build, mpi, kernel):
    return all(os.path.exists(os.path.join(build.prefix, "libexec", "lapwing", mpi, "kernels", f"{kernel}-{variant}"))
               for variant in ("plain", "hand"))


def _say(case, what):
    print(f"bench: {case.kernel}, class {case.size}, {case.ranks} ranks, {case.mpi}, {case.place.transport}: {what}",
          file=sys.stderr)


COLUMNS = (
    ("mpi", "mpi", str), ("link", "rate", str), ("kernel", "kernel", str), ("class", "class", str), ("ranks", "ranks", str),
    ("ratio", "ratio", table.two), ("plain ms", "plain_s", table.ms), ("by hand ms", "hand_s", table.ms),
    ("preload ms", "preload_s", table.ms), ("compiler ms", "compiler_s", table.ms), ("both ms", "both_s", table.ms), ("limit ms", "limit_s", table.ms),
    ("hidden", "hidden", table.two), ("by hand", "hand_hidden", table.two), ("both", "both_hidden", table.two),
    ("preload", "preload_hidden", table.two), ("vs hand", "vs_hand", table.two), ("vs plain", "vs_plain", table.two),
    ("preload vs plain", "preload_vs_plain", table.two), ("control", "control", table.three),
    ("pairs", "pairs", str), ("right", "verified", table.yes))
EXPLANATION = ("hidden: the share of the time that could be hidden at all (1 = the limit); vs hand, vs plain: speed "
               "ratios, above 1 is faster; both: the compiler's program under the preload as well; preload: the plain one there.")
