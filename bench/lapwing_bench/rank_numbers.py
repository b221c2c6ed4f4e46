# SPDX-License-Identifier: Apache-2.0
"""The option --ranks of all benchmarks."""

from .errors import BenchError


def rank_numbers(text, usual):
    """Its numbers of ranks, or `usual` where it is not given."""
    if text is None:
        return usual
    numbers = text.split(",")
    if not all(one.isdecimal() and int(one) > 0 for one in numbers):
        raise BenchError(f"--ranks needs numbers such as 2,4, not '{text}'.")
    return [int(one) for one in numbers]


def rank_number(text, usual):
    """The one number of a benchmark that takes no more, or `usual`."""
    numbers = rank_numbers(text, [usual])
    if len(numbers) > 1:
        raise BenchError(f"This benchmark takes one number of ranks, such as --ranks 4, not '{text}'.")
    return numbers[0]
