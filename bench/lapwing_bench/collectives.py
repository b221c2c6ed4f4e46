# SPDX-License-Identifier: Apache-2.0
"""`collectives`: how much of a non-blocking collective, and of an exchange between two, a computation hides."""
import time

from . import rounds, statistics, table
from .errors import BenchError
from .exchange import sizes

KINDS = ("iallreduce", "ialltoall", "ibcast", "iallgather", "ireduce", "igather", "iscatter", "ialltoallv", "ibarrier", "p2p")
_SIZES, _QUICK = (64 << 10, 256 << 10, 1 << 20, 4 << 20), 40


def measure(options, build, where, emit):
    wanted = options.cases.split(",") if options.cases else list(("iallreduce", "ialltoall", "p2p") if options.quick else KINDS)
    for name in wanted:
        if name not in KINDS:
            raise BenchError(f"There is no kind {name}; there are {', '.join(KINDS)}.")
    kinds = [(name, size) for name in wanted for size in
             ((8,) if name == "ibarrier" else sizes(options, (1 << 20,) if options.quick else _SIZES))]
    end = time.monotonic() + _QUICK
    with where[0] as place:
        parts = len(options.mpis) * len(kinds)
        for mpi in options.mpis:
            for kind in kinds:
                share = (end - time.monotonic()) / parts if options.quick else float("inf")
                _case(options, build, place, mpi, kind, share, emit)
                parts -= 1


def _case(options, build, place, mpi, kind, share, emit):
    name, size = kind
    begin = time.monotonic()
    seconds = "0.15" if options.quick else "0.5"
    case = rounds.Rounds(options, build, place, mpi, "collectives",
                         ["--kind", name, "--bytes", str(size), "--seconds", seconds])
    first = case.once("plain")   # so that all compute as long as the plain program's operation takes
    case.arguments += ["--steps", str(first["steps"])]
    rounds.say("collectives", mpi, place.transport, name, size)
    case.run(options.pairs or (2 if options.quick else 9), begin + share)
    for variant in case.roles:
        if variant in ("plain", *rounds.VARIANTS):
            emit(_record(case, kind, variant))


def _record(case, kind, variant):
    name, size = kind
    record = {"bench": "collectives", "case": name, "mpi": case.mpi, "transport": case.place.transport, "ranks": 2,
              "rate": case.place.rate, "bytes": 0 if name == "ibarrier" else size, "variant": variant}
    for field in ("pure_s", "compute_s", "total_s", "overlap"):
        statistics.put(record, field, case.column(variant, field))
    if variant != "plain":
        case.compare(record, variant, "total_s", "vs_plain")
        case.compare(record, variant, "pure_s", "no_compute_vs_plain")
    case.compare(record, "control", "total_s", "control")
    case.compare(record, "control", "pure_s", "no_compute_control")
    record.update(pairs=len(case.samples["plain"]), hung=case.hung, verified=case.verified)
    return record


COLUMNS = (
    ("mpi", "mpi", str), ("link", "rate", str), ("operation", "case", str), ("size", "bytes", table.size),
    ("variant", "variant", str), ("alone ms", "pure_s", table.ms), ("computing ms", "compute_s", table.ms),
    ("both ms", "total_s", table.ms), ("overlap", "overlap", table.two), ("vs plain", "vs_plain", table.three),
    ("from", "vs_plain_lo", table.three), ("to", "vs_plain_hi", table.three), ("control", "control", table.three),
    ("alone vs plain", "no_compute_vs_plain", table.three), ("from", "no_compute_vs_plain_lo", table.three),
    ("to", "no_compute_vs_plain_hi", table.three), ("control", "no_compute_control", table.three), ("pairs", "pairs", str),
    ("hung", "hung", str), ("right", "verified", table.yes))
EXPLANATION = ("overlap: the share of the operation's time alone that the computation hides; vs plain: speed ratio with computation, "
               "alone vs plain: without; control: plain against plain.")
