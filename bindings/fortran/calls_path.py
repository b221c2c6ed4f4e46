# SPDX-License-Identifier: Apache-2.0
"""Importing this makes the modules of src/calls importable: the description of MPI's calls."""

import os
import sys

CALLS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "src", "calls")
sys.path.insert(0, CALLS)
