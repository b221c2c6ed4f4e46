# SPDX-License-Identifier: Apache-2.0
"""Verdicts: the same winner, factor and turning point as in the paper, computed from both series of figures."""
from math import exp, log

from .model import Claim

MARGIN = 0.02       # closer than this two figures are equal
NO_EFFECT = 0.05    # closer than this an optimisation has no effect


def _pairs(xs, *series):
    """The places where all series have a figure."""
    return [(x, *values) for x, *values in zip(xs, *series) if all(value is not None for value in values)]


def mean_ratio(numerators, denominators):
    """The geometric mean of the ratios."""
    ratios = [log(a / b) for a, b in zip(numerators, denominators) if a is not None and b is not None]
    return exp(sum(ratios) / len(ratios)) if ratios else None


def winner(text, xs, paper, ours, margin=MARGIN):
    """`paper` and `ours`: two series each, of times. The faster one of the paper is the faster one here, wherever they differ there."""
    agree, differ, even = [], [], 0
    for x, a, b, c, d in _pairs(xs, *paper, *ours):
        if abs(a / b - 1) <= margin:
            even += 1
        else:
            (agree if (a < b and c < d * (1 - margin / 4)) or (a > b and c * (1 - margin / 4) > d) else differ).append(x)
    told = agree + differ
    if not told:
        return Claim(text, "", "", None, "the paper's figures are equal")
    why = "" if not differ else "another one, or none, at " + ", ".join(str(x) for x in differ)
    return Claim(text, f"differ at {len(told)} of {len(told) + even}", f"the same one at {len(agree)} of {len(told)}", not differ, why)


def factor(text, xs, paper, ours, where=None, slack=2.0):
    """The second series over the first, as a geometric mean: here it is between 1 / slack and slack times what it is in the paper,
    counted from 1."""
    rows = [row for row in _pairs(xs, *paper, *ours) if where is None or row[0] in where]
    if not rows:
        return Claim(text, "", "", None, "no figures")
    there = mean_ratio([row[2] for row in rows], [row[1] for row in rows])
    here = mean_ratio([row[4] for row in rows], [row[3] for row in rows])
    a, b = there - 1, here - 1
    holds = a * b > 0 and 1 / slack <= b / a <= slack
    why = "" if holds else ("the other way round" if a * b <= 0 else "a smaller effect" if abs(b) < abs(a) else "a larger effect")
    return Claim(text, f"{there:.2f}", f"{here:.2f}", holds, why)


def turn(text, xs, paper, ours):
    """The number at which the time is least is the same, or the next."""
    told = _pairs(xs, paper, ours)
    places = [row[0] for row in told]
    there = places[min(range(len(told)), key=lambda i: told[i][1])]
    here = places[min(range(len(told)), key=lambda i: told[i][2])]
    holds = abs(places.index(there) - places.index(here)) <= 1
    return Claim(text, f"at {there}", f"at {here}", holds, "" if holds else "it turns elsewhere")


def no_effect(text, xs, ours, paper=None, bound=NO_EFFECT, where=None):
    """The two series of ours differ by less than the bound everywhere."""
    rows = [row for row in _pairs(xs, *ours) if where is None or row[0] in where]
    x, worst = max(((row[0], row[2] / row[1] - 1) for row in rows), key=lambda pair: abs(pair[1]))
    said = ""
    if paper:
        told = [row for row in _pairs(xs, *paper) if where is None or row[0] in where]
        said = f"at most {max(abs(row[2] / row[1] - 1) for row in told):.1%}"
    holds = abs(worst) <= bound
    return Claim(text, said, f"at most {abs(worst):.1%} (at {x})", holds, "" if holds else f"more than {bound:.0%}")


def holds(text, paper, here, condition, why=""):
    return Claim(text, paper, here, bool(condition), "" if condition else why)


def order(text, xs, names, series, where=None, margin=0.0, rising=True):
    """The series stand in this order at all places: each at least as large as the one before (or as small)."""
    wrong = []
    for x, *values in _pairs(xs, *series):
        if where is not None and x not in where:
            continue
        for first, second in zip(values, values[1:]):
            low, high = (first, second) if rising else (second, first)
            if low > high * (1 + margin) + 1e-12:
                wrong.append(x)
    relation = " <= " if rising else " >= "
    return Claim(text, relation.join(names), "so everywhere" if not wrong else "otherwise at " + ", ".join(map(str, sorted(set(wrong)))),
                 not wrong, "" if not wrong else "another order there")


def verdict(claims):
    """Of an entry: yes, no, or in part; None where nothing was judged."""
    told = [claim.holds for claim in claims if claim.holds is not None]
    if not told:
        return None
    return "yes" if all(told) else "in part" if any(told) else "no"
