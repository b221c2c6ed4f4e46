# SPDX-License-Identifier: Apache-2.0
"""Random programs whose functions return with a transfer in flight, compiled plainly, with the pass and for verification.

  test_handed.py [--programs 4] [--seed 1] [--mpi mpich|openmpi] [--show]
"""
import argparse
import os
import pathlib
import random
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "support"))

from compiled import BIN, EAGER, MPIEXEC

BUFFERS = ["one", "two", "inside.three", "heap", "inside.far"]


class Program:
    """Both ranks run the same steps; each exchange is a call on rank 0 and its partner on rank 1."""

    def __init__(self, seed):
        self.rng = random.Random(seed)
        self.functions, self.names = [], {"give": [], "take": []}
        for number in range(self.rng.randint(3, 6)):
            self.function(number)
        self.steps = [self.step() for _ in range(self.rng.randint(8, 16))]

    def function(self, number):
        rng, kind = self.rng, self.rng.choice(["give", "take"])
        fixed = rng.choice([None, None, *BUFFERS])
        buffer = fixed or "p"
        name = f"{kind}{number}"
        body = []
        if kind == "give" and rng.random() < 0.6:
            body.append(f"for (int i = 0; i < n; ++i) {buffer}[i] = i * 0.5 + by;")
        inner = [f for f in self.names[kind] if f[1] is None or f[1] == fixed]
        if inner and rng.random() < 0.4:
            body.append(f"{rng.choice(inner)[0]}({buffer}, n, peer, tag, by);")
        elif kind == "give":
            call = f"MPI_{rng.choice(['Send', 'Send', 'Ssend'])}({buffer}, n, MPI_DOUBLE, peer, tag, MPI_COMM_WORLD);"
            body.append(f"if (by % 3 != 1) {call}\n  else {call}" if rng.random() < 0.2 else call)
        else:
            body.append(f"MPI_Recv({buffer}, n, MPI_DOUBLE, peer, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);")
        tail = rng.choice(["", "", "compute();", "share_out();", f"share({buffer}, n);", "calls++;", "if (calls > 1000000) return;",
                           f"{buffer}[n / 2] += 1;", f"total += {buffer}[n / 3];", "heap = calls % 2 ? low : high;"])
        body.append(tail)
        link = rng.choice(["static __attribute__((noinline))"] * 4 + ["__attribute__((noinline))", "static"])
        self.functions.append(f"{link} void {name}(double* p, int n, int peer, int tag, int by) {{\n  (void)p;\n  "
                              + "\n  ".join(b for b in body if b) + "\n}\n")
        self.names[kind].append((name, fixed))

    def use(self):
        rng = self.rng
        return rng.choice(["compute();", "compute();", "share_out();", "share_out();", f"share({rng.choice(BUFFERS)}, 900);",
                           "for (int k = 0; k < 2; ++k) compute();",
                           f"{rng.choice(BUFFERS)}[{rng.randint(0, 900)}] = by;",
                           f"total += {rng.choice(BUFFERS)}[{rng.randint(0, 900)}];",
                           "for (int i = 0; i < 900; ++i) total += one[i];", "p_is = p_is == one ? two : one;",
                           f"note({rng.choice(BUFFERS)});", "heap = heap == low ? high : low;",
                           "if (by > 3) total += own[5];", "own[5] = by;"])

    def step(self):
        rng = self.rng
        if not self.names["give"] or not self.names["take"] or rng.random() < 0.4:
            return self.use()
        give, take = rng.choice(self.names["give"])[0], rng.choice(self.names["take"])[0]
        n = rng.choice([1, 500, 900, 900, 900])
        arguments = "{}, " + f"{n}, 1 - rank, {rng.randint(1, 9)}, by"
        sent, got = rng.choice([*BUFFERS, "own", "p_is"]), rng.choice([*BUFFERS, "own", "p_is"])
        sender = rng.choice([0, 1])
        text = (f"if (rank == {sender}) {{ {give}({arguments.format(sent)}); {self.use()} }}\n    "
                f"else {{ {take}({arguments.format(got)}); {self.use()} }}")
        if rng.random() < 0.25:  # by one thread of a team, while the other computes
            mine = f"{rng.randint(1, 2)}" if rng.random() < 0.5 else "2"
            calls = (f"if (rank == {sender}) {give}({arguments.format(sent)});\n      "
                     f"else {take}({arguments.format(got)});")
            after = rng.choice(["", "for (int i = 0; i < 500; ++i) third[i] = third[i] * 0.5 + i;"])
            meet = rng.choice(["", "#pragma omp barrier", "#pragma omp barrier"])
            text = (f"#pragma omp parallel num_threads({mine})\n    {{\n    if (omp_get_thread_num() == 0) {{\n      {calls}\n      "
                    f"{after}\n    }}\n{meet}\n"
                    f"    if (omp_get_thread_num() == omp_get_num_threads() - 1)\n"
                    f"      for (int i = 0; i < 500; ++i) fourth[i] += {rng.choice(['i', 'one[i]', 'i']) if meet else 'i'};\n    }}")
        return f"for (int turn = 0; turn < 3; ++turn) {{\n    {text}\n    }}" if rng.random() < 0.3 else text

    def text(self):
        return f"""#include <mpi.h>
#include <omp.h>
#include <stdio.h>
static double one[1000], two[1000], low[1000], high[1000], work[1000], third[1000], fourth[1000], total;
static struct {{ double three[1000]; double* far; }} inside;
static double* heap = low;
static int calls;
__attribute__((noinline)) static void note(const double* p) {{ total += p[7]; }}
static void compute(void) {{
  for (int i = 1; i < 1000; ++i) work[i] = work[i - 1] * 0.5 + i + work[i] * 0.25;
}}
static void share_out(void) {{
#pragma omp parallel for num_threads(2)
  for (int i = 0; i < 1000; ++i) work[i] = work[i] * 0.5 + i;
}}
__attribute__((noinline)) static void share(double* p, int n) {{
#pragma omp parallel for num_threads(2) schedule(dynamic, 100)
  for (int i = 0; i < n; ++i) p[i] += work[i];
}}
{chr(10).join(self.functions)}
static double sum(const double* p) {{
  double s = 0;
  for (int i = 0; i < 1000; ++i) s += p[i] * (i % 13);
  return s;
}}
__attribute__((noinline)) static void round_of(int rank, int by) {{
  static double more[1000];
  double own[1000] = {{0}}, *p_is = one;
  inside.far = more;
  own[1] = by;
    {(chr(10) + "    ").join(self.steps)}
  printf("%d %d %.17g %.17g %.17g %.17g %.17g %.17g\\n", rank, by, sum(own), sum(one) + sum(two), sum(inside.three), sum(more),
         sum(low) + sum(high) + sum(third) + sum(fourth), total);
}}
int main(int argc, char** argv) {{
  int rank, level;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &level);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  for (int by = 1; by < 5; ++by) round_of(rank, by);
  printf("%d %.17g %d\\n", rank, sum(work), calls);
  MPI_Finalize();
}}
"""


def attempt(seed, mpi, folder):
    """Returns the mistakes that were found, and how many waits were handed over."""
    (folder / "p.c").write_text(Program(seed).text())
    results, handed = {}, 0
    for way in ("--lapwing-off", "-flapwing=aggressive", "-flapwing=verify"):
        made = subprocess.run([BIN / "lwcc", f"--lapwing-mpi={mpi}", random.Random(seed).choice(["-O1", "-O2"]), "-g", "-w", "-fopenmp",
                               "-Rpass=lapwing", way, "p.c", "-o", "p"], cwd=folder, capture_output=True, text=True, timeout=60,
                              check=False)
        if made.returncode:
            return f"{way}: {made.stderr[-2000:]}", 0
        handed += made.stderr.count("of a function called here is moved")
        ran = subprocess.run(["timeout", "-k", "2", "30", *MPIEXEC[mpi], "-n", "2", "./p"], cwd=folder, capture_output=True,
                             text=True, timeout=60, check=False, env={**os.environ, **EAGER})
        results[way] = ran.returncode, sorted(ran.stdout.splitlines())
        if ran.returncode or results[way] != results["--lapwing-off"]:
            return f"{way}: {results}\n{ran.stderr[-1500:]}", handed
    return "", handed


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--programs", type=int, default=4)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--mpi", default="mpich", choices=list(MPIEXEC))
    parser.add_argument("--show", action="store_true")
    options = parser.parse_args()
    if options.show:
        print(Program(options.seed).text())
        return 0
    if not (BIN / "lwcc").exists():
        print("lwcc was not built")
        return 77
    total = 0
    for seed in range(options.seed, options.seed + options.programs):
        with tempfile.TemporaryDirectory(prefix="lapwing-handed-") as folder:
            wrong, handed = attempt(seed, options.mpi, pathlib.Path(folder))
        if wrong:
            print(f"seed {seed}: {wrong}")
            return 1
        total += handed
    print(f"{options.programs} programs, {total} waits moved in callers")
    return 0 if total else 1


if __name__ == "__main__":
    sys.exit(main())
