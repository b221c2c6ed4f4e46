# SPDX-License-Identifier: Apache-2.0
"""`ghosts`: updates of the ghosts of a 3-D block, against derived datatypes with Isend and Irecv, written by hand."""
import sys

from . import places, statistics, table
from .errors import BenchError
from .rank_numbers import rank_numbers
from .redistribute import column, grouped, jobs, launch

CASES = ("rows", "pencils", "points", "grid")


def measure(options, build, _where, emit):
    wanted = options.cases.split(",") if options.cases else list(CASES)
    unknown = [c for c in wanted if c not in CASES]
    if unknown:
        raise BenchError(f"ghosts has no case '{unknown[0]}': there are {', '.join(CASES)}.")
    transport = places.Local(options.transport == "best").transport
    sizes = options.sizes or ("16,64" if options.quick else "16,32,64,128,192")
    rounds = options.pairs or (6 if options.quick else 30)
    for mpi, count, timed in jobs(options, rank_numbers(options.ranks, [2] if options.quick else [2, 4, 8])):
        # A grid of two processes is the case rows.
        cases = [c for c in wanted if (c == "grid") == (count > 2) or options.cases]
        if not cases:
            continue
        lines = launch(build, options, mpi, "ghosts", ["--cases", ",".join(cases), "--sizes", sizes, "--rounds",
                                                       str(rounds if timed else 6)], count, 1800)
        print(f"bench: ghosts, {mpi}, {count} ranks: {len(lines)} rounds", file=sys.stderr)
        for (name, n), group in grouped(lines, "case", "n").items():
            emit(_record({"bench": "ghosts", "case": name, "mpi": mpi, "transport": transport, "ranks": count, "n": n,
                          "width": group[0]["width"], "bytes": group[0]["bytes"], "oversubscribed": not timed}, group))


def _record(record, group):
    for name in ("persistent_s", "blocking_s", "hand_s", "compute_s", "overlapped_s", "hand_overlapped_s",
                 "persistent_cpu_s", "hand_cpu_s"):
        statistics.put(record, name, column(group, name))
    hand = column(group, "hand_s")
    statistics.put(record, "vs_hand", statistics.ratios(hand, column(group, "persistent_s")))
    statistics.put(record, "blocking_vs_hand", statistics.ratios(hand, column(group, "blocking_s")))
    statistics.put(record, "control", statistics.ratios(hand, column(group, "again_s")))
    # Of what the shorter of the two could hide.
    for name, alone, overlapped in (("hidden", "persistent_s", "overlapped_s"), ("hand_hidden", "hand_s", "hand_overlapped_s")):
        statistics.put(record, name, [(line[alone] + line["compute_s"] - line[overlapped]) /
                                      max(1e-12, min(line[alone], line["compute_s"])) for line in group])
    record["pairs"], record["verified"] = len(group), all(column(group, "verified"))
    return record


COLUMNS = (
    ("mpi", "mpi", str), ("case", "case", str), ("ranks", "ranks", str), ("n", "n", str), ("bytes", "bytes", str),
    ("persistent ms", "persistent_s", table.ms),
    ("blocking ms", "blocking_s", table.ms), ("hand ms", "hand_s", table.ms), ("vs hand", "vs_hand", table.two),
    ("from", "vs_hand_lo", table.two), ("to", "vs_hand_hi", table.two), ("blocking vs", "blocking_vs_hand", table.two),
    ("control", "control", table.two), ("hidden", "hidden", table.two), ("by hand", "hand_hidden", table.two),
    ("oversubscribed", "oversubscribed", table.yes), ("verified", "verified", table.yes))
EXPLANATION = ("vs hand: speed of the persistent update over subarrays of MPI's with Isend and Irecv, above 1 is faster; "
               "control: by hand over by hand. hidden: of an exchange beside a computation as long as it, the share that "
               "cost no time; by hand: the same of the hand-written one.")
