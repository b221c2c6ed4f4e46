# SPDX-License-Identifier: Apache-2.0
"""Programs between two emulated hosts come out of MPI_Finalize, wherever Lapwing's library is present.

    test_parting.py BUILD FLAVOUR MPICC [MPIFORT]
"""
import os
import pathlib
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parents[1] / "tools"))
from netlab import Lab  # noqa: E402

NETLAB = HERE.parents[1] / "tools" / "netlab" / "netlab"
SKIPPED = 77
ROUNDS = 12
LIMIT_S = 30
SURE_HANG_S = 5


def comes_out(lab, flavour, words, variables, limit_s=LIMIT_S):
    with lab.popen(flavour, 2, words, variables, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) as job:
        try:
            out, _ = job.communicate(timeout=limit_s)
        except subprocess.TimeoutExpired:
            job.terminate()
            job.communicate()
            return False
    if job.returncode != 0 or "done" not in out:
        sys.exit(f"{words} {variables}: status {job.returncode}\n{out}")
    return True


def make(compiler, source, program):
    done = subprocess.run([compiler, "-O2", source, "-o", program], capture_output=True, text=True, check=False)
    if done.returncode == 0:
        return program
    print(f"not tried: {compiler} cannot compile {source}\n{done.stderr}")
    return None


def main(build, flavour, mpicc, mpifort=None):
    checked = subprocess.run([sys.executable, str(NETLAB), "check", "--need", flavour], capture_output=True, text=True,
                             check=False)
    if checked.returncode != 0:
        print("there can be no emulated hosts here:\n" + checked.stdout + checked.stderr)
        return SKIPPED
    preload = {"LD_PRELOAD": os.path.join(build, "lib", "liblapwing-preload.so")}
    hung = 0
    with tempfile.TemporaryDirectory() as folder, Lab(hosts=2, rate="1gbit") as lab:
        def program(compiler, source):
            name = f"by-{os.path.basename(compiler)}" if compiler else ""
            return compiler and make(compiler, str(HERE / source), os.path.join(folder, name))

        plain = program(mpicc, "parting.c")
        compiled = os.path.join(build, "bin", f"lwcc.{flavour}")
        cases = [(plain, dict(preload, LAPWING_DEFER="off"), ROUNDS), (plain, preload, 2),
                 (program(mpifort, "parting.F90"), dict(preload, LAPWING_DEFER="off"), 2),
                 (os.path.exists(compiled) and program(compiled, "parting.c"), {}, ROUNDS)]
        for words, variables, rounds in cases:
            count = sum(not comes_out(lab, flavour, [words], variables) for _ in range(rounds)) if words else 0
            print(f"{words or None} {variables}: {count} of {rounds if words else 0} runs hung")
            hung += count
        # A program that comes out by itself shows nothing; later versions of MPICH do.
        if comes_out(lab, flavour, [plain], dict(preload, LAPWING="off"), SURE_HANG_S):
            print("this MPI needs no help: the program comes out without Lapwing")
    return 1 if hung else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
