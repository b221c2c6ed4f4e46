# SPDX-License-Identifier: Apache-2.0
"""The compiler paper, Tables 1 to 3: NAS MG, LU and SP, as they are and compiled with the pass, on two emulated hosts."""
import os

from . import judge
from .model import Absent, Entry, Grid, Measurement

# (class, processes): seconds as they were, and with split sends and moved waits.
TABLES = {"mg": (1, {("B", 32): (1.53, 1.22), ("B", 64): (1.12, 1.02), ("C", 32): (7.85, 7.82), ("C", 64): (4.32, 4.31)}),
          "lu": (2, {("B", 32): (37.9, 27.8), ("C", 32): (122.1, 114.9)}),
          "sp": (3, {("B", 16): (59.5, 58.8), ("B", 25): (69.8, 60.2), ("B", 36): (61.7, 62.2), ("C", 16): (152.5, 151.3), ("C", 25): (106.6, 106.3),
                     ("C", 36): (77.3, 80.4)})}
ABOUT = {"mg": "Splitting sends and moving waits makes MG faster, up to 20 %, where communication counts (class B).",
         "lu": "LU gains most: 26 % for class B.",
         "sp": "SP overlaps by itself already: gains are marginal, and some runs are slower."}


def part(name):
    return f"compiler.{name}"


def _run(name):
    def run(context):
        records, command = context.bench("programs", context.programs, "--only", f"^npb-{name}$", "--variants", "compiled", "--mpi", context.mpi,
                                         "--work", os.path.join(context.work, "programs"),
                                         *(["--quick", "--pairs", "3"] if context.quick else ["--pairs", "3"]))
        kept = {r["variant"]: {field: r.get(field) for field in ("speed", "speed_lo", "speed_hi", "control", "control_lo", "control_hi", "plain_s", "variant_s",
                                                                "verified", "verdict", "ranks", "size", "fault")} for r in records if r["case"] == "npb-" + name}
        return {"variants": kept, "class": "W" if context.quick else "A", "command": f"lapwing bench programs DIR --only '^npb-{name}$' --variants compiled"}
    return run


def _claims(name):
    def claims(parts):
        got = parts[part(name)]["variants"]["compiled"]
        told = [judge.holds("the compiled program computes the right result", "verified", "verified" if got["verified"] else str(got["fault"]), got["verified"], "wrong")]
        best = max(1 - b / a for a, b in TABLES[name][1].values())
        worst = min(1 - b / a for a, b in TABLES[name][1].values())
        if got["speed"] is None:
            return told + [judge.Claim("the compiled program is faster", f"{worst:.1%} to {best:.1%}", "", None, "four processes on two cores: verified, not timed")]
        saved = 1 - 1 / got["speed"]
        interval = f"{saved:.1%} ({1 - 1 / got['speed_lo']:.1%} to {1 - 1 / got['speed_hi']:.1%}; plain against itself {1 - 1 / got['control']:.1%})"
        told.append(judge.holds("the compiled program is faster for some class", f"{best:.1%}", interval, got["speed"] > max(1.02, got["control_hi"]),
                                "the gain does not stand out from the control"))
        told.append(judge.holds("and hardly slower for any", f"{worst:.1%}", interval, got["speed_hi"] >= min(0.98, got["control_lo"]), "it is slower"))
        return told
    return claims


def _grid(name):
    def grid(parts):
        kept = parts[part(name)]
        got = kept["variants"]["compiled"]
        rows = [(f"class {c}, {n} processes, paper", a, b, f"{1 - b / a:.1%}") for (c, n), (a, b) in TABLES[name][1].items()]
        if got["speed"] is not None:
            rows.append((f"class {kept['class']}, 2 processes, here", got["plain_s"], got["variant_s"], f"{1 - 1 / got['speed']:.1%}"))
        return Grid(("seconds", "as it is", "compiled", "saved"), tuple(rows))
    return grid


def register(registry):
    for name, (number, _) in TABLES.items():
        registry.add(Measurement(part(name), _run(name), (60, 150), timed=True, needs=("programs",)),
                     Entry(f"compiler.T{number}", f"Table {number}. NAS {name.upper()}", ABOUT[name], (part(name),), _claims(name), _grid(name)))
    registry.add(Absent("compiler.ranks", "Tables 1 to 3 on 16 to 64 processes, classes B and C", "Two cores: times of more processes say nothing."),
                 *(Absent(f"compiler.F{n}", f"Figure {n}", "A program or a drawing; `tests/compiler/lit/figures` has those that are programs.") for n in range(1, 8)))
