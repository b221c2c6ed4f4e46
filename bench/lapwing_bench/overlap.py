# SPDX-License-Identifier: Apache-2.0
"""`overlap`: one job per MPI measures everything; here it is only launched."""
import json
import sys

from . import places, table


def measure(options, build, where, emit):
    _measure(options, build, where[0], options.cases, 0.85, emit)
    # Behind a slow link a copy takes too little time to be seen; behind an unlimited one it does not.
    wanted = [c for c in (options.cases or "memcpy").split(",") if "memcpy" in c]
    if len(where) > 1 and where[0].rate != "none" and wanted:
        _measure(options, build, where[1], ",".join(wanted), 0.15, emit)


def _measure(options, build, place, cases, share, emit):
    with place:
        for mpi in options.mpis:
            argv = [build.program(mpi, "overlap"), "--transport", place.transport]
            timeout = 7200
            if options.quick:
                argv += ["--quick", "--budget", f"{max(1.0, 36 * share / len(options.mpis) - 1):.1f}"]
                timeout = 60
            if options.pairs:
                argv += ["--pairs", str(options.pairs)]
            for name, value in (("cases", cases), ("sizes", options.sizes), ("ratios", options.ratios),
                                ("defer", options.defer)):
                if value:
                    argv += ["--" + name, value]
            print(f"bench: overlap, {mpi}, {place.transport}" + (f", link {place.rate}" if place.rate else ""), file=sys.stderr)

            # Deferred from the start, unless the user wants to see learning: a job that begins by learning strips nothing
            # until both ranks have agreed, and the turns of the variants leave no loop to learn from.
            under_lapwing = build.preload(mpi)
            if under_lapwing:
                under_lapwing["LAPWING_DEFER"] = options.defer or "on"

            def line(text):
                if text.startswith("{"):
                    emit({**json.loads(text), **({"rate": place.rate} if place.rate else {})})

            places.run(place, mpi, argv, under_lapwing, timeout, line, first=options.first)


COLUMNS = (
    ("mpi", "mpi", str), ("link", "rate", str), ("case", "case", str), ("size", "bytes", table.size), ("ratio", "ratio", table.two),
    ("plain ms", "plain_s", table.ms), ("by hand ms", "hand_s", table.ms), ("Lapwing ms", "lapwing_s", table.ms),
    ("limit ms", "limit_s", table.ms), ("hidden", "hidden", table.two), ("by hand", "hand_hidden", table.two),
    ("vs hand", "vs_hand", table.two), ("vs plain", "vs_plain", table.two), ("faults", "faults", table.one),
    ("pairs", "pairs", str), ("right", "verified", table.yes))
EXPLANATION = ("hidden: the share of the time that could be hidden at all (1 = the limit); vs hand, vs plain: speed "
               "ratios, above 1 is faster.")
