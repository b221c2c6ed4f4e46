# SPDX-License-Identifier: Apache-2.0
"""Plants each fault of faults.py in the source of one side and demands that the comparison finds it."""
import concurrent.futures
import dataclasses
import json
import random

import building
import faults
import generate


def programs(fuzzer, name, fault):
    """(case, plain files, files with the fault), for as long as there are any."""
    options = fuzzer.options
    for seed in range(options.seed, options.seed + 40 * fault.programs):
        rng = random.Random(f"{name} {seed}")
        case = building.Case.draw(seed, options)
        language = fault.language or (options.language if options.language != "any" else rng.choice(["c", "c", *["fortran"] * building.FORTRAN]))
        case = dataclasses.replace(case, language=language, ranks=fault.ranks, strict=True, lto=False, preload=False, small_eager=False,
                                   opt=rng.choice(["-O1", "-O2"]))
        generated = generate.Generated(language, seed, 1, (rng.choice(fault.patterns),))
        hurt = generated.files(fault=name)
        if hurt:
            yield case, generated.files(), hurt


def search(fuzzer, name):
    fault = faults.FAULTS[name]
    count = 0
    for case, files, hurt in programs(fuzzer, name, fault):
        if count == fault.programs:
            break
        count += 1
        difference, _, _ = fuzzer.attempt(case, files, hurt)
        if difference and difference.startswith(("cannot build", "without the pass")):
            return count, None, f"{case.line()}: {difference}"
        if difference:
            return count, f"{case.language}, {case.mpi}, seed {case.seed}", difference
    return count, None, "" if count else "it found no place"


def run(fuzzer):
    options = fuzzer.options
    unknown = sorted(set(options.seeded_fault) - set(faults.FAULTS))
    if unknown:
        print(f"run.py: no fault {', '.join(unknown)}; known are {', '.join(faults.FAULTS)}")
        return 2
    fuzzer.builder.how = "control"
    options.limit = min(options.limit, 10)
    wanted = options.seeded_fault or list(faults.FAULTS)[(options.seed - 1) % options.every::options.every]
    wanted = [name for name in wanted if building.FORTRAN or faults.FAULTS[name].language != "fortran"]
    missed = []
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        found = {name: pool.submit(search, fuzzer, name) for name in wanted}
        for name, future in found.items():
            count, where, what = future.result()
            missed += [] if where else [name]
            if options.json:
                print(json.dumps({"fault": name, "caught": bool(where), "programs": count, "by": where or "", "what": what}), flush=True)
            else:
                print(f"{name}: " + (f"caught by program {count} ({where}): {what[:120]}" if where else f"NOT caught by {count} programs {what}"),
                      flush=True)
    print(f"{len(wanted) - len(missed)} of {len(wanted)} faults caught" + (f"; missed: {', '.join(missed)}" if missed else ""))
    return 1 if missed else 0
