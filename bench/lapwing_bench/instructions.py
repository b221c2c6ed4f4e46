# SPDX-License-Identifier: Apache-2.0
"""`latency --instructions`: instructions that Lapwing adds to a call with a small message, by callgrind.

Counted while the loop of the program small_calls runs: those in Lapwing's own libraries, and all. Two loop
counts are compared, so that what happens once (binding, first use) drops out.
"""
import os
import shutil
import sys
import tempfile

from . import places, table
from .errors import BenchError

_FEW, _MANY = 200, 1200
# Name, ranks, calls in each loop, and whether on process sets in run mode, which counts messages.
CASES = (("self", 1, 6, False), ("pingpong", 2, 2, False), ("pingpong-sets", 2, 2, True))
_FUNCTION = "lapwing_bench_small_calls"


def count_by_object(path):
    """Instructions of each object file's own code, from callgrind's output."""
    names, totals = {}, {}
    current, skip = None, False
    with open(path, encoding="utf-8", errors="replace") as file:
        for line in file:
            if line.startswith("ob="):
                number, _, name = line[3:].strip().partition(" ")
                if name:
                    names[number] = name
                current = names[number]
            elif line.startswith("cob="):
                number, _, name = line[4:].strip().partition(" ")
                if name:
                    names[number] = name
            elif line.startswith("calls="):
                skip = True   # the next line is what the callee cost, which is counted where it is spent
            elif line[:1] in "0123456789+-*" and line.strip():
                if not skip and current is not None:
                    totals[current] = totals.get(current, 0) + int(line.split()[1])
                skip = False
    return totals


def _count(build, place, mpi, env, ranks, loops):
    with tempfile.TemporaryDirectory() as folder:
        output = os.path.join(folder, "out.%p")
        argv = ["valgrind", "-q", "--tool=callgrind", "--collect-atstart=no", f"--toggle-collect={_FUNCTION}",
                f"--callgrind-out-file={output}", build.program(mpi, "small_calls"), str(loops)]
        with open(os.path.join(folder, "stderr"), "w+", encoding="utf-8") as errors:
            try:
                places.run(place, mpi, argv, env, 300, ranks=ranks, errors=errors)
            except BenchError:
                errors.seek(0)
                sys.stderr.write(errors.read())
                raise
        best = None
        for name in os.listdir(folder):
            if not name.startswith("out."):
                continue
            totals = count_by_object(os.path.join(folder, name))
            if sum(totals.values()) > 0 and (best is None or sum(totals.values()) > sum(best.values())):
                best = totals
        if best is None:
            raise BenchError("callgrind counted nothing in the loop of small_calls.")
    ours = sum(n for name, n in best.items() if "liblapwing" in os.path.basename(name))
    return ours, sum(best.values())


def measure(options, build, _where, emit):
    if not shutil.which("valgrind"):
        raise BenchError("counting instructions needs valgrind, which is not installed.")
    place = places.Local(best=False)
    for mpi in options.mpis:
        for case, ranks, calls, sets in CASES:
            print(f"bench: instructions, {mpi}, {case}", file=sys.stderr)
            found = {}
            for role, env in (("plain", {}), ("lapwing", build.preload(mpi))):
                if role == "lapwing" and not env:
                    continue
                if ranks > 1 and role == "plain":
                    continue
                words = {**env, **({"LAPWING_SETS": "run"} if sets else {})}
                few, many = (_count(build, place, mpi, words, ranks, loops) for loops in (_FEW, _MANY))
                found[role] = [(b - a) / (_MANY - _FEW) / calls for a, b in zip(few, many)]
            record = {"bench": "latency", "case": f"instructions-{case}",
                      "kind": "instructions", "mpi": mpi, "transport": "self" if ranks == 1 else "shm", "bytes": 8}
            if ranks == 1:   # two ranks poll for as long as they wait, which is not the same twice
                record["plain_instructions"] = found["plain"][1]
            if "lapwing" in found:
                record["added_own"] = found["lapwing"][0]
                if ranks == 1:
                    record["lapwing_instructions"] = found["lapwing"][1]
                    record["added_total"] = found["lapwing"][1] - found["plain"][1]
            record["lapwing"] = "lapwing" in found
            emit(record)


COLUMNS = (
    ("mpi", "mpi", str), ("case", "case", str), ("plain", "plain_instructions", table.one),
    ("Lapwing", "lapwing_instructions", table.one), ("added in Lapwing", "added_own", table.one),
    ("added in all", "added_total", table.one))
EXPLANATION = "Instructions per call of 8 bytes."
