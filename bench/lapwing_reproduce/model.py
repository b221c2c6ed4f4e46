# SPDX-License-Identifier: Apache-2.0
"""Measurements, the tables and figures that are made of them, and statements that have no counterpart."""
from dataclasses import dataclass, field
from typing import Callable, Optional

PAPERS = {"jade": "Jade: Communication Optimizations for Parallel Computing Using Data Access Information",
          "mips": "MIPS/SOS: Merging Implicit Process Sets",
          "hpf": "HPF/MPI: MPI as a Coordination Layer for Communicating HPF Tasks",
          "compiler": "The compiler paper: Compiler-Controlled Extraction of Computation-Communication Overlap in MPI Applications",
          "hunt": "HUNT: HUNTing the Overlap"}


@dataclass(frozen=True)
class Measurement:
    """One part that is run in a process of its own and kept as one JSON file.

    `run(context)` returns what is kept. `seconds`: about how long it takes here, quick and in full. `timed`: its figures are
    times of this machine, which should be idle; else they are simulated or counted. `quick`: it is run by --quick too."""
    name: str
    run: Callable
    seconds: tuple
    timed: bool = False
    quick: bool = True
    needs: tuple = ()     # what the context must have: "matrix", "programs"

    def limit(self, quick):
        """Seconds after which it counts as hung."""
        return max(120, 6 * self.seconds[0 if quick else 1])


@dataclass(frozen=True)
class Claim:
    """A statement of a paper, judged: `holds` is True, False, or None where the figures do not say."""
    text: str
    paper: str
    here: str
    holds: Optional[bool]
    why: str = ""


@dataclass(frozen=True)
class Grid:
    """A table of figures for the page: the columns' titles, and rows of a title and its figures."""
    columns: tuple
    rows: tuple


@dataclass(frozen=True)
class Entry:
    """A table or figure of a paper, or a section with a statement of its own.

    `claims(parts)`, `grid(parts)` and `picture(parts)` get the kept measurements by name."""
    name: str             # "jade.T4"
    title: str
    statement: str
    parts: tuple
    claims: Callable
    grid: Optional[Callable] = None
    picture: Optional[Callable] = None

    @property
    def paper(self):
        return self.name.split(".")[0]


@dataclass(frozen=True)
class Absent:
    """A table, figure or statement without a counterpart here, and the reason."""
    name: str
    title: str
    reason: str

    @property
    def paper(self):
        return self.name.split(".")[0]


@dataclass
class Registry:
    measurements: dict = field(default_factory=dict)
    entries: dict = field(default_factory=dict)
    absent: dict = field(default_factory=dict)

    def add(self, *things):
        for thing in things:
            group = {Measurement: self.measurements, Entry: self.entries, Absent: self.absent}[type(thing)]
            if thing.name in group:
                raise ValueError(f"{thing.name} is registered twice")
            group[thing.name] = thing

    def check(self):
        for entry in self.entries.values():
            for part in entry.parts:
                if part not in self.measurements:
                    raise ValueError(f"{entry.name} needs {part}, which is not registered")
