# SPDX-License-Identifier: Apache-2.0
"""What cannot be done, said to the user."""


class BenchError(Exception):
    """A sentence for the user: what is wrong, where, and what to do."""
