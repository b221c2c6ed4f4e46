# SPDX-License-Identifier: Apache-2.0
"""Says where two runs of one program differ: in what their ranks saw and printed, in the files
that they left, in how they ended."""
import re


def first_difference(plain, other):
    """A sentence, or None. Nothing is left out: the folder of a run is all that it did."""
    what = _first(plain, other)
    if what and plain.end != other.end and "became" not in what.split(" in scene ")[0]:
        what += f" ({plain.end} became {other.end})"
    return what


def _first(plain, other):
    for name in sorted({*plain.files, *other.files}, key=lambda n: (not n.startswith("strict"), not n.startswith("log"), n)):
        expected, got = plain.files.get(name), other.files.get(name)
        if expected == got:
            continue
        if other.end != plain.end and name.startswith(("log", "out")) and (got is None or expected and expected.startswith(got)):
            continue  # it did not come so far: told by its end
        if expected is None:
            return f"{name} was written, by nobody before: {got[:200].decode(errors='replace').strip()}"
        if got is None:
            return f"{name} is missing"
        return f"{name}: {line_difference(expected, got)}"
    if plain.end != other.end:
        return f"{plain.end} became {other.end}" + place(other)
    return None


def line_difference(expected, got):
    wanted, seen = expected.decode(errors="replace").splitlines(), got.decode(errors="replace").splitlines()
    scene = "start"
    for number, line in enumerate(wanted):
        if number >= len(seen):
            return f"in scene {scene}, ends before {line!r}"
        if line.startswith("scene "):
            scene = line.split()[1]
        if line != seen[number]:
            return f"in scene {scene}, {line!r} became {seen[number]!r}"
    return f"has {len(seen) - len(wanted)} more lines"


def place(outcome):
    scenes = [re.findall(rb"^scene (\d+)", text, re.M) for name, text in outcome.files.items() if name.startswith("log")]
    lowest = min((int(s[-1]) for s in scenes if s), default=None)
    return f" in scene {lowest}" if lowest is not None else ""
