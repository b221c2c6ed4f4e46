# SPDX-License-Identifier: Apache-2.0
"""Failures of the past, one to a line; they are always run again."""
import shlex

import comparing
import launching
import variations


def format_line(case, lapwing, difference):
    words = [f"mpi={case.mpi}", f"seed={case.seed}", f"programs={case.programs}", f"ranks={case.ranks}",
             f"threads={int(case.threads)}", f"one_sided={int(case.one_sided)}"]
    if case.steps:
        words.append("steps=" + ",".join(map(str, case.steps)))
    words += [f"{name}={value}" for name, value in {**case.transport, **lapwing}.items()]
    return " ".join(shlex.quote(word) for word in words) + f"  # step {difference.step}: {difference.what}"


def parse_line(line):
    pairs = dict(word.split("=", 1) for word in shlex.split(line, comments=True))
    if not pairs:
        return None
    names = {"mpi", "seed", "programs", "ranks", "threads", "one_sided", "steps"}
    lapwing = {k: v for k, v in pairs.items() if k.startswith("LAPWING_")}
    transport = {k: v for k, v in pairs.items() if k not in names and k not in lapwing}
    steps = tuple(int(s) for s in pairs.get("steps", "").split(",") if s)
    case = launching.Case(pairs["mpi"], int(pairs["seed"]), int(pairs.get("programs", 1)), int(pairs.get("ranks", 2)),
                          pairs.get("threads", "0") == "1", steps, transport, pairs.get("one_sided", "0") == "1")
    return case, lapwing


def record(path, line):
    known = path.read_text() if path.exists() else ""
    key = line.split("#")[0].strip()
    if key not in known:
        path.write_text(known + line + "\n")


def run(path, options, launcher):
    failures = count = 0
    for line in path.read_text().splitlines():
        parsed = parse_line(line)
        if not parsed or parsed[0].mpi not in variations.mpis(options):
            continue
        case, lapwing = parsed
        plain = launcher.run(case)
        for _ in range(2):
            outcome = launcher.run(case, lapwing)
            difference = comparing.first_difference(plain, outcome)
            if difference:
                failures += 1
                print(f"again: {line}\n  {difference}\n{outcome.output[-1500:]}{outcome.backtraces}")
                break
        count += 1
    print(f"{count} cases of the past, {failures} failures")
    return 1 if failures else 0
