#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Programs that look for an MPI see what they would see without the preloaded library.

    test_unseen.py --preload LIBRARY
"""
import argparse
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

PRELOAD = ""
WEAK = """
#pragma weak MPI_Init
#pragma weak MPI_Status_set_source
int MPI_Init(int*, char***);
int MPI_Status_set_source(void*, int);
int sees(void) { return (MPI_Init != 0) + 2 * (MPI_Status_set_source != 0); }
"""
OWN = "int MPI_Init(void* a, void* b) { return 41; }\nint begin(void) { return MPI_Init(0, 0) + 1; }\n"


class Unseen(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory(prefix="lapwing-unseen-")))

    def build(self, name, text, *options):
        source = self.folder / f"{name}.c"
        source.write_text(text, encoding="ascii")
        subprocess.run(["gcc", "-O1", source, "-o", self.folder / name, *options], check=True)
        return self.folder / name

    def run_with(self, *command, preload=True):
        environment = {**os.environ, **({"LD_PRELOAD": PRELOAD} if preload else {})}
        done = subprocess.run([str(c) for c in command], capture_output=True, text=True, timeout=30, env=environment, check=False)
        return done.returncode, done.stdout, done.stderr

    def python(self, text):
        with_it, without = (self.run_with(sys.executable, "-c", "import ctypes as c\n" + text, preload=p) for p in (True, False))
        self.assertEqual(with_it[:2], without[:2], with_it[2])
        return with_it

    def test_a_process_without_mpi_has_none(self):
        out = self.python("for h in (None,):\n for n in ('MPI_Init', 'MPI_Get_version', 'mpi_init_', 'MPI_Send_c'):\n"
                          "  print(n, hasattr(c.CDLL(h), n))\nprint(hasattr(c.CDLL(None), 'malloc'))")[1]
        self.assertEqual(out.count("False"), 4)
        self.assertIn("True", out)

    def test_weak_references_of_a_library_that_comes_late(self):
        library = self.build("libweak.so", WEAK, "-shared", "-fPIC")
        self.assertEqual(self.python(f"print(c.CDLL('{library}').sees())")[1], "0\n")

    def test_weak_references_of_a_linked_library(self):
        library = self.build("libweak.so", WEAK, "-shared", "-fPIC")
        program = self.build("program", "int sees(void); int main(void) { return sees(); }", library, f"-Wl,-rpath,{self.folder}")
        self.assertEqual(self.run_with(program)[0], 0)

    def test_a_library_with_functions_of_these_names_keeps_its_own(self):
        library = self.build("libown.so", OWN, "-shared", "-fPIC")
        self.assertEqual(self.python(f"print(c.CDLL('{library}').begin())")[1], "42\n")

    def test_two_mpis(self):
        libraries = [f"/usr/lib/x86_64-linux-gnu/{n}" for n in ("libmpich.so.12", "libmpi.so.40")]
        if not all(os.path.exists(path) for path in libraries):
            self.skipTest("Debian's two MPIs are not here")
        text = "flag = c.c_int(9)\n" + "".join(f"a{i} = c.CDLL('{path}')\n" for i, path in enumerate(libraries))
        self.python(text + "for a in (a0, a1):\n print(a.MPI_Initialized(c.byref(flag)), flag.value)")

    def test_an_mpi_that_comes_late_and_locally(self):
        for path in ("/usr/lib/x86_64-linux-gnu/libmpich.so.12", "/usr/lib/x86_64-linux-gnu/libmpi.so.40"):
            if os.path.exists(path):
                self.python(f"a = c.CDLL('{path}')\nv, s = c.c_int(), c.c_int()\n"
                            "print(hasattr(c.CDLL(None), 'MPI_Init'), a.MPI_Get_version(c.byref(v), c.byref(s)), v.value, s.value)")


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--preload", required=True)
    options, rest = parser.parse_known_args()
    PRELOAD = options.preload
    unittest.main(argv=[sys.argv[0], *rest], verbosity=2)
