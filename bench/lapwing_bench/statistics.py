# SPDX-License-Identifier: Apache-2.0
"""Medians, their 95 % intervals, and the no-harm test."""
import random
from statistics import median


def interval(values):
    """(median, lo, hi): the 95 % bootstrap interval of the median; the same values give the same interval."""
    generator = random.Random(20)
    count = len(values)
    resampled = sorted(median(generator.choices(values, k=count)) for _ in range(1000))
    return median(values), resampled[25], resampled[974]


def put_joint(record, name, rounds, statistic):
    """As `put`, for a statistic of whole rounds, which are resampled together; None values are left out."""
    generator = random.Random(20)
    resampled = (statistic(generator.choices(rounds, k=len(rounds))) for _ in range(1000))
    values = sorted(value for value in resampled if value is not None)
    record[name] = statistic(rounds)
    if values:
        record[name + "_lo"], record[name + "_hi"] = values[len(values) // 40], values[-1 - len(values) // 40]


def ratios(numerators, denominators):
    return [a / b for a, b in zip(numerators, denominators)]


def put(record, name, values):
    """Adds the median as `name` and its interval as `name`_lo and `name`_hi; returns the three."""
    record[name], record[name + "_lo"], record[name + "_hi"] = triple = interval(values)
    return triple


def no_harm(slowdown_hi, control_hi, bar=1.02):
    """The slowdown's interval lies below the bar, or below the control's own upper end where that is larger."""
    return slowdown_hi <= max(bar, control_hi)
