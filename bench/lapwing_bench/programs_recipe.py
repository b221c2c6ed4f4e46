# SPDX-License-Identifier: Apache-2.0
"""A recipe: how a program that was not written here is built, run, verified and timed (bench/recipes/README.md)."""
import configparser
import os
import re

from .errors import BenchError

_KEYS = {
    "program": ("about", "source", "command", "mpi", "ranks", "timed"),
    "build": ("commands", "program", "cflags", "fflags"),
    "hand": ("edits",),
    "run": ("arguments", "files", "output", "limit"),
    "verify": ("contains", "equal", "tolerance"),
    "time": ("line", "kind", "seconds"),
    "quick": ("commands", "program", "arguments", "files", "limit"),
}


class Recipe:
    """The contents of a recipe; quick=True takes the smaller input that it names."""

    def __init__(self, path, quick=False):
        self.path, self.name = path, os.path.splitext(os.path.basename(path))[0]
        self.folder = os.path.dirname(os.path.abspath(path))
        self._text = _read(path)
        self.size = "quick" if quick and self._text.has_section("quick") else "full"
        self.about = self._get("program", "about", "")
        self.source, self.command = self._get("program", "source"), self._get("program", "command")
        if (self.source is None) == (self.command is None):
            self._wrong("[program] needs either `source`, a folder, or `command`, an installed program")
        self.mpi = self._get("program", "mpi")
        if self.mpi not in (None, "mpich", "openmpi"):
            self._wrong(f"[program] mpi is mpich or openmpi, not {self.mpi}")
        self.own_ranks = int(self._number("program", "ranks", 0))   # 0: any number will do
        self.ranks = self.own_ranks or 2
        self.timed = self._get("program", "timed", "yes") == "yes"
        self.commands, self.program = self._get("build", "commands", ""), self._get("build", "program")
        self.cflags, self.fflags = self._get("build", "cflags", ""), self._get("build", "fflags", "")
        if self.source is not None and not (self.commands and self.program):
            self._wrong("[build] needs `commands`, which build the program, and `program`, the file that they make")
        self.hand = self._get("hand", "edits")   # the file of edits beside the recipe, or None
        if self._text.has_section("hand") and not (self.hand and self.source):
            self._wrong("[hand] needs `edits`, a file beside the recipe, and a program that is built from `source`")
        self.arguments = self._get("run", "arguments", "").split()
        self.files = self._get("run", "files", "").split()
        self.output = self._get("run", "output")
        self.limit = self._number("run", "limit", 60)
        self.contains = [self._regex("verify", "contains", line) for line in self._lines("verify", "contains")]
        self.equal = [self._regex("verify", "equal", line) for line in self._lines("verify", "equal")]
        self.tolerance = self._number("verify", "tolerance", 0)
        if not self.contains and not self.equal:
            self._wrong("[verify] needs `contains` or `equal`: a program that verifies nothing proves nothing")
        self.rate = self._kind() == "rate"
        self.time = self._regex("time", "line", self._get("time", "line") or self._wrong(
            "[time] needs `line`, a regular expression whose group is the program's own time"))
        self.shown_time = self._regex("time", "seconds", self._get("time", "seconds", "(?!)()"))
        if not self.time.groups or not self.shown_time.groups:
            self._wrong("[time] line and seconds need a group in parentheses around the number")

    def _kind(self):
        kind = self._get("time", "kind", "seconds")
        if kind not in ("seconds", "rate"):
            self._wrong(f"[time] kind is seconds or rate, not {kind}")
        return kind

    def _get(self, section, key, otherwise=None):
        if self.size == "quick" and key in _KEYS["quick"] and self._text.has_option("quick", key):
            section = "quick"
        return self._text.get(section, key, fallback=otherwise)

    def _lines(self, section, key):
        return [line.strip() for line in self._get(section, key, "").splitlines() if line.strip()]

    def _number(self, section, key, otherwise):
        text = self._get(section, key, str(otherwise))
        try:
            return float(text)
        except ValueError:
            return self._wrong(f"[{section}] {key} is a number, not {text}")

    def _regex(self, section, key, text):
        try:
            return re.compile(text)
        except re.error as error:
            return self._wrong(f"[{section}] {key} is no regular expression: {error}")

    def _wrong(self, why):
        raise BenchError(f"The recipe {self.path} cannot be used: {why}.")

    def build_text(self):
        """All that decides what is built."""
        return "\n".join(str(x) for x in (self.source, self.commands, self.cflags, self.fflags))

    def has_own_quick_build(self):
        return self.size == "quick" and self._text.has_option("quick", "commands")

    def seconds(self, lines):
        """The program's own time, of the first line that states it; None where there is none."""
        value = _number_in(self.time, lines)
        return (1 / value if value else None) if self.rate else value

    def shown_seconds(self, lines):
        """For the table, where `seconds` gives 1 over a rate: the seconds that the program states with few digits."""
        return _number_in(self.shown_time, lines) if self.rate else self.seconds(lines)

    def results(self, lines):
        """The text that must equal the plain program's: of each line that matches, its groups or all of it."""
        found = []
        for line in lines:
            for pattern in self.equal:
                match = pattern.search(line)
                if match:
                    found.append(" ".join(g for g in match.groups() if g) if pattern.groups else match.group(0).strip())
        return found

    def fault(self, lines, expected):
        """Why a run's output is wrong; None if it is right. expected: the plain program's results, if any."""
        for pattern in self.contains:
            if not any(pattern.search(line) for line in lines):
                return f"no line has `{pattern.pattern}`"
        results = self.results(lines)
        if self.equal and not results:
            return f"no line has `{self.equal[0].pattern}`"
        if expected is not None and len(results) != len(expected):
            return f"{len(results)} lines of results instead of {len(expected)}"
        for result, wanted in zip(results, expected or ()):
            if not self._same(result, wanted):
                return f"`{result}` instead of `{wanted}`"
        return None

    def _same(self, result, wanted):
        if result == wanted or not self.tolerance:
            return result == wanted
        ours, theirs = result.split(), wanted.split()
        return len(ours) == len(theirs) and all(self._near(a, b) for a, b in zip(ours, theirs))

    def _near(self, a, b):
        try:
            x, y = float(a), float(b)
        except ValueError:
            return a == b
        return abs(x - y) <= self.tolerance * max(abs(x), abs(y))


def _number_in(pattern, lines):
    for line in lines:
        found = pattern.search(line)
        if found:
            return float(next(group for group in found.groups() if group is not None).replace("D", "E"))
    return None


def _read(path):
    text = configparser.ConfigParser(interpolation=None, inline_comment_prefixes=None)
    try:
        with open(path, encoding="utf-8") as file:
            text.read_file(file)
    except (OSError, UnicodeDecodeError, configparser.Error) as error:
        why = " ".join(str(error).split())
        raise BenchError(f"The recipe {path} cannot be read: {why}.") from None
    for section in text.sections():
        if section not in _KEYS:
            raise BenchError(f"The recipe {path} cannot be used: there is no section [{section}]; "
                             f"there are {', '.join(_KEYS)}.")
        for key in text[section]:
            if key not in _KEYS[section]:
                raise BenchError(f"The recipe {path} cannot be used: [{section}] has no key `{key}`; "
                                 f"it has {', '.join(_KEYS[section])}.")
    return text


def find(folder, only, quick):
    """The recipes of a folder whose names match, and the sentences about those that cannot be used."""
    if not os.path.isdir(folder):
        raise BenchError(f"There is no folder of recipes {folder}; name one with --recipes.")
    try:
        wanted = re.compile(only or "")
    except re.error as error:
        raise BenchError(f"--only is no regular expression: {error}.") from None
    recipes, faults = [], []
    for file in sorted(os.listdir(folder)):
        name, suffix = os.path.splitext(file)
        if suffix != ".recipe" or not wanted.search(name):
            continue
        try:
            recipes.append(Recipe(os.path.join(folder, file), quick))
        except BenchError as error:
            faults.append((name, str(error)))
    return recipes, faults
