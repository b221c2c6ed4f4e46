#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Programs and libraries that Lapwing cannot serve: one sentence that names the library, and a plain run.

    test_refused.py --preload LIBRARY --lapwing COMMAND
"""
import argparse
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "support"))
from mpis import MPIS  # noqa: E402

LAUNCH = {"mpich": ["mpiexec.mpich"],
          "openmpi": ["mpiexec.openmpi", "--oversubscribe", "--allow-run-as-root", "--bind-to", "none"]}
PLAINLY = "the program runs without Lapwing"
STRANGE = "int PMPI_Init(void* a, void* b) { return 7; }\nint MPI_Init(void* a, void* b) { return 7; }\n"
CALLS_STRANGE = "int MPI_Init(void*, void*); int main(void) { MPI_Init(0, 0); return MPI_Init(0, 0); }\n"
# Stands for the MPI's own function wherever it is asked for by its name of tools, as Lapwing asks.
OTHER_STATUS = """
#define _GNU_SOURCE
#include <dlfcn.h>
#include <string.h>
int PMPI_Wait(void* request, int* status) {
  int (*wait)(void*, int*) = (int (*)(void*, int*))dlsym(RTLD_NEXT, "PMPI_Wait");
  int own[64];
  const int rc = wait(request, own);
  if (status) memcpy(status, own + 1, 3 * sizeof(int));
  return rc;
}
"""
BOTH = """
#include <stdio.h>
int MPI_Initialized(int*), MPI_Finalized(int*);
int main(void) {
  int begun = 5, ended = 5;
  MPI_Initialized(&begun);
  MPI_Finalized(&ended);
  printf("%d %d\\n", begun, ended);
  return 0;
}
"""
SHORT = ".globl _start\n_start: movl $7,%ebx\n movl $1,%eax\n int $0x80\n"


class Refused(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory(prefix="lapwing-refused-")))

    def build(self, name, text, *options):
        source = self.folder / f"{name}.c"
        source.write_text(text, encoding="ascii")
        subprocess.run(["gcc", "-O1", source, "-o", self.folder / name, *options], check=True)
        return self.folder / name

    def run_with(self, *command, **variables):
        environment = {k: v for k, v in {**os.environ, **variables}.items() if v is not None}
        done = subprocess.run([str(c) for c in command], capture_output=True, text=True, timeout=60, env=environment, check=False)
        return done.returncode, done.stdout, done.stderr

    def preloaded(self, *command, preload=None):
        return self.run_with(*command, LD_PRELOAD=str(preload or OPTIONS.preload))

    def says_once(self, said, *parts):
        lines = [line for line in said.splitlines() if line.startswith("lapwing: ")]
        self.assertEqual(len(lines), 1, said)
        for part in parts:
            self.assertIn(part, lines[0])

    def exchange(self, mpi):
        program = self.folder / f"exchange-{mpi}"
        subprocess.run([f"mpicc.{mpi}", "-O1", "-o", program, HERE / "exchange.c"], check=True)
        return program

    def job(self, mpi, program, preload=""):
        variables = [f"LD_PRELOAD={preload}", "LAPWING_DEFER=on"] if preload else []
        return self.run_with(*LAUNCH[mpi], "-n", 2, "env", *variables, program)

    def test_an_mpi_of_no_known_family(self):
        library = self.build("libmpi.so.99", STRANGE, "-shared", "-fPIC", "-Wl,-soname,libmpi.so.99")
        program = self.build("program", CALLS_STRANGE, library, f"-Wl,-rpath,{self.folder}")
        for code, _, said in (self.preloaded(program), self.run_with(OPTIONS.lapwing, "run", program)):
            self.assertEqual(code, 7, said)
            self.says_once(said, "libmpi.so.99")

    def test_a_program_of_32_bits(self):
        source, thing, program = (self.folder / n for n in ("short.s", "short.o", "short"))
        source.write_text(SHORT, encoding="ascii")
        built = all(subprocess.run([str(w) for w in words], check=False, capture_output=True).returncode == 0
                    for words in (["as", "--32", "-o", thing, source], ["ld", "-m", "elf_i386", "-o", program, thing]))
        if not built or self.run_with(program)[0] != 7:
            self.skipTest("programs of 32 bits can be neither made nor run here")
        code, _, said = self.run_with(OPTIONS.lapwing, "run", program)
        self.assertEqual(code, 7, said)
        self.says_once(said, "short", "64-bit")

    def test_two_mpis_in_one_process(self):
        libraries = [f"/usr/lib/x86_64-linux-gnu/{n}" for n in ("libmpich.so.12", "libmpi.so.40")]
        if not all(os.path.exists(path) for path in libraries):
            self.skipTest("Debian's two MPIs are not here")
        program = self.build("both", BOTH, "-Wl,--no-as-needed", *libraries)
        plain, told = self.run_with(program), self.preloaded(program)
        self.assertEqual(plain[:2], (0, "0 0\n"), plain[2])
        self.assertEqual(told[:2], plain[:2], told[2])
        self.says_once(told[2], "libmpich.so.12", "libmpi.so.40", PLAINLY)

    def test_an_mpi_whose_status_is_another(self):
        other = self.build("libother.so", OTHER_STATUS, "-shared", "-fPIC", "-ldl")
        for mpi in MPIS:
            with self.subTest(mpi):
                program = self.exchange(mpi)
                plain, told = self.job(mpi, program), self.job(mpi, program, f"{OPTIONS.preload}:{other}")
                self.assertEqual((plain[0], plain[1]), (0, told[1]), told[2])
                self.says_once(told[2], "the status of a message", PLAINLY)

    def test_the_preloaded_library_needs_no_new_libc(self):
        said = subprocess.run(["objdump", "-p", OPTIONS.preload], check=True, capture_output=True, text=True).stdout
        versions = {tuple(map(int, v)) for v in re.findall(r"GLIBC_(\d+)\.(\d+)", said)}
        self.assertTrue(versions)
        self.assertLessEqual(max(versions), (2, 17))
        self.assertNotIn("GLIBC_PRIVATE", said)

    def test_an_engine_for_a_newer_libc(self):
        # As an engine is that needs a version of libc's which this one lacks.
        for version, text in (("V_1", "V_1 { newer; };"), ("V_2", "V_1 { local: *; }; V_2 { newer; };")):
            script = self.folder / "versions"
            script.write_text(text, encoding="ascii")
            self.build("libneeded.so", "int newer(void) { return 1; }\n", "-shared", "-fPIC", "-Wl,-soname,libneeded.so",
                       f"-Wl,--version-script={script}")
            shutil.move(self.folder / "libneeded.so", self.folder / f"{version}.so")
        shutil.copy(self.folder / "V_2.so", self.folder / "libneeded.so")
        preload = self.folder / "liblapwing-preload.so"
        shutil.copy(OPTIONS.preload, preload)
        for mpi in MPIS:
            self.build(f"liblapwing-{mpi}.so", "int newer(void);\nint MPI_Init(void* a, void* b) { return newer(); }\n", "-shared",
                       "-fPIC", self.folder / "libneeded.so", f"-Wl,-rpath,{self.folder}")
        shutil.copy(self.folder / "V_1.so", self.folder / "libneeded.so")
        for mpi in MPIS:
            with self.subTest(mpi):
                program = self.exchange(mpi)
                plain, told = self.job(mpi, program), self.job(mpi, program, preload)
                self.assertEqual((plain[0], plain[1]), (0, told[1]), told[2])
                self.says_once(told[2], f"liblapwing-{mpi}.so", "V_2", PLAINLY)


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--preload", required=True)
    parser.add_argument("--lapwing", required=True)
    OPTIONS, rest = parser.parse_known_args()
    unittest.main(argv=[sys.argv[0], *rest], verbosity=2)
