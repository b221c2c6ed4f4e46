#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Random MPI programs in C, C++ and Fortran, each compiled plainly and with the pass: every byte
that their ranks saw, printed and wrote must be the same.

  run.py --programs 5000 --jobs 2                    the full run, each program in a random configuration
  run.py --verify --programs 500                     no wait of the pass's may be too late, whatever the timing
  run.py --control --programs 300                    plain against plain: are the programs themselves right?
  run.py --control --preload on --programs 300       plain against plain under the preloaded engine, without the pass
  run.py --seeded-faults                             is each mistake of moving waits found, made in the source?
  run.py --seeded-fault NAME --programs 40           one of them
  run.py --show --language c --seed 7                the program of a seed
  run.py --regressions                               the failures of the past

The build with the pass is lwcc, lwc++ or lwfc of the build tree.
"""
import argparse
import concurrent.futures
import json
import pathlib
import shutil
import signal
import sys
import tempfile
import threading
import time

import building
import comparing
import generate
import launching
import planting
import regressions
import shrinking


def parse():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--programs", type=int, default=100, help="how many programs (default 100)")
    parser.add_argument("--seed", type=int, default=1, help="of the first program")
    parser.add_argument("--seconds", type=float, default=0, help="start no program after so many seconds; 0 for no limit")
    parser.add_argument("--language", choices=["c", "c++", "fortran", "any"], default="any")
    parser.add_argument("--mpi", choices=["mpich", "openmpi", "any"], default="any")
    parser.add_argument("--mode", choices=["conservative", "aggressive", "demand", "verify", "any"], default="any")
    parser.add_argument("--verify", dest="mode", action="store_const", const="verify",
                        help="compiled with -flapwing=verify: touches of what is in flight end the program")
    parser.add_argument("--opt", choices=["-O0", "-O1", "-O2", "-O3", "any"], default="any", metavar="-O1|-O2|-O3",
                        help="as --opt=-O2")
    parser.add_argument("--lto", choices=["on", "off", "any"], default="any")
    parser.add_argument("--interface", choices=["mpif", "mpi", "any"], help="of Fortran programs")
    parser.add_argument("--preload", choices=["on", "off", "any"], default="any", help="as `lapwing run` does")
    parser.add_argument("--strict", choices=["on", "off", "any"], default="any", help="under the strictest MPI allowed")
    parser.add_argument("--interior", choices=["on", "off", "any"], default="any", help="divide loops as well")
    parser.add_argument("--ranks", choices=["2", "3", "4", "any"], default="any")
    parser.add_argument("--scenes", type=int, default=0, help="in each program; 0 for 2 to 4")
    parser.add_argument("--only", action="append", default=[], metavar="PATTERN", help="only scenes of this pattern")
    parser.add_argument("--build", default=str(building.ROOT / "build" / "release"), help="the build tree")
    parser.add_argument("--set", action="append", default=[], metavar="NAME=VALUE", help="for all runs with Lapwing")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--limit", type=float, default=60, help="seconds of a run that are a hang")
    parser.add_argument("--failures", type=int, default=5, help="stop after so many")
    parser.add_argument("--no-shrink", action="store_true", help="do not make failures smaller")
    parser.add_argument("--save", default="", help="where failures go (default BUILD/compiler-fuzz)")
    parser.add_argument("--keep", action="store_true", help="also keep failures for --regressions")
    parser.add_argument("--control", action="store_true", help="compare plain with plain; with --preload on, with plain under the preload")
    parser.add_argument("--seeded-faults", action="store_true", help="all of them, or those of --seeded-fault")
    parser.add_argument("--seeded-fault", action="append", default=[], metavar="NAME")
    parser.add_argument("--every", type=int, default=1, help="of the seeded faults, only each so-manieth")
    parser.add_argument("--regressions", action="store_true")
    parser.add_argument("--show", action="store_true")
    parser.add_argument("--json", action="store_true")
    return parser.parse_args()


class Fuzzer:
    def __init__(self, options, scratch):
        self.options, self.scratch = options, pathlib.Path(scratch)
        self.builder = building.Builder(options, scratch)
        self.launcher = launching.Launcher(options, self.builder)
        self.failures, self.count, self.seconds = [], 0, {"compile": 0.0, "run": 0.0}
        self.kinds = {}
        self.lock = threading.Lock()
        self.ended = False

    def attempt(self, case, off, on, again=1):
        """Builds and runs both; (difference or None, plain outcome, other outcome)."""
        where = pathlib.Path(tempfile.mkdtemp(prefix="p", dir=self.scratch))
        try:
            began = time.monotonic()
            for side, files in (("off", off), ("on", on)):
                (where / side).mkdir()
                try:
                    self.builder.compile(case, files, where / side, "program", side == "on")
                except building.CannotBuild as error:
                    return f"cannot build ({side}): {error}", None, None
            built = time.monotonic()
            plain = self.launcher.run(case, where / "off" / "program", where / "run0", False)
            difference, other = None, None
            for turn in range(again):
                other = self.launcher.run(case, where / "on" / "program", where / f"run{turn + 1}", True)
                difference = difference or comparing.first_difference(plain, other)
                if difference:
                    break
            if plain.end == "hang" or "log.0" not in plain.files or not plain.files["log.0"].endswith(b"end\n"):
                difference = f"without the pass: {plain.end}{comparing.place(plain)}: {plain.output[-600:]}"
            with self.lock:
                self.seconds["compile"] += built - began
                self.seconds["run"] += time.monotonic() - built
            return difference, plain, other
        finally:
            shutil.rmtree(where, ignore_errors=True)

    def one(self, seed):
        if self.ended:
            return
        case = building.Case.draw(seed, self.options)
        program = generate.Generated(case.language, seed, self.options.scenes, tuple(self.options.only))
        files = program.files()
        difference, _, other = self.attempt(case, files, files)
        with self.lock:
            self.count += 1
            key = case.language, case.mpi
            self.kinds[key] = self.kinds.get(key, 0) + 1
        if difference:
            self.fail(case, program, difference, other)

    def fail(self, case, program, difference, other):
        with self.lock:
            if self.ended:
                return
            print(f"{case.line()}: {difference[:1500]}", flush=True)
        files, note = program.files(), "as generated"
        if not self.options.no_shrink:
            files, difference, note = shrinking.shrink(self, case, program, difference)
        save = pathlib.Path(self.options.save or pathlib.Path(self.options.build) / "compiler-fuzz")
        kept = regressions.write(save, case, files, difference, note, other)
        if self.options.keep:
            regressions.write(regressions.FOLDER, case, files, difference, note, None)
        with self.lock:
            self.failures.append(difference)
            self.ended = self.ended or len(self.failures) >= self.options.failures
            print(f"  {note}; kept in {kept}", flush=True)

    def run(self):
        began = time.monotonic()
        said = 0
        seeds = range(self.options.seed, self.options.seed + self.options.programs)
        with concurrent.futures.ThreadPoolExecutor(self.options.jobs) as pool:
            waiting = set()
            for seed in seeds:
                if self.ended or self.options.seconds and time.monotonic() - began > self.options.seconds:
                    break
                waiting.add(pool.submit(self.one, seed))
                if len(waiting) > self.options.jobs:
                    done, waiting = concurrent.futures.wait(waiting, return_when=concurrent.futures.FIRST_COMPLETED)
                    for future in done:
                        future.result()
                if sys.stdout.isatty() and not self.options.json:
                    print(f"\r{self.count} programs, {len(self.failures)} failures", end="", flush=True)
                elif self.count >= said + 250:
                    said = self.count
                    print(f"{said} programs, {len(self.failures)} failures, {time.monotonic() - began:.0f} s", file=sys.stderr, flush=True)
            for future in waiting:
                future.result()

    def summary(self):
        good = self.count > 0 and not self.failures
        if self.options.json:
            print(json.dumps({"fuzz": self.builder.how, "programs": self.count, "failures": len(self.failures),
                              "kinds": {" ".join(k): v for k, v in sorted(self.kinds.items())},
                              **{f"{k}_s": round(v, 1) for k, v in self.seconds.items()}}))
        else:
            kinds = ", ".join(f"{v} {k[0]} {k[1]}" for k, v in sorted(self.kinds.items()))
            print(f"\n{self.count} programs ({kinds}), built by {self.builder.how}; compiling {self.seconds['compile']:.0f} s, "
                  f"running {self.seconds['run']:.0f} s")
            print("no difference" if good else f"{len(self.failures)} failures" if self.failures else "nothing was tested")
        return 0 if good else 1


def main():
    options = parse()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit("asked to end"))
    if options.show:
        case = building.Case.draw(options.seed, options)
        for name, text in generate.Generated(case.language, options.seed, options.scenes, tuple(options.only)).files().items():
            print(f"==== {name}\n{text}")
        return 0
    if options.preload == "on" and not (pathlib.Path(options.build) / "lib" / "liblapwing-preload.so").exists():
        sys.exit(f"{options.build} holds no lib/liblapwing-preload.so: build lapwing_preload first, or name a tree with --build")
    root = "/dev/shm" if pathlib.Path("/dev/shm").is_dir() else None
    with tempfile.TemporaryDirectory(prefix="lapwing-cfuzz-", dir=root) as scratch:
        fuzzer = Fuzzer(options, scratch)
        planting_only = options.seeded_faults or options.seeded_fault
        if fuzzer.builder.how == "control" and not options.control and not planting_only:
            sys.exit(f"run.py: {options.build}/bin/lwcc is missing; build it, or give --plugin or --compiler-on, or compare plain "
                     "with plain by --control")
        if options.regressions:
            return regressions.run(fuzzer)
        if planting_only:
            return planting.run(fuzzer)
        fuzzer.run()
        return fuzzer.summary()


if __name__ == "__main__":
    sys.exit(main())
