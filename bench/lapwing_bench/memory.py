# SPDX-License-Identifier: Apache-2.0
"""`memory`: lapwing_memget and lapwing_memput with a computation: plain, by hand in pieces that do not block, and under
Lapwing with LAPWING_ONE_SIDED=on, each call site judged (auto) or always deferred (on).

A process measures one case in one way; all its iterations count, from the first.
"""
import time

from . import rounds, statistics, table
from .errors import BenchError
from .exchange import sizes
from .places import Local

ACCESSES = ("get", "put", "put_two")
_SIZES, _RATIOS, _QUICK, _SECONDS, _LEAST, _MOST = (256 << 10, 1 << 20, 4 << 20), (0.5, 1.0, 2.0), 40, 1.5, 12, 200
_SETTINGS = {"auto": {"LAPWING_ONE_SIDED": "on"}, "on": {"LAPWING_ONE_SIDED": "on", "LAPWING_DEFER": "on"}}


class _Rounds(rounds.Rounds):
    def __init__(self, options, build, place, mpi, arguments):
        super().__init__(options, build, place, mpi, "memory", arguments)
        lapwing = ["auto", "on"] if build.has_preload(mpi) else []
        self.roles = ["plain", "hand", *lapwing, "control"]
        self.samples = {role: [] for role in self.roles}

    def environment(self, role):
        return {**self.build.preload(self.mpi), **_SETTINGS[role]} if role in _SETTINGS else {}

    def once(self, role, *more):
        return super().once(role, *more, *(["--hand"] if role == "hand" else []))


def measure(options, build, where, emit):
    wanted = options.cases.split(",") if options.cases else list(ACCESSES)
    for name in wanted:
        if name not in ACCESSES:
            raise BenchError(f"There is no access {name}; there are {', '.join(ACCESSES)}.")
    ratios = [float(text) for text in options.ratios.split(",")] if options.ratios else ([1.0] if options.quick else _RATIOS)
    kinds = [(name, size, ratio) for name in wanted for size in sizes(options, (1 << 20,) if options.quick else _SIZES)
             for ratio in ratios]
    end = time.monotonic() + _QUICK
    with where[0] as place:
        parts = len(options.mpis) * len(kinds)
        for mpi in options.mpis:
            if mpi == "openmpi" and not isinstance(place, Local):
                rounds.say("memory", mpi, "left out: as Debian sets it up, Open MPI has no windows over TCP; --local measures it")
                parts -= len(kinds)
                continue
            for kind in kinds:
                share = (end - time.monotonic()) / parts if options.quick else float("inf")
                _case(options, build, place, mpi, kind, share, emit)
                parts -= 1


def _case(options, build, place, mpi, kind, share, emit):
    name, size, ratio = kind
    begin = time.monotonic()
    case = _Rounds(options, build, place, mpi, ["--access", name, "--bytes", str(size)])
    alone = case.once("plain", "--iterations", str(_LEAST))
    steps = round(256 * ratio * alone["seconds"] / (size / 8 * alone["step_s"]))
    seconds = _SECONDS / 4 if options.quick else _SECONDS
    count = min(_MOST, max(_LEAST, round(seconds / (alone["seconds"] * (1 + ratio)))))
    case.arguments += ["--iterations", str(count), "--steps", str(steps)]
    rounds.say("memory", mpi, place.transport, name, size, f"ratio {ratio:g}", f"{count} iterations")
    case.run(options.pairs or (2 if options.quick else 9), begin + share)
    for variant in case.roles[1:-1]:
        emit(_record(case, kind, variant, count))


def _record(case, kind, variant, count):
    name, size, ratio = kind
    record = {"bench": "memory", "case": name, "mpi": case.mpi, "transport": case.place.transport, "rate": case.place.rate,
              "ranks": 2, "bytes": size, "ratio": ratio, "iterations": count, "variant": variant}
    statistics.put(record, "plain_s", case.column("plain", "seconds"))
    statistics.put(record, "variant_s", case.column(variant, "seconds"))
    case.compare(record, variant, "seconds", "vs_plain")
    case.compare(record, "control", "seconds", "control")
    record.update(pairs=len(case.samples["plain"]), hung=case.hung, verified=case.verified)
    return record


COLUMNS = (
    ("mpi", "mpi", str), ("link", "rate", str), ("access", "case", str), ("size", "bytes", table.size), ("ratio", "ratio", str),
    ("variant", "variant", str), ("plain ms", "plain_s", table.ms), ("this ms", "variant_s", table.ms),
    ("vs plain", "vs_plain", table.three), ("from", "vs_plain_lo", table.three), ("to", "vs_plain_hi", table.three),
    ("control", "control", table.three), ("from", "control_lo", table.three), ("to", "control_hi", table.three),
    ("pairs", "pairs", str), ("hung", "hung", str), ("right", "verified", table.yes))
EXPLANATION = ("ratio: computation over transfer; hand: pieces of 128 KiB that do not block; auto and on: the plain source under "
               "LAPWING_ONE_SIDED=on, with LAPWING_DEFER=auto and on; vs plain: speed ratio, above 1 is faster; control: plain "
               "against plain.")
