#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Random MPI programs, each run plainly and with Lapwing preloaded: every byte, status and error
that the program saw must be the same.

  run.py --programs 2000                       the full run: both MPIs, both guards, 2 to 4 ranks
  run.py --control --programs 500              plain against plain: is the generator itself stable?
  run.py --seeded-faults                       is each defect planted in the engine found?
  run.py --regressions                         the failures of the past, from regressions.txt
"""
import argparse
import json
import pathlib
import signal
import subprocess
import sys
import time

import comparing
import launching
import planting
import regressions
import variations

HERE = pathlib.Path(__file__).resolve().parent


def parse():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--programs", type=int, default=200, help="how many programs (default 200)")
    parser.add_argument("--mpi", choices=["mpich", "openmpi", "both"], default="both")
    parser.add_argument("--guard", choices=["userfaultfd", "mprotect", "both"], default="both")
    parser.add_argument("--ranks", choices=["2", "3", "4", "mixed"], default="mixed")
    parser.add_argument("--one-sided", choices=["on", "off", "mixed"], default="mixed",
                        help="programs of which half of the steps make windows (default: every fourth launch)")
    parser.add_argument("--seed", type=int, default=1, help="of the first program")
    parser.add_argument("--batch", type=int, default=25, help="programs in one launch")
    parser.add_argument("--build", default=str(launching.ROOT / "build" / "release"), help="the build tree")
    parser.add_argument("--stall", type=float, default=25, help="seconds without progress that are a hang")
    parser.add_argument("--failures", type=int, default=5, help="stop after so many")
    parser.add_argument("--seconds", type=float, default=0, help="stop after so many seconds; 0 for no limit")
    parser.add_argument("--save", default="", help="where logs and backtraces of failures go (default BUILD/fuzz)")
    parser.add_argument("--no-record", action="store_true", help="do not add failures to regressions.txt")
    parser.add_argument("--no-shrink", action="store_true", help="do not make failures smaller")
    parser.add_argument("--control", action="store_true", help="compare plain with plain")
    parser.add_argument("--seeded-faults", action="store_true")
    parser.add_argument("--fault", action="append", help="with --seeded-faults: only these")
    parser.add_argument("--every", type=int, default=1, help="of the seeded faults, only each so-manieth from --seed on")
    parser.add_argument("--regressions", action="store_true")
    parser.add_argument("--set", action="append", default=[], metavar="NAME=VALUE", help="for all runs with Lapwing")
    parser.add_argument("--json", action="store_true")
    return parser.parse_args()


class Fuzzer:
    def __init__(self, options, launcher):
        self.options = options
        self.launcher = launcher
        self.failures = []
        self.totals = {}
        self.save = pathlib.Path(options.save or pathlib.Path(options.build) / "fuzz")

    def guards(self):
        if self.options.control:
            return ["none"]
        return ["userfaultfd", "mprotect"] if self.options.guard == "both" else [self.options.guard]

    def run(self):
        began = time.monotonic()
        for number, case in enumerate(variations.batches(self.options)):
            if self.options.seconds and time.monotonic() - began > self.options.seconds:
                break
            plain = self.launcher.run(case)
            if plain.end != "done":
                self.fail(case, "plain", None, comparing.Difference(*plain.last(), -1, "without Lapwing: " + plain.end), plain)
                continue
            for guard in self.guards():
                lapwing = None if self.options.control else variations.settings(number, guard, self.options.set)
                outcome = self.launcher.run(case, lapwing)
                self.count(case, guard, plain, outcome)
                difference = comparing.first_difference(plain, outcome)
                if difference:
                    self.fail(case, guard, lapwing, difference, outcome)
                if len(self.failures) >= self.options.failures:
                    return
            if not self.options.json and sys.stdout.isatty():
                print(f"\r{case.seed + case.programs - self.options.seed} programs, {len(self.failures)} failures", end="")

    def count(self, case, guard, plain, outcome):
        total = self.totals.setdefault((case.mpi, guard), {"programs": 0, "deferred": 0, "stripped": 0, "plain_s": 0.0,
                                                           "lapwing_s": 0.0, "aside": ""})
        total["programs"] += case.programs
        total["deferred"] += outcome.deferred
        total["stripped"] += outcome.stripped
        total["plain_s"] += plain.seconds
        total["lapwing_s"] += outcome.seconds
        total["aside"] = total["aside"] or outcome.aside

    def describe(self, case, seed, steps):
        command = [str(self.launcher.interpreter(case.mpi)), "--describe", "--seed", str(seed), "--ranks", str(case.ranks)]
        command += ["--threads"] if case.threads else []
        command += ["--one-sided"] if case.one_sided else []
        command += ["--steps", ",".join(map(str, steps))] if steps else []
        return subprocess.run(command, capture_output=True, text=True, check=False).stdout

    def fail(self, case, guard, lapwing, difference, outcome):
        print(f"\n{case.mpi}, {guard}, {case.ranks} ranks{', threads' if case.threads else ''}: {difference}", flush=True)
        steps, alone = (), False
        if not self.options.no_shrink and lapwing is not None and difference.seed >= 0:
            text = self.describe(case, difference.seed, ())
            every = [int(line.split()[1]) for line in text.splitlines() if line.startswith("step ")]
            small = comparing.Shrinker(self.launcher).shrink(case, lapwing, difference, every)
            if small:
                case, difference, alone = small[0], small[1], True
                steps = case.steps
        line = regressions.format_line(case, lapwing or {}, difference)
        self.failures.append(line)
        self.save.mkdir(parents=True, exist_ok=True)
        report = self.save / f"failure-{case.mpi}-{guard}-{difference.seed}.txt"
        report.write_text("\n".join([
            line, "fails alone" if alone else "fails only in its batch, or not always", str(difference),
            self.describe(case, difference.seed, steps), "output:", outcome.output, "backtraces:", outcome.backtraces]))
        print(f"  {line}\n  kept in {report}", flush=True)
        if alone and not self.options.no_record:
            regressions.record(HERE / "regressions.txt", line)

    def summary(self):
        good = not self.failures
        for (mpi, guard), total in sorted(self.totals.items()):
            idle = guard != "none" and total["deferred"] + total["stripped"] == 0
            good = good and not idle
            if self.options.json:
                print(json.dumps({"fuzz": mpi, "guard": guard, **total, "failures": len(self.failures)}))
                continue
            print(f"{mpi}, {guard}: {total['programs']} programs, {total['deferred']} transfers deferred, "
                  f"{total['stripped']} strips, {total['plain_s']:.1f} s plain, {total['lapwing_s']:.1f} s with Lapwing")
            if idle:
                print("  nothing was deferred, so nothing was tested"
                      + (f": Lapwing stood aside: {total['aside']}" if total["aside"] else ""))
        print("no difference" if good else f"{len(self.failures)} failures" if self.failures else "nothing was tested")
        return 0 if good and self.totals else 1


def main():
    options = parse()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit("asked to end"))
    launcher = launching.Launcher(options.build, options.stall)
    for mpi in variations.mpis(options):
        if not launcher.interpreter(mpi).exists():
            sys.exit(f"run.py: {launcher.interpreter(mpi)} is missing; build the targets fuzz_interpreter_mpich and "
                     "fuzz_interpreter_openmpi, or name the build tree with --build")
    if not options.control and not launcher.preload().exists():
        sys.exit(f"run.py: {launcher.preload()} is missing; build it, or name the build tree with --build")
    if options.seeded_faults:
        return planting.run(options, launcher)
    if options.regressions:
        return regressions.run(HERE / "regressions.txt", options, launcher)
    fuzzer = Fuzzer(options, launcher)
    fuzzer.run()
    return fuzzer.summary()


if __name__ == "__main__":
    sys.exit(main())
