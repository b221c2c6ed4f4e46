# SPDX-License-Identifier: Apache-2.0
"""`split`: what a split of a process set costs, by each way of telling who takes which branch.

Processes that differ in nothing but LAPWING_SPLIT take turns; `none` makes no splits. Two ranks are timed for
claims; more than there are cores are shown as oversubscribed, where only the counts mean something.
"""
import json
import os
import sys
import time
from statistics import median

from . import places, statistics, table
from .errors import BenchError
from .rank_numbers import rank_numbers

# The two of MIPS 5, MPI's non-blocking form, overlap without the node's memory, and what chooses between them.
MODES = ("none", "static", "blocking", "messages", "overlap", "auto")


class _Runs:
    def __init__(self, options, build, place, mpi, ranks):
        self._options, self._build, self._place, self._mpi, self.ranks = options, build, place, mpi, ranks
        self.lines = {mode: [] for mode in MODES}

    def run(self, mode, what, rounds, repeat):
        argv = [self._build.program(self._mpi, "split"), "--what", what, "--rounds", str(rounds), "--repeat", str(repeat)]
        env = {"LAPWING_JOB": "uniform"}
        if mode == "none":
            argv.append("--none")
        else:
            env["LAPWING_SPLIT"] = mode
        if self._mpi == "openmpi" and self.ranks > (os.cpu_count() or 1):
            env["OMPI_MCA_mpi_yield_when_idle"] = "1"
        text = places.run(self._place, self._mpi, argv, env, 300, ranks=self.ranks, first=self._options.first,
                          last_line="end\n")
        self.lines[mode] += [json.loads(line) for line in text if line.startswith("{")]

    def of(self, mode, what, **fields):
        return [line for line in self.lines[mode] if line["what"] == what
                and all(line[name] == value for name, value in fields.items())]


CASES = ("shm", "netlab", "counts")


def _parts(options, where, given, cases):
    """(place, ranks, ranks a host, timed): shared memory, and emulated hosts with one and two ranks each."""
    local = where[0] if len(where) == 1 else places.Local(options.transport == "best")
    cores = os.cpu_count() or 1
    parts = []
    if "shm" in cases or len(where) == 1:
        parts += [(local, r, r, r <= cores) for r in given or ((2, 4) if options.quick else (2, 4, 8, 16))]
    if "netlab" in cases and len(where) > 1:
        for ranks in given or ([2] if options.quick else [2, 4, 8, 16]):
            parts += [(where[0].of(ranks // each, each), ranks, each, ranks <= cores)
                      for each in (1, 2) if ranks % each == 0 and ranks > each]
    return parts


def measure(options, build, where, emit):
    cases = options.cases.split(",") if options.cases else CASES
    if unknown := set(cases) - set(CASES):
        raise BenchError(f"split has no case {', '.join(sorted(unknown))}; it has {', '.join(CASES)}.")
    given = rank_numbers(options.ranks, None)
    for mpi in options.mpis:
        parts = _parts(options, where, given, cases) if set(cases) - {"counts"} else []
        for place, ranks, each, timed in parts:
            with place:
                _measure(options, build, place, mpi, (ranks, each), timed, 36 / len(parts) / len(options.mpis), emit)
        counted = [r for r in given or ((4, 8) if options.quick else (4, 8, 16, 32, 64)) if r > 2 and "counts" in cases]
        local = places.Local(False)
        for ranks in counted:
            runs = _Runs(options, build, local, mpi, ranks)
            with local:
                runs.run("overlap", "counts", 1, 1)
            for line in runs.of("overlap", "counts"):
                emit({"bench": "split", "case": "counts", "mpi": mpi, "transport": "shm", **{
                    name: line[name] for name in ("ranks", "mode", "new_membership", "messages_per_split",
                                                  "bytes_per_split", "rounds", "new_sets", "communicators_made")}})


def _measure(options, build, place, mpi, shape, timed, limit, emit):
    ranks, each = shape
    runs = _Runs(options, build, place, mpi, ranks)
    modes = [mode for mode in MODES if not (options.quick and mode == "messages")]
    turns = 2 if options.quick else max(1, (options.pairs or 30) // 6)
    rounds = 5 if timed else 2
    repeat = 200 if timed else 10
    begin = time.monotonic()
    for turn in range(turns):
        if options.quick and turn and (time.monotonic() - begin) * (turn + 1) / turn > limit:
            break
        for mode in modes[turn % len(modes):] + modes[:turn % len(modes)]:
            print(f"bench: split, {mpi}, {place.transport}, {ranks} ranks, {each} a host: turn {turn + 1} of at most "
                  f"{turns}, {mode}", file=sys.stderr)
            what = "micro,recursion" + (",covered" if timed else "") + (",latency" if mode == "none" else "")
            if ranks & (ranks - 1) or (options.quick and not timed):
                what = "micro"
            runs.run(mode, what, rounds, repeat)
    common = {"bench": "split", "mpi": mpi, "transport": place.transport, "ranks": ranks, "ranks_per_host": each,
              "oversubscribed": ranks > (os.cpu_count() or 1)}
    for mode in MODES:
        _emit_mode(runs, mode, common, emit)
    for size in (0, 32, 64, 128):
        values = [line["seconds"] for line in runs.of("none", "latency", bytes=size)]
        if values:
            record = {**common, "case": "latency", "mode": "none", "bytes": size}
            statistics.put(record, "us_latency", [1e6 * v for v in values])
            emit(record)


def _beside(record, micro, what):
    """Over the median of `what` by itself, in the same turns."""
    for end in ("", "_lo", "_hi"):
        if micro:
            record["vs_" + what + end] = record["us_per_split" + end] / median(1e6 * line[what + "_s"] for line in micro)


def _emit_mode(runs, mode, common, emit):
    micro = runs.of(mode, "micro")
    if mode != "none" and micro:
        record = {**common, "case": "split alone", "load": False, "mode": mode}
        statistics.put(record, "us_per_split", [1e6 * line["split_s"] for line in micro])
        for name, field in (("vs_allgather", "allgather_s"), ("vs_comm_split", "comm_split_s"),
                            ("vs_create_group", "create_group_s")):
            statistics.put(record, name, [line["split_s"] / line[field] for line in micro])
        statistics.put(record, "control", [line["allgather_again_s"] / line["allgather_s"] for line in micro])
        record["us_allgather"] = median(1e6 * line["allgather_s"] for line in micro)
        record["us_comm_split"] = median(1e6 * line["comm_split_s"] for line in micro)
        record["us_create_group"] = median(1e6 * line["create_group_s"] for line in micro)
        emit(record)
    for imbalance in (0, 50, 100):
        lines = runs.of(mode, "covered", imbalance=imbalance)
        if mode == "none" or not lines:
            continue
        record = {**common, "case": f"covered, imbalance {imbalance} %", "load": True, "mode": mode}
        statistics.put(record, "us_per_split", [1e6 * line["split_s"] for line in lines])
        statistics.put(record, "vs_allgather", [line["split_s"] / line["allgather_s"] for line in lines])
        record["us_allgather"] = median(1e6 * line["allgather_s"] for line in lines)
        _beside(record, micro, "comm_split")
        emit(record)
    for load in (False, True):
        lines, plain = runs.of(mode, "recursion", load=load), runs.of("none", "recursion", load=load)
        if not lines:
            continue
        record = {**common, "case": "recursion", "load": load, "mode": mode, "splits": lines[0]["splits"]}
        statistics.put(record, "run_ms", [1e3 * line["seconds"] for line in lines])
        base = median(line["seconds"] for line in plain)
        if mode != "none":
            statistics.put(record, "us_per_split",
                           [1e6 * (line["seconds"] - base) / line["splits"] for line in lines])
            _beside(record, micro, "allgather")
            _beside(record, micro, "comm_split")
        record["verified"] = all(line["verified"] for line in lines)
        emit(record)


COLUMNS = (
    ("mpi", "mpi", str), ("transport", "transport", str), ("case", "case", str), ("ranks", "ranks", str),
    ("a host", "ranks_per_host", str),
    ("load", "load", table.yes), ("mode", "mode", str), ("us/split", "us_per_split", table.two),
    ("from", "us_per_split_lo", table.two), ("to", "us_per_split_hi", table.two),
    ("vs allgather", "vs_allgather", table.two), ("from", "vs_allgather_lo", table.two),
    ("to", "vs_allgather_hi", table.two), ("vs comm_split", "vs_comm_split", table.two),
    ("vs create_group", "vs_create_group", table.two), ("run ms", "run_ms", table.two), ("splits", "splits", str),
    ("bytes", "bytes", str), ("us", "us_latency", table.two), ("messages", "messages_per_split", table.two),
    ("bytes/split", "bytes_per_split", table.one), ("rounds", "rounds", str), ("new sets", "new_sets", str), ("groups made", "communicators_made", str),
    ("oversubscribed", "oversubscribed", table.yes))
EXPLANATION = ("us/split: of one split whose sets have been seen, or what it adds to the recursive program of MIPS 5; vs: over "
               "one MPI_Allgather of an int, MPI_Comm_split, MPI_Comm_create_group. static: MPI_Iallgather; blocking: the "
               "naive form of MIPS 5.2; messages: overlap without the memory that a node's processes share. Oversubscribed times say nothing but are shown.")
