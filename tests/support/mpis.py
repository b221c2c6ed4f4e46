# SPDX-License-Identifier: Apache-2.0
"""The MPIs that a build tree has been made for; drivers that ctest has not started take both."""
import os
import re
import unittest

MPIS = tuple(os.environ.get("TESTED_MPIS", "mpich,openmpi").split(","))


NOISE = re.compile(r"\[\S+:\d+\] \S*osc_ucx_component\.c:\d+  Error: OSC UCX component priority set inside component query failed *\n\s*")


def without_noise(said):
    """The output of a job, without the message that Open MPI 5 adds where UCX finds no device for one-sided
    communication, and it takes another way."""
    return NOISE.sub("", said)


def in_turn(index, mpi):
    """Whether a case that says little about the MPI is tried with this one: the cases go to the MPIs in turn, or each to
    all of them with TESTED_CASES=all."""
    return os.environ.get("TESTED_CASES") == "all" or MPIS[index % len(MPIS)] == mpi


def needs(*mpis):
    """A test, or a class of tests, that is skipped where one of these has not been built for."""
    missing = [mpi for mpi in mpis if mpi not in MPIS]
    return unittest.skipIf(missing, f"this tree is not built for {' and '.join(missing)}")
