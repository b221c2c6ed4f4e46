# SPDX-License-Identifier: Apache-2.0
"""`exchange`: two directions at once between ranks, with and without computation on what was received.

A process measures one case in one way of running; all its iterations count, from the first.
"""
import time

from . import rounds, statistics, table
from .errors import BenchError
from .places import Local

IDIOMS = ("irecv_isend_wait", "sendrecv", "send_irecv")
_SIZES = (64 << 10, 256 << 10, 1 << 20, 4 << 20, 16 << 20, 64 << 20)
_SECONDS, _LEAST, _MOST, _QUICK = 2.0, 16, 400, 40


def _bytes(text):
    unit = {"K": 10, "M": 20, "G": 30}.get(text[-1:].upper())
    try:
        return int(text[:-1]) << unit if unit else int(text)
    except ValueError:
        raise BenchError(f"{text} is not a number of bytes; write for example 64K or 1M.") from None


def sizes(options, otherwise):
    return [_bytes(text) for text in options.sizes.split(",")] if options.sizes else list(otherwise)


def measure(options, build, where, emit):
    wanted = options.cases.split(",") if options.cases else list(IDIOMS[:2] if options.quick else IDIOMS)
    for name in wanted:
        if name not in IDIOMS:
            raise BenchError(f"There is no idiom {name}; there are {', '.join(IDIOMS)}.")
    kinds = [(size, idiom, unequal) for size in sizes(options, (1 << 20,) if options.quick else _SIZES)
             for idiom in wanted for unequal in ((False,) if options.quick else (False, True))]
    end = time.monotonic() + _QUICK if options.quick else float("inf")
    with where[0] as place:
        parts = len(options.mpis) * len(kinds) * 2
        for mpi in options.mpis:
            for size, idiom, unequal in kinds:
                alone = None
                for load in ("none", "compute"):
                    share = (end - time.monotonic()) / parts if options.quick else float("inf")
                    alone = _case(options, build, place, mpi, (size, idiom, unequal, load), alone, share, emit)
                    parts -= 1
    if not options.quick:
        _ring(options, build, where[0], wanted, emit)


def _case(options, build, place, mpi, kind, alone, share, emit):
    """Measures a case; `alone` is the exchange's record without computation, which gives the computation's length."""
    size, idiom, unequal, load = kind
    begin = time.monotonic()
    arguments = ["--idiom", idiom, "--bytes", str(size)] + (["--unequal"] if unequal else [])
    case = rounds.Rounds(options, build, place, mpi, "exchange", arguments)
    if alone is None:
        alone = case.once("plain", "--iterations", str(_LEAST))
    one = alone["steady_s"] * (2 if load == "compute" else 1)
    count = min(_MOST, max(_LEAST, round((_SECONDS / 4 if options.quick else _SECONDS) / one / 8) * 8))
    steps = 0
    if load == "compute":
        steps = round(256 * alone["steady_s"] / (size / 8 * alone["step_s"]))
    case.arguments += ["--iterations", str(count), "--steps", str(steps)]
    rounds.say("exchange", mpi, place.transport, idiom, size, "unequal" if unequal else "equal", load, f"{count} iterations")
    case.run(options.pairs or (2 if options.quick else 9), begin + share)
    for variant in case.roles:
        if variant in rounds.VARIANTS:
            emit(_record(case, kind, variant, count, steps))
    if len(case.roles) == 2:
        emit(_record(case, kind, None, count, steps))
    return alone


def _record(case, kind, variant, count, steps):
    size, idiom, unequal, load = kind
    record = {"bench": "exchange", "case": f"{idiom}-{'unequal' if unequal else 'equal'}-{load}", "idiom": idiom,
              "unequal": unequal, "load": load, "mpi": case.mpi, "transport": case.place.transport, "rate": case.place.rate,
              "ranks": 2, "bytes": size, "iterations": count, "steps": steps, "variant": variant}
    statistics.put(record, "plain_s", case.column("plain", "seconds"))
    statistics.put(record, "control", statistics.ratios(case.column("plain", "seconds"), case.column("control", "seconds")))
    if variant:
        statistics.put(record, "lapwing_s", case.column(variant, "seconds"))
        case.compare(record, variant, "seconds", "vs_plain")
        case.compare(record, variant, "steady_s", "steady_vs_plain")
    record.update(pairs=len(case.samples["plain"]), hung=case.hung, verified=case.verified)
    return record


def _ring(options, build, place, wanted, emit):
    """Four ranks with two partners each, on two hosts: verified, not timed."""
    with (place if isinstance(place, Local) else place.of(2, 2)) as hosts:
        for mpi in options.mpis:
            for idiom in wanted:
                case = rounds.Rounds(options, build, hosts, mpi, "exchange",
                                     ["--idiom", idiom, "--bytes", "1M", "--iterations", "8"], ranks=4)
                for role in case.roles[:-1]:
                    case.samples[role].append(case.once(role))
                emit({"bench": "exchange", "case": f"{idiom}-ring", "idiom": idiom, "mpi": mpi, "rate": hosts.rate,
                      "transport": hosts.transport, "ranks": 4, "bytes": 1 << 20, "iterations": 8, "pairs": 0,
                      "variants": case.roles[:-1], "hung": case.hung, "verified": case.verified})


COLUMNS = (
    ("mpi", "mpi", str), ("link", "rate", str), ("case", "case", str), ("size", "bytes", table.size),
    ("ranks", "ranks", str), ("variant", "variant", str), ("plain ms", "plain_s", table.ms),
    ("Lapwing ms", "lapwing_s", table.ms), ("vs plain", "vs_plain", table.three), ("from", "vs_plain_lo", table.three),
    ("to", "vs_plain_hi", table.three), ("learnt", "steady_vs_plain", table.three), ("control", "control", table.three),
    ("from", "control_lo", table.three), ("to", "control_hi", table.three), ("pairs", "pairs", str), ("hung", "hung", str),
    ("right", "verified", table.yes))
EXPLANATION = ("vs plain: speed ratio of all iterations, from the first, above 1 is faster, with its 95 % interval; learnt: of "
               "the second half; control: plain against plain.")
