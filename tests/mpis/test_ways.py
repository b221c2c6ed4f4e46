#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Each way in which a program comes to its MPI: the results and the MPI are those of the plain run, and transfers are
deferred. The ways go to the tree's MPIs in turn; TESTED_CASES=all tries each with all of them.

    test_ways.py --preload LIBRARY
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
from mpis import MPIS, in_turn  # noqa: E402

LAUNCH = {"mpich": ["mpiexec.mpich"],
          "openmpi": ["mpiexec.openmpi", "--oversubscribe", "--allow-run-as-root", "--bind-to", "none"]}
LIBRARY = {"mpich": r"lib(?:mpi|mpich)\.so\.12", "openmpi": r"libmpi\.so\.40"}
CALLS = ("Init", "Comm_rank", "Send", "Recv", "Finalize")
OBJECTS = ("ompi_mpi_comm_world", "ompi_mpi_double")


def run(*command, **variables):
    done = subprocess.run([str(c) for c in command], capture_output=True, text=True, timeout=60, check=False,
                          env={**os.environ, **variables}, stdin=subprocess.DEVNULL)
    if done.returncode != 0:
        raise AssertionError(f"{command} ended with {done.returncode}: {done.stdout}{done.stderr}")
    return done.stdout


class Ways(unittest.TestCase):
    """Each method makes a program that finds its MPI in one way and says which library that is."""

    def compiled(self, mpi, name, *options, compiler=None):
        run(*(compiler or [f"mpicc.{mpi}"]), "-O1", HERE / "ways.c", "-o", self.folder / name, *options, "-ldl", "-pthread")
        return self.folder / name

    def library(self, mpi):
        """The file of the MPI that a program of this compiler loads."""
        found = re.search(rf"{LIBRARY[mpi]} => (\S+)", run("ldd", self.compiled(mpi, "asked")))
        return pathlib.Path(found.group(1))

    def another(self, mpi):
        """A second MPI of the same name, in a folder of its own, and the folder of the first."""
        library = self.library(mpi)
        second = self.folder / "second"
        second.mkdir()
        if b"$ORIGIN" in library.read_bytes():  # one that brings its own libraries and names them by its own place
            for one in library.parent.iterdir():
                if one.name != library.name:
                    (second / one.name).symlink_to(one)
        return pathlib.Path(shutil.copy(library, second / library.name)), library.parent

    def linked_by_name(self, mpi, name, second, *options):
        """A wrapper would add an rpath of its own, and with it the choice of its kind."""
        return self.compiled(mpi, name, *self.flags(mpi), second, "-Wl,--allow-shlib-undefined", *options, compiler=["gcc"])

    def job(self, mpi, *program, preload, **variables):
        told = {"LD_PRELOAD": OPTIONS.preload, "LAPWING_DEFER": "on", "LAPWING_REPORT": self.folder / "report"} if preload else {}
        # A yielding library of the tests' own stays where there is one.
        if preload and os.environ.get("LD_PRELOAD"):
            told["LD_PRELOAD"] = f"{OPTIONS.preload}:{os.environ['LD_PRELOAD']}"
        words = [f"{key}={value}" for key, value in {**told, **variables}.items()]
        return run(*LAUNCH[mpi], "-n", "2", "env", *words, *program)

    def holds(self, mpi, *program, library, **variables):
        """`library`: the file that the program must have found."""
        plain = self.job(mpi, *program, preload=False, **variables)
        self.assertEqual(os.path.realpath(plain.split(" of ")[1].strip()), os.path.realpath(library))
        self.assertEqual(self.job(mpi, *program, preload=True, **variables), plain)
        deferred = sum(int(n) for n in re.findall(r'"deferred":(\d+)', (self.folder / "report").read_text(encoding="utf-8")))
        self.assertGreater(deferred, 0)

    def each(self, index, way):
        for mpi in MPIS:
            if in_turn(index, mpi):
                with self.subTest(mpi), tempfile.TemporaryDirectory(prefix="lapwing-ways-") as folder:
                    self.folder = pathlib.Path(folder)
                    way(mpi)

    def test_linked(self):
        def way(mpi):
            self.holds(mpi, self.compiled(mpi, "linked"), library=self.library(mpi))
        self.each(0, way)

    def test_of_two_that_are_installed_by_rpath(self):
        def way(mpi):
            second, rest = self.another(mpi)
            program = self.linked_by_name(mpi, "rpath", second,
                                          f"-Wl,--disable-new-dtags,-rpath,{second.parent},-rpath,{rest}")
            self.holds(mpi, program, library=second)
        self.each(1, way)

    def test_of_two_that_are_installed_by_the_environment(self):
        def way(mpi):
            second, rest = self.another(mpi)
            program = self.linked_by_name(mpi, "named", second)
            self.holds(mpi, program, library=second, LD_LIBRARY_PATH=f"{second.parent}:{rest}")
        self.each(0, way)

    def test_linked_with_a_stub(self):
        def way(mpi):
            library = self.library(mpi)
            (self.folder / "stub.c").write_text("".join(f"void MPI_{call}(void) {{}}\n" for call in CALLS) +
                                                "".join(f"char {name}[1024];\n" for name in OBJECTS), encoding="ascii")
            stub = self.folder / "libstub.so"
            run("gcc", "-shared", "-fPIC", f"-Wl,-soname,{library.name}", self.folder / "stub.c", "-o", stub)
            program = self.compiled(mpi, "stubbed", *self.flags(mpi), stub, compiler=["gcc"])
            self.holds(mpi, program, library=library, LD_LIBRARY_PATH=str(library.parent))
        self.each(1, way)

    def test_loaded_late(self):
        def way(mpi):
            library = self.library(mpi)
            program = self.compiled(mpi, "late", "-DLATE", *self.flags(mpi), compiler=["gcc"])
            self.holds(mpi, program, library, "global", self.other(), library=library)
        self.each(0, way)

    def test_loaded_late_and_locally(self):
        def way(mpi):
            library = self.library(mpi)
            program = self.compiled(mpi, "late", "-DLATE", *self.flags(mpi), compiler=["gcc"])
            self.holds(mpi, program, library, "local", self.other(), library=library)
        self.each(1, way)

    def other(self):
        """A library that has nothing to do with MPI."""
        (self.folder / "other.c").write_text("int other;\n", encoding="ascii")
        run("gcc", "-shared", "-fPIC", self.folder / "other.c", "-o", self.folder / "libother.so")
        return self.folder / "libother.so"

    def test_a_constructor_that_reads_what_has_not_landed(self):
        def way(mpi):
            reader = self.compiled(mpi, "reader.so", "-DREAD", "-shared", "-fPIC", compiler=["gcc"])
            self.holds(mpi, self.compiled(mpi, "linked"), library=self.library(mpi), READER=str(reader))
        self.each(1, way)

    def test_by_a_module(self):
        def way(mpi):
            module = self.compiled(mpi, "module.so", "-DMODULE", "-shared", "-fPIC")
            host = self.compiled(mpi, "host", "-DHOST", compiler=["gcc"])
            self.holds(mpi, host, module, library=self.library(mpi))
        self.each(0, way)

    def test_by_a_module_of_that_name_after_the_library(self):
        def way(mpi):
            library = self.library(mpi)
            module = self.compiled(mpi, "module.so", "-DMODULE", "-shared", "-fPIC", *self.flags(mpi), library, compiler=["gcc"])
            host = self.compiled(mpi, "host", "-DHOST", compiler=["gcc"])
            self.holds(mpi, host, module, library, library=library)
        self.each(1, way)

    def flags(self, mpi):
        """Folders of headers that the compiler of this MPI adds."""
        return [word for word in run(f"mpicc.{mpi}", "-show").split()[1:] if word.startswith("-I")]


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--preload", required=True)
    OPTIONS, rest = parser.parse_known_args()
    unittest.main(argv=[sys.argv[0], *rest], verbosity=2)
