#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""How many of the calls in docs/compiler-programs.md the pass moves or splits, from its remarks.

  count_waits.py FOLDER                 FOLDER holds npb, prk, HPCCG and miniMD; each file alone, and with -flto
  count_waits.py FOLDER --only MG       one program
  count_waits.py FOLDER --only CG --say also why each of the others stays
  count_waits.py FOLDER --bar 0.9       fails below that share of the list, in either way of compiling
"""
import argparse
import collections
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[3]
ROW = re.compile(r"\| `(\w+)/([\w.]+:\d+)` \| (\w+) \| (yes|no) \| (yes|no) \|")
MOVED = re.compile(r"(MPI_\w+) at ([\w.]+:\d+) is (?:split|moved)")
MISSED = re.compile(r"([\w.]+:\d+):\d+: (?:remark: )?(?:[\w.]+:\d+:\d+: )?(MPI_\w+: .*)")
NPB = {"MG": ("mg", "S"), "SP": ("sp", "S"), "LU": ("lu", "S"), "CG": ("cg", "S"), "IS": ("is", "S")}
STENCIL = ["-DDOUBLE=1", "-DSTAR=1", "-DRESTRICT_KEYWORD=0", "-DRADIUS=2", "-DLOOPGEN=0", "-DVERBOSE=0",
           "-DSCRAMBLE=0", "-DSYNCHRONOUS=0", "-DMPI", "-Iinclude"]


class Programs:
    def __init__(self, folder, options, way):
        self.folder, self.way = pathlib.Path(folder), way
        self.bin = pathlib.Path(options.build) / "bin"
        self.flags = ["-O2", "-g", "-Rpass=lapwing", "-Rpass-missed=lapwing"] + (["-flto"] if way == "whole" else [])
        self.environment = {**os.environ, "LAPWING_MPI": options.mpi}

    def run(self, words, where):
        made = subprocess.run(words, cwd=where, capture_output=True, text=True, timeout=600, check=False,
                              env=self.environment)
        if made.returncode:
            sys.exit(f"{' '.join(map(str, words))} failed:\n{made.stdout[-2000:]}{made.stderr[-2000:]}")
        return made.stdout + made.stderr

    def build(self, name):
        """All that is said while the program is compiled and linked."""
        with tempfile.TemporaryDirectory(prefix="lapwing-programs-") as scratch:
            if name in NPB:
                return self.npb(name, pathlib.Path(scratch) / "npb")
            place, compiler, words = {
                "Stencil": ("prk", "lwcc", STENCIL + ["Stencil/stencil.c", "common/MPI_bail_out.c", "common/wtime.c"]),
                "Transpose": ("prk", "lwcc", ["-DMPI", "-DSYNCHRONOUS=0", "-DVERBOSE=0", "-Iinclude", "Transpose/transpose.c",
                                              "common/MPI_bail_out.c", "common/wtime.c"]),
                "HPCCG": ("HPCCG", "lwc++", ["-DUSING_MPI", "*.cpp"]),
                "miniMD": ("miniMD", "lwc++", ["-DNOCHUNK", "-fno-builtin", "*.cpp"]),
            }[name]
            tree = pathlib.Path(scratch) / place
            shutil.copytree(self.folder / place, tree)
            sources = [str(one.relative_to(tree)) for word in words if not word.startswith("-") for one in sorted(tree.glob(word))]
            options = [word for word in words if word.startswith("-")]
            said, objects = "", []
            for source in sources:
                objects.append(source.replace("/", "_") + ".o")
                said += self.run([self.bin / compiler, *self.flags, *options, "-c", source, "-o", objects[-1]], tree)
            return said + self.run([self.bin / compiler, *self.flags, *objects, "-lm", "-o", "program"], tree)

    def npb(self, name, tree):
        shutil.copytree(self.folder / "npb", tree)
        (tree / "bin").mkdir(exist_ok=True)
        flags = " ".join(self.flags)
        (tree / "config" / "make.def").write_text(
            f"MPIFC={self.bin}/lwfc\nFLINK={self.bin}/lwfc\nFFLAGS={flags}\nFLINKFLAGS={flags}\n"
            f"MPICC={self.bin}/lwcc\nCLINK={self.bin}/lwcc\nCFLAGS={flags}\nCLINKFLAGS={flags}\n"
            "CC=cc -g\nBINDIR=../bin\nRAND=randi8\n")
        goal, size = NPB[name]
        return self.run(["make", goal, f"CLASS={size}"], tree)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder")
    parser.add_argument("--build", default=str(ROOT / "build" / "release"))
    parser.add_argument("--mpi", default="mpich", choices=["mpich", "openmpi"])
    parser.add_argument("--only", action="append", default=[])
    parser.add_argument("--way", action="append", default=[], choices=["alone", "whole"])
    parser.add_argument("--say", action="store_true")
    parser.add_argument("--bar", type=float, default=0)
    options = parser.parse_args()
    listed = collections.defaultdict(list)
    for program, place, call, alone, whole in ROW.findall((ROOT / "docs" / "compiler-programs.md").read_text()):
        listed[program].append((place, call, {"alone": alone == "yes", "whole": whole == "yes"}))
    met = True
    for way in options.way or ["alone", "whole"]:
        found = total = 0
        for program, rows in listed.items():
            if options.only and program not in options.only:
                continue
            said = Programs(options.folder, options, way).build(program)
            moved = {place for _, place in MOVED.findall(said)}
            wanted = [place for place, _, where in rows if where[way]]
            those = [place for place in wanted if place in moved]
            print(f"{way:5} {program:9} {len(those):2} of {len(wanted):2}", flush=True)
            found, total = found + len(those), total + len(wanted)
            for place in wanted if options.say else []:
                if place not in moved:
                    why = {reason for at, reason in MISSED.findall(said) if at == place}
                    print(f"      {place}: " + ("; ".join(sorted(why)) or "nothing was said"))
        print(f"{way:5} in all    {found:2} of {total:2}", flush=True)
        met &= found >= options.bar * total
    sys.exit(0 if met else 1)


if __name__ == "__main__":
    main()
