# SPDX-License-Identifier: Apache-2.0
"""The MPIs that a build tree has been made for; drivers that ctest has not started take both."""
import os
import unittest

MPIS = tuple(os.environ.get("TESTED_MPIS", "mpich,openmpi").split(","))


def needs(*mpis):
    """A test, or a class of tests, that is skipped where one of these has not been built for."""
    missing = [mpi for mpi in mpis if mpi not in MPIS]
    return unittest.skipIf(missing, f"this tree is not built for {' and '.join(missing)}")
