# SPDX-License-Identifier: Apache-2.0
"""`programs`: programs that were not written here, by recipes: what each of Lapwing's variants does to their time.

A round runs every variant once, in turning order, and the plain program a second time (the control). Times are those
that the programs state themselves.
"""
import math
import os
import sys
import tempfile
import time

from . import programs_build, programs_recipe, programs_run, statistics, table
from .errors import BenchError
from .places import Local
from .rank_numbers import rank_number

USUAL = ("run", "compiled", "compiled+run", "lto")
RIVAL = "hand"   # written by hand: only some recipes have it, and it is measured only where it is asked for
VARIANTS = (*USUAL, RIVAL)
_TRIES, _HARM = 3, 0.98
_BRIEF, _MOST = 2.0, 4   # a program that runs for less than so many seconds gets more pairs, up to so many times


class Case:
    """One recipe with one MPI: its programs, what came of their runs."""

    def __init__(self, options, build, programs, place, mpi, recipe):
        self.options, self.build, self.programs, self.place = options, build, programs, place
        self.mpi, self.recipe = mpi, recipe
        self.paths, self.faults, self.hung, self.samples = {}, {}, {}, {}
        self.expected, self.longest, self.given_up = {}, 0.0, set()
        self.shown = {}   # the seconds of each run for the table
        self.variants = []
        for variant in options.variants:
            if recipe.command and programs_build.way(variant) != "plain":
                continue
            if "run" in variant and not build.has_preload(mpi):
                continue
            if variant == RIVAL and not recipe.hand:
                continue
            self.variants.append(variant)

    @staticmethod
    def baseline(variant):
        """With what a variant is compared: the same compiler and flags without the pass."""
        return "plain-lto" if "lto" in variant else "plain"

    def roles(self):
        roles = ["plain", *self.variants, "control"]
        if "lto" in roles:
            roles.insert(roles.index("lto"), "plain-lto")
        return [role for role in roles if role in self.paths]

    def prepare(self):
        """Builds what is not built; a variant that cannot be had says why and the others go on."""
        needed = ["plain", *self.variants] + (["plain-lto"] if "lto" in self.variants else [])
        for variant in needed:
            try:
                self.paths[variant] = self.programs.program(self.recipe, self.mpi, variant)
            except BenchError as error:
                if str(error) not in self.faults.values():
                    _say(self, str(error))
                self.faults[variant] = str(error)
        if "plain" in self.paths:
            self.paths["control"] = self.paths["plain"]
        if "plain-lto" not in self.paths:
            self.paths.pop("lto", None)

    def _environment(self, role):
        return self.build.preload(self.mpi) if role in ("run", "compiled+run") else {}

    def launch(self, role):
        """One run: its seconds, or None; hangs and wrong results are noted."""
        recipe, expected = self.recipe, self.expected.get(self.baseline(role))
        folder = self.programs.folder(recipe, self.mpi, "run")
        programs_run.prepare_folder(folder, [self.programs.file(recipe, name) for name in recipe.files])

        def output(lines):
            if not recipe.output:
                return lines
            try:
                with open(os.path.join(folder, recipe.output), encoding="utf-8", errors="replace") as file:
                    return lines + file.read().splitlines()
            except OSError:
                return lines

        def complete(lines):
            lines = output(lines)
            return recipe.seconds(lines) is not None and recipe.fault(lines, expected) is None

        limit = min(recipe.limit, 4 * self.longest + 10) if self.longest else recipe.limit
        begin = time.monotonic()
        outcome = programs_run.launch(self.place, self.mpi, [self.paths[role], *recipe.arguments], self._environment(role),
                                      recipe.ranks, limit, complete, folder, self.options.first)
        lines = output(outcome.lines)
        seconds, fault = recipe.seconds(lines), recipe.fault(lines, expected)
        if outcome.hung:
            self.hung[role] = self.hung.get(role, 0) + 1
            if seconds is None or fault:
                return None
        elif outcome.status != 0:
            fault = f"ended with status {outcome.status}" + (f": {outcome.lines[-1].strip()}" if outcome.lines else "")
        elif seconds is None and not fault:
            fault = f"no line has `{recipe.time.pattern}`"
        if fault:
            self.faults[role] = fault
            self.given_up.add(role)
            _say(self, f"{role}: {fault}")
            return None
        if not outcome.hung:
            self.longest = max(self.longest, time.monotonic() - begin)
        if role in ("plain", "plain-lto"):
            self.expected.setdefault(role, recipe.results(lines))
        self.shown.setdefault(role, []).append(recipe.shown_seconds(lines))
        return seconds

    def once(self, role):
        """As `launch`, but a hang is tried again; a variant that hangs every time in its first round, or in two
        rounds one after the other, is given up."""
        if role in self.given_up:
            return None
        for _ in range(_TRIES):
            seconds = self.launch(role)
            if seconds is not None or role in self.given_up:
                return seconds
            _say(self, f"{role}: hung")
        if not self.samples.get(role) or self.samples[role][-1] is None:
            self.given_up.add(role)
        return None

    def round(self, number):   # the first begins with the plain program, whose results the others must have
        roles = self.roles()
        turn = number % len(roles)
        for role in roles[turn:] + roles[:turn]:
            self.samples.setdefault(role, []).append(self.once(role))
            if role == "plain" and role in self.given_up:
                return   # there is nothing to compare with

    def more_pairs(self):
        """How many times the pairs asked for: what disturbs one run of a brief program is a large share of its time."""
        seconds = [value for value in self.shown.get("plain", []) if value]
        return min(_MOST, max(1, math.ceil(_BRIEF / seconds[0]))) if seconds else 1

    def record(self, variant):
        baseline = self.baseline(variant)
        fields = {"bench": "programs", "case": self.recipe.name, "size": self.recipe.size, "mpi": self.mpi,
                  "transport": self.place.transport, "rate": self.place.rate, "ranks": self.recipe.ranks, "variant": variant}
        for name in ("speed", "control", "vs_hand", "plain_s", "variant_s"):
            for end in ("", "_lo", "_hi"):
                fields[name + end] = None
        ran = self.samples.get(variant, [])
        wrong = variant in self.samples and variant in self.faults
        fields["verified"] = False if wrong else True if any(s is not None for s in ran) else None
        fields["hung"] = self.hung.get(variant, 0)
        fields["plain_hung"] = self.hung.get("plain", 0) + self.hung.get("control", 0)
        fault = self.faults.get(variant) or (None if variant in self.paths else self.faults.get(baseline))
        fields["pairs"] = self._times(fields, variant, baseline) if self.recipe.timed and not wrong else 0
        if self.recipe.timed and fields["verified"] and fields["speed"] is None:
            fault = fault or self.faults.get(baseline) or f"{baseline} hangs"
        fields["fault"] = fault
        fields["verdict"] = self._verdict(fields, wrong, ran)
        return fields

    def _times(self, fields, variant, baseline):
        pairs = _both(self.samples.get(baseline, []), self.samples.get(variant, []))
        controls = _both(self.samples.get("plain", []), self.samples.get("control", []))
        if controls:
            statistics.put(fields, "control", [a / b for a, b in controls])
        if pairs:
            for role, name in ((baseline, "plain_s"), (variant, "variant_s")):
                seconds = [value for value in self.shown[role] if value is not None]
                if seconds:
                    statistics.put(fields, name, seconds)
            statistics.put(fields, "speed", [a / b for a, b in pairs])
        rivals = _both(self.samples.get(RIVAL, []), self.samples.get(variant, [])) if variant != RIVAL else []
        if rivals:
            statistics.put(fields, "vs_hand", [a / b for a, b in rivals])
        return len(pairs)

    def _verdict(self, fields, wrong, ran):
        if wrong:
            return "wrong"
        if not ran:
            return "absent"
        if not fields["verified"]:
            return "hangs"
        if fields["speed"] is None:
            return "right" if not self.recipe.timed else "untimed"
        below, above = fields["control_lo"] or 1, fields["control_hi"] or 1
        if fields["speed_hi"] < min(_HARM, below):
            return "harm"
        return "gain" if fields["speed_lo"] > max(1, above) else "even"

    def emit(self, emit, means):
        """A row for each variant; for the plain program only if it fails, for then there is nothing to compare with."""
        if not self.samples or "plain" in self.faults or not any(s is not None for s in self.samples.get("plain", [])):
            emit(self.record("plain"))
            if "plain" in self.faults:
                return
        records = [self.record(variant) for variant in self.variants]
        for record in records:
            emit(record)
        means.add(self.mpi, records)


class Means:
    """Geometric means over the programs of one MPI: of each variant, of the best variant of each program (the one by
    hand is none of Lapwing's), and of the control."""

    def __init__(self):
        self.logarithms = {}

    def add(self, mpi, records):
        timed = [r for r in records if r["speed"]]
        if not timed:
            return
        for record in timed:
            self._note(mpi, record["variant"], record["speed"])
        ours = [r["speed"] for r in timed if r["variant"] != RIVAL]
        if ours:
            self._note(mpi, "best", max(ours))
        if timed[0]["control"]:
            self._note(mpi, "control", timed[0]["control"])

    def _note(self, mpi, variant, speed):
        self.logarithms.setdefault((mpi, variant), []).append(math.log(speed))

    def emit(self, emit):
        for (mpi, variant), values in self.logarithms.items():
            emit({"bench": "programs", "case": "geometric mean", "mpi": mpi, "variant": variant,
                  "speed": math.exp(sum(values) / len(values)), "programs": len(values), "hung": 0, "verified": None,
                  "fault": None, "verdict": "mean"})


def _both(first, second):
    return [(a, b) for a, b in zip(first, second) if a is not None and b is not None]


def measure(options, build, where, emit):
    if not options.folder:
        raise BenchError("programs needs the folder in which the sources lie: lapwing bench programs DIR.")
    if not os.path.isdir(options.folder):
        raise BenchError(f"There is no folder {options.folder}.")
    options.variants = _variants(options.variants)
    beside = os.path.dirname(os.path.realpath(options.script))
    recipes, faults = programs_recipe.find(options.recipes or os.path.join(beside, "recipes"), options.only, options.quick)
    if not recipes and not faults:
        raise BenchError("No recipe has such a name.")
    usual = rank_number(options.ranks, 2)
    for one in recipes:
        one.ranks = one.own_ranks or usual
    for name, fault in faults:
        print(f"bench: {fault}", file=sys.stderr)
        emit({"bench": "programs", "case": name, "variant": "plain", "verified": None, "hung": 0, "pairs": 0, "fault": fault,
              "verdict": "absent"})
    programs = programs_build.Programs(build, os.path.abspath(options.folder), options.work or _work(build))
    cases = [Case(options, build, programs, where[0], mpi, recipe) for mpi in options.mpis for recipe in recipes
             if recipe.mpi in (None, mpi)]
    for recipe in recipes:
        if recipe.mpi not in (None, *options.mpis):
            print(f"bench: {recipe.name} is left out, it needs --mpi {recipe.mpi}.", file=sys.stderr)
    for case in cases:
        if options.variants and not case.variants:
            print(f"bench: {case.recipe.name} is left out, it has no variant {', '.join(options.variants)}.", file=sys.stderr)
    cases = [case for case in cases if case.variants or not options.variants]
    for case in cases:
        case.prepare()
    if options.build:
        return
    means = Means()
    with where[0] as place:
        for case in cases:
            _case(case, place, options)
            case.emit(emit, means)
    means.emit(emit)


def _case(case, place, options):
    if "plain" not in case.paths:
        return
    if case.recipe.ranks > 2 and not isinstance(place, Local):
        with place.of(2, (case.recipe.ranks + 1) // 2) as case.place:
            _rounds(case, options)
    else:
        case.place = place
        _rounds(case, options)


def _rounds(case, options):
    rounds = (options.pairs or (3 if options.quick else 9)) if case.recipe.timed else 1
    number = 0
    while number < rounds:
        _say(case, f"round {number + 1} of {rounds}")
        case.round(number)
        if "plain" in case.given_up:
            return
        if number == 0 and case.recipe.timed and not options.quick:
            rounds *= case.more_pairs()
        number += 1


def _variants(text):
    variants = [name for name in (text.split(",") if text else USUAL) if name != "plain"]
    for name in variants:
        if name not in VARIANTS:
            raise BenchError(f"There is no variant {name}; there are plain, {', '.join(VARIANTS)}.")
    return variants


def _work(build):
    tree = os.path.exists(os.path.join(build.prefix, "CMakeCache.txt"))
    return os.path.join(build.prefix if tree else tempfile.gettempdir(), "bench-programs")


def _say(case, what):
    print(f"bench: {case.recipe.name}, {case.mpi}, {case.place.transport}: {what}", file=sys.stderr)


_ORDER = ("wrong", "harm", "hangs", "absent", "untimed", "even", "gain", "right", "mean")


def sort(records):
    """Harm first, then by the loss."""
    return sorted(records, key=lambda r: (_ORDER.index(r["verdict"]), r.get("speed") or 0))


COLUMNS = (
    ("verdict", "verdict", str), ("program", "case", str), ("mpi", "mpi", str), ("variant", "variant", str),
    ("ranks", "ranks", str), ("speed", "speed", table.three), ("from", "speed_lo", table.three), ("to", "speed_hi", table.three),
    ("control", "control", table.three), ("from", "control_lo", table.three), ("to", "control_hi", table.three),
    ("vs hand", "vs_hand", table.three), ("from", "vs_hand_lo", table.three), ("to", "vs_hand_hi", table.three),
    ("plain s", "plain_s", table.three), ("hung", "hung", str), ("plain hung", "plain_hung", str), ("pairs", "pairs", str),
    ("right", "verified", table.yes), ("why", "fault", str))
EXPLANATION = ("speed: of the plain program's time over the variant's, above 1 is faster, with its 95 % interval; control: "
               "plain against plain; vs hand: the time of the version written by hand over the variant's. harm: below 0.98 and "
               "below the control; gain: above 1 and above the control. mean: the geometric mean of the programs' medians; best: "
               "of the best variant of each program.")
