# SPDX-License-Identifier: Apache-2.0
"""Plants each of the engine's seeded faults and demands that the fuzzer finds it."""
import ctypes
import json
import re

import comparing
import launching
import variations


def names(launcher):
    """The faults that the engine knows, from the library or else from its source."""
    for mpi in ("mpich", "openmpi"):
        try:
            library = ctypes.CDLL(str(launcher.build / "lib" / f"liblapwing-{mpi}.so"))
            library.lapwing_fault_names.restype = ctypes.POINTER(ctypes.c_char_p)
            listed = library.lapwing_fault_names()
        except (OSError, AttributeError):
            continue
        found = []
        while listed[len(found)]:
            found.append(listed[len(found)].decode())
        return found
    text = (launching.ROOT / "src" / "transfer" / "planted.hpp").read_text()
    body = re.search(r"enum Defect : int \{(.*?)\}", text, re.S)
    body = re.sub(r"/\*.*?\*/|//[^\n]*", "", body.group(1), flags=re.S)
    words = [w.split("=")[0].strip() for w in body.split(",")]
    return [w for w in words if w and w not in ("none", "count")]


def without_fault(lapwing):
    return {name: value for name, value in lapwing.items() if name != "LAPWING_FAULT"}


def steady(launcher, case, lapwing, plain):
    """Whether the engine itself, asked again, still differs in nothing."""
    return all(comparing.first_difference(plain, launcher.run(case, without_fault(lapwing))) is None for _ in range(2))


def run(options, launcher):
    launcher.stall = min(launcher.stall, 8.0)
    missed, plain_runs, sound = [], {}, {}
    wanted = options.fault or names(launcher)[(options.seed - 1) % options.every::options.every]
    for fault in wanted:
        found, programs = None, 0
        for number, case in enumerate(variations.batches(options)):
            key = (case.mpi, case.seed)
            if key not in plain_runs:
                plain_runs[key] = launcher.run(case)
            guard = "userfaultfd" if options.guard == "userfaultfd" or options.guard == "both" and number % 4 < 2 else "mprotect"
            lapwing = variations.settings(number, guard, [*options.set, f"LAPWING_FAULT={fault}"])
            if key not in sound:  # only where the engine itself differs in nothing does a difference show the fault
                unhurt = launcher.run(case, without_fault(lapwing))
                sound[key] = comparing.first_difference(plain_runs[key], unhurt) is None
                if not sound[key]:
                    print(f"{case.mpi}, programs from {case.seed}: differ without any fault; left out", flush=True)
            if not sound[key]:
                continue
            outcome = launcher.run(case, lapwing)
            programs += case.programs
            difference = comparing.first_difference(plain_runs[key], outcome)
            if difference and not steady(launcher, case, lapwing, plain_runs[key]):
                sound[key] = False
                print(f"{case.mpi}, programs from {case.seed}: differ at times without any fault; left out", flush=True)
                continue
            if difference:
                found = f"{case.mpi}, {guard}: {difference}"
                break
        if not found:
            missed.append(fault)
        if options.json:
            print(json.dumps({"fault": fault, "caught": bool(found), "programs": programs, "by": found or ""}), flush=True)
        else:
            print(f"{fault}: " + (f"caught within {programs} programs: {found}" if found
                                  else f"NOT caught by {programs} programs"), flush=True)
    print(f"{len(wanted) - len(missed)} of {len(wanted)} faults caught" + (f"; missed: {', '.join(missed)}" if missed else ""))
    return 1 if missed or not wanted else 0
