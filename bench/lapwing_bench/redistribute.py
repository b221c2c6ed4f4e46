# SPDX-License-Identifier: Apache-2.0
"""`redistribute`: distributed matrices against ScaLAPACK's pdgemr2d, small ones against an exchange by hand, and
what schedules of large arrays cost.

With a core for each rank these are times. With more ranks they are shown beside processor time per rank, under
Open MPI, whose ranks yield; MPICH's would only wait for each other.
"""
import json
import os
import sys

from . import places, statistics, table
from .errors import BenchError
from .rank_numbers import rank_numbers

TRANSFERS = 5   # cases of the program


def launch(build, options, mpi, program, argv, ranks, timeout, place=None):
    """The lines of JSON of a program, on this machine's own transport unless told otherwise."""
    env = {"LAPWING_JOB": "uniform"}
    if mpi == "openmpi" and ranks > (os.cpu_count() or 1):
        env["OMPI_MCA_mpi_yield_when_idle"] = "1"
    place = place or places.Local(options.transport == "best")
    text = places.run(place, mpi, [build.program(mpi, program)] + argv, env, timeout, ranks=ranks, first=options.first)
    return [json.loads(line) for line in text if line.startswith("{")]


def jobs(options, numbers):
    """(mpi, ranks, timed): more ranks than cores only where waiting ones yield."""
    cores = os.cpu_count() or 1
    for mpi in options.mpis:
        for ranks in numbers:
            if ranks <= cores or mpi == "openmpi":
                yield mpi, ranks, ranks <= cores


def grouped(lines, *names):
    groups = {}
    for line in lines:
        groups.setdefault(tuple(line[name] for name in names), []).append(line)
    return groups


def column(lines, name):
    return [line[name] for line in lines]


def measure(options, build, _where, emit):
    wanted = options.cases.split(",") if options.cases else None
    if options.construct:
        wanted = ["construct"]
    numbers = [c for c in wanted or [] if c.isdigit() and 1 <= int(c) <= TRANSFERS]
    unknown = [c for c in wanted or [] if c not in numbers and c not in ("small", "lists", "construct")]
    if unknown:
        raise BenchError(f"redistribute has no case '{unknown[0]}': there are 1 to {TRANSFERS}, small, lists and construct.")
    transport = places.Local(options.transport == "best").transport
    rounds = options.pairs or 30
    sizes = options.sizes or ("1000,2000" if options.quick else "1000,2000,4000,8000")
    ranks = rank_numbers(options.ranks, [2] if options.quick else [2, 4, 8])
    if wanted is None or numbers:
        for mpi, count, timed in jobs(options, ranks):
            argv = ["--sizes", sizes, "--rounds", str(rounds)]
            argv += ["--seconds", "1.5" if options.quick else "12" if timed else "6"]
            argv += ["--cases", ",".join(numbers)] if numbers else []
            lines = launch(build, options, mpi, "redistribute", argv, count, 3600)
            print(f"bench: redistribute, {mpi}, {count} ranks: {len(lines)} rounds", file=sys.stderr)
            for (name, n), group in grouped(lines, "case", "n").items():
                emit(_transfer({"bench": "redistribute", "case": name, "mpi": mpi, "transport": transport,
                                "ranks": count, "n": n, "oversubscribed": not timed}, group))
    if wanted is None or "small" in wanted:
        for mpi, count, timed in jobs(options, ranks):
            argv = ["--what", "small", "--sizes", "8,22,64,180", "--rounds", str(rounds if timed else 6)]
            lines = launch(build, options, mpi, "redistribute", argv, count, 600)
            for (n, size), group in grouped(lines, "n", "bytes").items():
                record = {"bench": "redistribute", "case": "small, persistent", "mpi": mpi,
                          "transport": transport, "ranks": count, "n": n, "bytes": size,
                          "oversubscribed": not timed, "pairs": len(group)}
                _against_hand(record, group)
                emit(record)
    if wanted is None or "lists" in wanted:
        lengths = "1000000" if options.quick else options.sizes if wanted == ["lists"] and options.sizes else "100000,1000000,8000000"
        for mpi, count, timed in jobs(options, ranks):
            argv = ["--what", "lists", "--sizes", lengths, "--rounds", str(rounds)]
            argv += ["--seconds", "1.5" if options.quick else "12" if timed else "6"]
            lines = launch(build, options, mpi, "redistribute", argv, count, 3600)
            for (name, n), group in grouped(lines, "case", "n").items():
                emit(_lists({"bench": "redistribute", "case": "lists, " + name, "mpi": mpi, "transport": transport,
                             "ranks": count, "n": n, "oversubscribed": not timed, "pairs": len(group)}, group))
    if wanted is None or "construct" in wanted:
        argv = ["--what", "construct", "--rounds", str(rounds)]
        lines = launch(build, options, options.mpis[0], "redistribute", argv, 1, 300)
        for (name, n), group in grouped(lines, "case", "n").items():
            record = {"bench": "redistribute", "case": name, "ranks": 1, "n": n, "pairs": len(group)}
            for what in ("partners", "segments"):
                record[what] = max(column(group, what))
            statistics.put(record, "construct_ms", [1e3 * s for s in column(group, "construct_s")])
            statistics.put(record, "construct_cpu_ms", [1e3 * s for s in column(group, "construct_cpu_s")])
            record["verified"] = all(column(group, "verified"))
            emit(record)


def _against_hand(record, group):
    for name in ("persistent_s", "hand_s", "persistent_cpu_s", "hand_cpu_s"):
        statistics.put(record, name, column(group, name))
    statistics.put(record, "vs_hand", statistics.ratios(column(group, "hand_s"), column(group, "persistent_s")))
    statistics.put(record, "slowdown", statistics.ratios(column(group, "persistent_s"), column(group, "hand_s")))
    statistics.put(record, "control", statistics.ratios(column(group, "again_s"), column(group, "hand_s")))
    record["verified"] = all(column(group, "verified"))


def _lists(record, group):
    """Times over those of the closed form and of MPI_Alltoallv by hand: below 1 is faster."""
    lists = column(group, "lists_s")
    for name in ("lists_s", "hand_s"):
        statistics.put(record, name, column(group, name))
    statistics.put(record, "slowdown", statistics.ratios(lists, column(group, "hand_s")))
    statistics.put(record, "control", statistics.ratios(column(group, "again_s"), column(group, "hand_s")))
    record["vs_closed"] = None
    if "closed_s" in group[0]:
        statistics.put(record, "closed_s", column(group, "closed_s"))
        statistics.put(record, "vs_closed", statistics.ratios(lists, column(group, "closed_s")))
    record["fresh_s"] = min(line["fresh_s"] for line in group if "fresh_s" in line)
    record["fresh_over_hand"] = record["fresh_s"] / record["hand_s"]
    record["persistent_s"] = record["lists_s"]
    record["verified"] = all(column(group, "verified"))
    return record


def _transfer(record, group):
    for name in ("fresh", "persistent", "memcpy", "floor"):
        statistics.put(record, name + "_s", column(group, name + "_s"))
        statistics.put(record, name + "_cpu_s", column(group, name + "_cpu_s"))
    against = "pdgemr2d_s" in group[0]
    record["pdgemr2d_s"] = None
    if against:
        statistics.put(record, "pdgemr2d_s", column(group, "pdgemr2d_s"))
        statistics.put(record, "pdgemr2d_cpu_s", column(group, "pdgemr2d_cpu_s"))
        statistics.put(record, "control", statistics.ratios(column(group, "again_s"), column(group, "pdgemr2d_s")))
    for name in ("fresh", "persistent"):
        record[name + "_vs_pdgemr2d"] = None
        if against:
            statistics.put(record, name + "_vs_pdgemr2d",
                           statistics.ratios(column(group, "pdgemr2d_s"), column(group, name + "_s")))
            busy = [max(s, 1e-9) for s in column(group, name + "_cpu_s")]
            statistics.put(record, name + "_cpu_vs_pdgemr2d",
                           statistics.ratios(column(group, "pdgemr2d_cpu_s"), busy))
    copied = column(group, "memcpy_s")
    statistics.put(record, "memcpy_share", statistics.ratios(copied, column(group, "persistent_s")))
    statistics.put(record, "fresh_memcpy_share", statistics.ratios(copied, column(group, "fresh_s")))
    statistics.put(record, "floor_share", statistics.ratios(copied, column(group, "floor_s")))
    record["pairs"], record["verified"] = len(group), all(column(group, "verified"))
    return record


COLUMNS = (
    ("mpi", "mpi", str), ("case", "case", str), ("ranks", "ranks", str), ("n", "n", str),
    ("fresh ms", "fresh_s", table.ms),
    ("persistent ms", "persistent_s", table.ms), ("pdgemr2d ms", "pdgemr2d_s", table.ms),
    ("fresh vs", "fresh_vs_pdgemr2d", table.two), ("from", "fresh_vs_pdgemr2d_lo", table.two),
    ("to", "fresh_vs_pdgemr2d_hi", table.two), ("persistent vs", "persistent_vs_pdgemr2d", table.two),
    ("from", "persistent_vs_pdgemr2d_lo", table.two), ("to", "persistent_vs_pdgemr2d_hi", table.two),
    ("of memcpy", "memcpy_share", table.two), ("from", "memcpy_share_lo", table.two),
    ("floor", "floor_share", table.two),
    ("cpu vs", "persistent_cpu_vs_pdgemr2d", table.two),
    ("closed ms", "closed_s", table.ms), ("over closed", "vs_closed", table.two), ("to", "vs_closed_hi", table.two),
    ("hand ms", "hand_s", table.ms), ("slowdown", "slowdown", table.two), ("to", "slowdown_hi", table.two),
    ("made in", "fresh_over_hand", table.two),
    ("partners", "partners", str), ("segments", "segments", str), ("construct ms", "construct_ms", table.three),
    ("cpu ms", "construct_cpu_ms", table.three),
    ("oversubscribed", "oversubscribed", table.yes), ("verified", "verified", table.yes))
EXPLANATION = ("vs: speed over pdgemr2d, above 1 is faster; of memcpy: the persistent transfer's bytes per second over "
               "memcpy's of the rank's part, all ranks at once; floor: the same of copies within each rank's memory by "
               "runs as long as the case's. slowdown: a small persistent transfer over MPI's "
               "persistent requests, or with lists over MPI_Alltoallv, packed by hand; over closed: index lists over the closed "
               "form of the same transfer; made in: lists and a first transfer, in exchanges by hand. Oversubscribed: processor time (cpu vs) says more than the times.")
