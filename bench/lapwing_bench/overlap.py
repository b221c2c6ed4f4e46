# SPDX-License-Identifier: Apache-2.0
"""`overlap`: one job per MPI measures everything; here it is only launched."""
import json
import sys

from . import places, table


def measure(options, build, place, emit):
    for mpi in options.mpis:
        argv = [build.program(mpi, "overlap"), "--transport", place.transport]
        timeout = 7200
        if options.quick:
            argv += ["--quick", "--budget", f"{max(4.0, 34 / len(options.mpis) - 2):.1f}"]
            timeout = 60
        if options.pairs:
            argv += ["--pairs", str(options.pairs)]
        for name in ("cases", "sizes", "ratios", "defer"):
            if getattr(options, name):
                argv += ["--" + name, getattr(options, name)]
        print(f"bench: overlap, {mpi}, {place.transport}", file=sys.stderr)

        def line(text):
            if text.startswith("{"):
                emit(json.loads(text))

        places.run(place, mpi, argv, build.preload(mpi), timeout, line)


COLUMNS = (
    ("mpi", "mpi", str), ("case", "case", str), ("size", "bytes", table.size), ("ratio", "ratio", table.two),
    ("plain ms", "plain_s", table.ms), ("by hand ms", "hand_s", table.ms), ("Lapwing ms", "lapwing_s", table.ms),
    ("limit ms", "limit_s", table.ms), ("hidden", "hidden", table.two), ("by hand", "hand_hidden", table.two),
    ("vs hand", "vs_hand", table.two), ("vs plain", "vs_plain", table.two), ("faults", "faults", table.one),
    ("pairs", "pairs", str), ("right", "verified", table.yes))
EXPLANATION = ("hidden: the share of the time that could be hidden at all (1 = the limit); vs hand, vs plain: speed "
               "ratios, above 1 is faster.")
