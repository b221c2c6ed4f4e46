#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Random programs with collectives in branches and loops, compiled with
--sets=run, against a simulator: each process notes at each meeting which
processes it met."""
import argparse
import os
import pathlib
import random
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).parent))
import words_c  # noqa: E402
import words_fortran  # noqa: E402
from programs import Programs  # noqa: E402
from simulator import Simulation  # noqa: E402

LANGUAGES = {"c": ("lwcc", ".c"), "c++": ("lwc++", ".cpp"), "fortran": ("lwfc", ".f90"),
             # Destructors in scopes that are jumped out of: processes may meet there before they go on.
             "guards": ("lwc++", ".cpp")}


# Tests may run as root, in a container.
ROOT = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}


def command(options, flavour, ranks, program):
    words = [options.mpiexec[flavour], "-n", str(ranks), *program]
    if flavour == "openmpi":
        words[1:1] = ["--oversubscribe", "--bind-to", "none", "--mca", "mpi_yield_when_idle", "1"]
    return words


def text_of(language, cases):
    if language == "fortran":
        return words_fortran.Words().text(cases)
    return words_c.Words(language != "c", language == "guards").text(cases)


def one(options, language, flavour, ranks, level, seeds, folder):
    """The sentences of what went wrong."""
    cases = [(i, seed & 0x7FFFFFFF, Programs(seed, language == "fortran").functions) for i, seed in enumerate(seeds)]
    wrapper, end = LANGUAGES[language]
    source, program = folder / f"case{end}", folder / "case"
    source.write_text(text_of(language, cases))
    compiled = subprocess.run([f"{options.bin}/{wrapper}.{flavour}", "--sets=run", level, "-w", str(source), "-o",
                               str(program)], capture_output=True, text=True, timeout=300)
    if compiled.returncode:
        return [f"does not compile: {compiled.stderr[-2000:]}"]
    try:
        ran = subprocess.run(command(options, flavour, ranks, [str(program), str(folder / "out")]),
                             capture_output=True, text=True, timeout=options.timeout, env={**os.environ, **ROOT})
        said = f"status {ran.returncode}: {(ran.stdout + ran.stderr)[-1500:]}" if ran.returncode else ""
    except subprocess.TimeoutExpired:
        said = "it hangs"
    if said and len(cases) > 1:
        return [said]
    wrong = [said] if said else []
    simulated = [Simulation(functions, seed, ranks, language == "fortran").expected() for _, seed, functions in cases]
    for rank in range(ranks):
        file = folder / f"out.{rank}"
        found = file.read_text().split("case ")[1:] if file.exists() else []
        for (number, seed, functions), text in zip(cases, found):
            expected = [f"{meet} {mask}" for meet, mask in simulated[number][rank]]
            lines = text.split("\n")[1:-1]
            if language == "guards" and [x.split()[0] for x in lines] == [x.split()[0] for x in expected] and \
                    all(len(x.split()) == 2 and int(x.split()[1]) >> rank & 1 for x in lines):
                continue
            if lines != expected:
                wrong.append(f"case {seeds[number]}, rank {rank}:\n  found    {lines}\n"
                             f"  expected {expected}")
    return wrong


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--bin", required=True)
    parser.add_argument("--mpich", default="")
    parser.add_argument("--openmpi", default="")
    parser.add_argument("--programs", type=int, default=4)
    parser.add_argument("--cases", type=int, default=12, help="in one program")
    parser.add_argument("--count", type=int, help="cases in all, in place of a number of programs")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--language", choices=LANGUAGES)
    parser.add_argument("--ranks", type=int, nargs="*", default=[2, 3, 4, 7])
    parser.add_argument("--timeout", type=int, default=100)
    parser.add_argument("--keep", action="store_true", help="the folder of what went wrong")
    options = parser.parse_args()
    options.mpiexec = {f: p for f, p in (("mpich", options.mpich), ("openmpi", options.openmpi)) if p}
    # Some packages of MPI have no Fortran.
    fortran = all(shutil.which(f"mpifort.{mpi}") for mpi in options.mpiexec)
    languages = sorted(name for name in LANGUAGES if fortran or name != "fortran")
    count = options.count or options.programs * options.cases
    bad = done = 0
    for i in range(-(-count // options.cases)):
        seed = options.seed + i
        choice = random.Random(seed)
        flavour = sorted(options.mpiexec)[i % len(options.mpiexec)]
        language = options.language or languages[i // len(options.mpiexec) % len(languages)]
        ranks, level = choice.choice(options.ranks), choice.choice(("-O0", "-O1", "-O2", "-O3"))
        seeds = [seed * 1000 + k for k in range(min(options.cases, count - i * options.cases))]
        folder = pathlib.Path(tempfile.mkdtemp(prefix="lapwing-sets-"))
        wrong = one(options, language, flavour, ranks, level, seeds, folder)
        if wrong:
            bad += 1
            print(f"--seed {seed}: {language}, {flavour}, {ranks} ranks, {level}: {len(wrong)} wrong")
            print("\n".join(wrong[:3]))
        if options.keep and wrong:
            print(f"kept in {folder}")
        else:
            shutil.rmtree(folder)
        done += 1
        sys.stdout.flush()
    print(f"{done - bad} of {done} programs as expected, with {count} cases in all")
    return 1 if bad or not os.path.isdir(options.bin) else 0


if __name__ == "__main__":
    sys.exit(main())
