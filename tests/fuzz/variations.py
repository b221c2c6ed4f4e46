# SPDX-License-Identifier: Apache-2.0
"""Which programs are run, over which transports, with which settings of Lapwing."""
import os
import sys

import launching

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
from mpis import MPIS  # noqa: E402

TRANSPORTS = {
    # Not "tcp,self", over which MPICH 4.0.2 may hang in its own MPI_Finalize, nor UCX_RNDV_THRESH=inf, with
    # which it may complete a matched receive twice: docs/limitations.md.
    "mpich": [{}, {"UCX_TLS": "posix,self"}, {}, {"UCX_RNDV_THRESH": "inf"}],
    "openmpi": [{}, {"OMPI_MCA_pml": "ob1", "OMPI_MCA_btl": "tcp,self"}, {},
                {"OMPI_MCA_btl_vader_single_copy_mechanism": "none"}],
}

# Small thresholds and strips, so that much is deferred and much goes wrong if anything can.
SETTINGS = [
    {"LAPWING_THRESHOLD_GUARD": "12K", "LAPWING_THRESHOLD_STRIP": "16K", "LAPWING_STRIP_FIRST": "4K", "LAPWING_STRIP_MAX": "16K"},
    {"LAPWING_THRESHOLD_GUARD": "12K", "LAPWING_THRESHOLD_STRIP": "12K", "LAPWING_STRIP_FIRST": "8K", "LAPWING_WINDOW": "16K"},
    {"LAPWING_THRESHOLD_GUARD": "12K"},
    {"LAPWING_THRESHOLD_GUARD": "32K", "LAPWING_THRESHOLD_STRIP": "128K", "LAPWING_DIRECTION": "down"},
    {"LAPWING_THRESHOLD_GUARD": "12K", "LAPWING_THRESHOLD_STRIP": "20K", "LAPWING_STAGING": "256K"},
    {"LAPWING_THRESHOLD_GUARD": "16K", "LAPWING_THRESHOLD_STRIP": "16K", "LAPWING_STRIP_FIRST": "16K",
     "LAPWING_STRIP_MAX": "16K", "LAPWING_DIRECTION": "up"},
    {"LAPWING_THRESHOLD_GUARD": "12K", "LAPWING_THRESHOLD_STRIP": "64K", "LAPWING_HELPER": "off"},
    # Partners agree on strips and end them all the time, between messages that MPI alone completes.
    {"LAPWING_THRESHOLD_GUARD": "12K", "LAPWING_THRESHOLD_STRIP": "32K", "LAPWING_DEFER": "auto", "LAPWING_TESTING": "1",
     "LAPWING_FAULT": "restless"},
]


def settings(number, guard, extra=()):
    chosen = {"LAPWING_DEFER": "on", "LAPWING_GUARD": guard, **SETTINGS[number // 2 % len(SETTINGS)]}
    chosen["LAPWING_ONE_SIDED"] = ("on", "on", "auto", "off", "on")[number % 5]
    chosen["LAPWING_COLLECTIVES"] = "off" if number % 5 == 4 else "on"
    chosen.update(pair.split("=", 1) for pair in extra)
    return chosen


def mpis(options):
    return list(MPIS) if options.mpi == "both" else [options.mpi]


def batches(options):
    """Launches of a few programs each. More ranks than cores are slow, so most have two."""
    seed, last, number = options.seed, options.seed + options.programs, 0
    while seed < last:
        ranks = {5: 3, 11: 4}.get(number % 12, 2) if options.ranks == "mixed" else int(options.ranks)
        threads = number % 8 == 3
        size = options.batch if ranks == 2 and not threads else max(1, options.batch // 3)
        size = min(size, last - seed)
        for mpi in mpis(options):
            over = TRANSPORTS[mpi][number % len(TRANSPORTS[mpi])]
            # Open MPI's TCP transport is not safe with threads that call MPI at once.
            over = {} if threads else over
            one_sided = options.one_sided == "on" or (options.one_sided == "mixed" and number % 4 == 1)
            yield launching.Case(mpi, seed, size, ranks, threads, (), over, one_sided)
        seed += size
        number += 1
