# SPDX-License-Identifier: Apache-2.0
"""Says whether two runs of the same programs saw the same, and makes a difference small."""
import dataclasses
import time


@dataclasses.dataclass
class Difference:
    seed: int
    step: str
    rank: int
    what: str

    def __str__(self):
        return f"program {self.seed}, step {self.step}, rank {self.rank}: {self.what}"


def first_difference(plain, other):
    """The first thing that `other` saw otherwise than `plain`, or None."""
    for seed in sorted({s for log in plain.logs for s in log}):
        for rank, (expected, got) in enumerate(zip(plain.logs, other.logs)):
            steps = expected.get(seed, {})
            for step, text in steps.items():
                seen = got.get(seed, {}).get(step)
                if seen == text:
                    continue
                if other.end != "done" and (seen is None or text.startswith(seen)):
                    break  # it never came so far: told by its end, unless a rank saw something wrong
                return Difference(seed, step, rank, explain(text, seen))
    if other.end != "done":
        seed, step = other.last()
        return Difference(seed if seed is not None else -1, step or "start", -1, other.end)
    return None


def explain(expected, seen):
    if seen is None:
        return "the step is missing"
    wanted, got = expected.splitlines(), seen.splitlines()
    for a, b in zip(wanted, got):
        if a != b:
            fields = [f"{x} became {y}" for x, y in zip(a.split(), b.split()) if x != y]
            return f"{a.split()[0] if a.split() else ''}: " + (", ".join(fields) or f"{a!r} became {b!r}")
    return f"{len(wanted)} lines became {len(got)}"


class Shrinker:
    """Leaves out steps for as long as what is left still fails."""

    def __init__(self, launcher, tries=3, seconds=90):
        self.launcher = launcher
        self.tries = tries
        self.seconds = seconds

    def fails(self, case, lapwing):
        plain = self.launcher.run(case)
        if plain.end != "done":
            return None
        for _ in range(self.tries):
            difference = first_difference(plain, self.launcher.run(case, lapwing))
            if difference:
                return difference
        return None

    def shrink(self, case, lapwing, difference, all_steps):
        """Returns (case, difference) of a small program that fails, or None if it fails no more alone."""
        until = time.monotonic() + self.seconds
        best = case.alone(difference.seed)
        seen = self.fails(best, lapwing)
        if not seen:
            return None
        steps = list(all_steps)
        if seen.step.isdigit() and int(seen.step) in steps:
            steps = steps[: steps.index(int(seen.step)) + 1]
        chunk = max(1, len(steps) // 2)
        best = case.alone(difference.seed, steps)
        if not self.fails(best, lapwing):
            steps = list(all_steps)
            best = case.alone(difference.seed, steps)
        while time.monotonic() < until:
            removed = False
            for start in range(0, len(steps), chunk):
                rest = steps[:start] + steps[start + chunk:]
                if not rest or time.monotonic() > until:
                    continue
                smaller = self.fails(case.alone(difference.seed, rest), lapwing)
                if smaller:
                    steps, seen, removed = rest, smaller, True
                    best = case.alone(difference.seed, rest)
                    break
            if not removed:
                if chunk == 1:
                    break
                chunk = max(1, chunk // 2)
        return best, seen
