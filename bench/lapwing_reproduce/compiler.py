# SPDX-License-Identifier: Apache-2.0
"""The compiler paper, Tables 1 to 3: NAS MG, LU and SP, as they are and compiled with the pass, on two emulated hosts."""
import json
import os
import types

from lapwing_bench import places

from . import judge
from .model import Absent, Entry, Grid, Measurement

# (class, processes): seconds as they were, and with split sends and moved waits.
TABLES = {"mg": (1, {("B", 32): (1.53, 1.22), ("B", 64): (1.12, 1.02), ("C", 32): (7.85, 7.82), ("C", 64): (4.32, 4.31)}),
          "lu": (2, {("B", 32): (37.9, 27.8), ("C", 32): (122.1, 114.9)}),
          "sp": (3, {("B", 16): (59.5, 58.8), ("B", 25): (69.8, 60.2), ("B", 36): (61.7, 62.2), ("C", 16): (152.5, 151.3), ("C", 25): (106.6, 106.3),
                     ("C", 36): (77.3, 80.4)})}
# The classes whose processes have nearest to as many points as in the paper: W on 2 processes is as B on 32, and of MG A as C. Each with its size in the recipe, and pairs.
CLASSES = {"mg": {"W": ("quick", 20), "A": ("full", 5)}, "lu": {"W": ("full", 9)}, "sp": {"W": ("full", 3)}}
QUICK = {"mg": "W", "lu": "S", "sp": "S"}
SENDS = "compiler.lu.sends"
ABOUT = {"mg": "Splitting sends and moving waits makes MG faster, up to 20 %, where communication counts (class B). Processes have twice "
               "as many points as there: class W on 2 as B on 32, A as C.",
         "lu": "LU gains most: 26 % for class B. Processes have half as many points as there: class W on 2 as B on 32.",
         "sp": "SP overlaps by itself already: gains are marginal, and some runs are slower."}


def part(name, size):
    return f"compiler.{name}.{size}"


def parts(name):
    return tuple(part(name, size) for size in CLASSES[name])


def _bench(context, name, *words):
    return context.bench("programs", context.programs, "--only", f"^npb-{name}$", "--variants", "compiled", "--mpi", context.mpi,
                         "--work", os.path.join(context.work, "programs"), *words)[0]


def _run(name, size):
    kind, pairs = CLASSES[name][size]

    def run(context):
        quick = context.quick or kind == "quick"
        records = _bench(context, name, "--pairs", "3" if context.quick else str(pairs), *(["--quick"] if quick else []))
        kept = {r["variant"]: {field: r.get(field) for field in ("speed", "speed_lo", "speed_hi", "control", "control_lo", "control_hi", "plain_s", "variant_s",
                                                                "verified", "verdict", "ranks", "size", "pairs", "fault")} for r in records if r["case"] == "npb-" + name}
        return {"variants": kept, "class": QUICK[name] if quick else size,
                "command": f"lapwing bench programs DIR --only '^npb-{name}$' --variants compiled --pairs {pairs}" + (" --quick" if quick else "")}
    return run


def _sends(context):
    """Where LU waits, by the report of a run: seconds of all processes by call."""
    _bench(context, "lu", "--pairs", "1", *(["--quick"] if context.quick else []))   # builds it
    program = os.path.join(context.work, "programs", "npb-lu", context.mpi, "plain", "bin", f"lu.{'S' if context.quick else 'W'}.x")
    report = os.path.join(context.work, "lu-report.json")
    place = places.choose(types.SimpleNamespace(transport="default", local=False, rate="1gbit", pin=False), context.program("bench-driver"))[0]
    with place:
        places.run(place, context.mpi, [program], {**context.build.preload(context.mpi), "LAPWING_REPORT": report}, 120)
    with open(report, encoding="utf-8") as stream:
        whole, *sites = (json.loads(line) for line in stream)
    waits = {}
    for site in sites:
        waits[site["call"]] = waits.get(site["call"], 0) + site["exposed_s"]
    return {"seconds": whole["wall_s"] * whole["ranks"], "waits": waits, "command": "lapwing run --report FILE -n 2 lu.W.x"}


def _saved(got):
    return f"{1 - 1 / got['speed']:.1%} ({1 - 1 / got['speed_lo']:.1%} to {1 - 1 / got['speed_hi']:.1%}; plain against itself {1 - 1 / got['control']:.1%})"


def _claims(name):
    def claims(kept):
        measured = {kept[one]["class"]: kept[one]["variants"]["compiled"] for one in parts(name)}
        wrong = [str(got["fault"]) for got in measured.values() if not got["verified"]]
        told = [judge.holds("the compiled program computes the right result", "verified", "; ".join(wrong) or "verified", not wrong, "wrong")]
        best = max(1 - b / a for a, b in TABLES[name][1].values())
        worst = min(1 - b / a for a, b in TABLES[name][1].values())
        if any(got["speed"] is None for got in measured.values()):
            return told + [judge.Claim("the compiled program is faster", f"{worst:.1%} to {best:.1%}", "", None, "four processes on two cores: verified, not timed")]
        here = "; ".join(f"class {size}: {_saved(got)}" for size, got in measured.items())
        faster = any(got["speed"] > max(1.02, got["control_hi"]) and got["speed_lo"] > 1 for got in measured.values())
        why = "the gain does not stand out from the control"
        if name == "lu":
            waits, seconds = kept[SENDS]["waits"], kept[SENDS]["seconds"]
            sends = sum(value for call, value in waits.items() if "end" in call and call.startswith("MPI_S"))
            why += (f": it waits in sends, which the compiler splits, for {sends / seconds:.1%} of its time, and in receives that the next statement "
                    f"reads for {(sum(waits.values()) - sends) / seconds:.0%}")
        told.append(judge.holds("the compiled program is faster for some class", f"{best:.1%}", here, faster, why))
        told.append(judge.holds("and hardly slower for any", f"{worst:.1%}", here,
                                all(got["speed_hi"] >= min(0.98, got["control_lo"]) for got in measured.values()), "it is slower"))
        return told
    return claims


def _grid(name):
    def grid(kept):
        rows = [(f"class {c}, {n} processes, paper", a, b, f"{1 - b / a:.1%}") for (c, n), (a, b) in TABLES[name][1].items()]
        for one in parts(name):
            got = kept[one]["variants"]["compiled"]
            if got["speed"] is not None:
                rows.append((f"class {kept[one]['class']}, 2 processes, here", got["plain_s"], got["variant_s"], f"{1 - 1 / got['speed']:.1%}"))
        return Grid(("seconds", "as it is", "compiled", "saved"), tuple(rows))
    return grid


def register(registry):
    seconds = {"mg": (45, 80), "lu": (40, 130), "sp": (60, 150)}
    for name, (number, _) in TABLES.items():
        needed = parts(name) + ((SENDS,) if name == "lu" else ())
        registry.add(*(Measurement(part(name, size), _run(name, size), seconds[name], timed=True, needs=("programs",)) for size in CLASSES[name]),
                     Entry(f"compiler.T{number}", f"Table {number}. NAS {name.upper()}", ABOUT[name], needed, _claims(name), _grid(name)))
    registry.add(Measurement(SENDS, _sends, (20, 30), timed=True, needs=("programs",)),
                 Absent("compiler.ranks", "Tables 1 to 3 on 16 to 64 processes, classes B and C", "Two cores: times of more processes say nothing."),
                 *(Absent(f"compiler.F{n}", f"Figure {n}", "A program or a drawing; `tests/compiler/lit/figures` has those that are programs.") for n in range(1, 8)))
