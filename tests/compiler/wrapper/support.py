# SPDX-License-Identifier: Apache-2.0
"""What the tests of the wrappers share: a Lapwing tree of their own, whose
pieces can be taken away, and ways to call and to ask."""
import os
import pathlib
import shlex
import shutil
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "support"))
from mpis import MPIS, needs  # noqa: E402

BUILD = pathlib.Path(os.environ["WRAPPER_BUILD"])
PLUGIN = pathlib.Path(os.environ["WRAPPER_PLUGIN"])
FLAVOURS = {mpi: f"mpiexec.{mpi}" for mpi in MPIS}
WITH_FORTRAN = [mpi for mpi in MPIS if shutil.which(f"mpifort.{mpi}")]  # of their own
NAMES = ["lwc++", "lwfc", *(f"{name}.{mpi}" for name in ("lwcc", "lwc++", "lwfc") for mpi in FLAVOURS)]

C = """#include <mpi.h>
#include <stdio.h>
int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank, size, sum;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  if (rank == 0) printf("%d ranks, sum %d\\n", size, sum);
  MPI_Finalize();
  return 0;
}
"""
FORTRAN = """program plain
  implicit none
  include 'mpif.h'
  integer :: rank, size, total, error
  call mpi_init(error)
  call mpi_comm_rank(MPI_COMM_WORLD, rank, error)
  call mpi_comm_size(MPI_COMM_WORLD, size, error)
  call mpi_allreduce(rank, total, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, error)
  if (rank == 0) print '(I0,A,I0)', size, ' ranks, sum ', total
  call mpi_finalize(error)
end program
"""
SOURCES = {"lwcc": ("plain.c", C), "lwc++": ("plain.cpp", C), "lwfc": ("plain.f90", FORTRAN)}


def wanted(*programs):
    """Skips where a program is missing; Lapwing is built without clang and flang too."""
    missing = [program for program in programs if not shutil.which(program)]
    return unittest.skipIf(missing, f"not installed: {', '.join(missing)}")


class WrapperTest(unittest.TestCase):
    maxDiff = None

    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="lapwing-wrapper-"))
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)
        self.tree = self.folder / "tree"
        self.bin, self.lib, self.work = self.tree / "bin", self.tree / "lib", self.folder / "work"
        for folder in (self.bin, self.lib, self.work):
            folder.mkdir(parents=True)
        shutil.copy(BUILD / "bin" / "lwcc", self.bin / "lwcc")
        for name in NAMES:
            (self.bin / name).symlink_to("lwcc")
        shutil.copy(PLUGIN, self.lib / "LapwingPass.so")
        for library in (BUILD / "lib").iterdir():
            if library.name.startswith("liblapwing"):
                (self.lib / library.name).symlink_to(library)
        if (BUILD / "lib" / "lapwing").is_dir():
            (self.lib / "lapwing").symlink_to(BUILD / "lib" / "lapwing")
        (self.tree / "include").symlink_to(BUILD / "include")
        self.log = self.folder / "log"

    def environment(self, **changes):
        env = {name: value for name, value in os.environ.items()
               if not name.startswith(("LAPWING", "MPICH_", "OMPI_C", "OMPI_F", "OMPI_L", "CCACHE"))
               and name not in ("CC", "CXX", "FC", "F77", "CFLAGS", "CXXFLAGS", "FFLAGS", "FCFLAGS", "LDFLAGS",
                                "LD_PRELOAD", "MAKEFLAGS")}
        env["WRAPPER_LOG"] = str(self.log)
        for name, value in changes.items():
            if value is None:
                env.pop(name, None)
            else:
                env[name] = str(value)
        return env

    def call(self, name, *arguments, status=0, stdin=None, env=None, cwd=None, timeout=60):
        """Runs a wrapper; `status` None accepts any. Without that wrapper's MPI the test is skipped."""
        if "." in name and name.split(".")[1] not in MPIS:
            raise unittest.SkipTest(f"this tree is not built for {name.split('.')[1]}")
        result = subprocess.run([str(self.bin / name), *map(str, arguments)], capture_output=True, text=True,
                                check=False, timeout=timeout, input=stdin,
                                stdin=subprocess.DEVNULL if stdin is None else None,
                                cwd=cwd or self.work, env=self.environment(**(env or {})))
        if status is not None:
            self.assertEqual(result.returncode, status, result.stdout + result.stderr)
        return result

    def shown(self, name, *arguments, env=None):
        """(LAPWING_PASS or None, words) of the command that would run; nothing may be said."""
        result = self.call(name, "--lapwing-show", *arguments, env=env)
        self.assertEqual(result.stderr, "")
        words = shlex.split(result.stdout)
        options = None
        if words[0].startswith("LAPWING_PASS="):
            options = words.pop(0).split("=", 1)[1]
        return options, words

    def refused(self, name, *arguments, says, env=None, status=1):
        """The call ends with that status and one sentence, which has these words."""
        result = self.call(name, *arguments, env=env, status=status)
        lines = result.stderr.splitlines()
        self.assertEqual(len(lines), 1, result.stderr)
        self.assertTrue(lines[0].startswith(f"{name}: ") and lines[0][-1] in ".?", lines[0])
        for word in [says] if isinstance(says, str) else says:
            self.assertIn(word, lines[0])

    def write(self, name, text):
        path = self.work / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        return path

    def program(self, name, text, folder="programs"):
        """An executable script in a folder that is returned, for PATH."""
        path = self.folder / folder / name
        path.parent.mkdir(exist_ok=True)
        path.write_text("#!/bin/sh\n" + text)
        path.chmod(0o755)
        return path.parent

    def sources(self, wrapper):
        name, text = SOURCES[wrapper.split(".")[0]]
        return self.write(name, text)

    def loaded(self):
        """Who loaded the plugin, with which options, since the last call."""
        lines = self.log.read_text().splitlines() if self.log.exists() else []
        self.log.unlink(missing_ok=True)
        loads = [tuple(line.split(" ", 1)) for line in lines]
        # clang++-19 and flang-new start themselves again under other names.
        short = {"clang": "clang", "flang": "flang"}
        return [(short.get(who[:5], who), options) for who, options in loads]

    def needed(self, program):
        """The shared libraries that a program names, in order."""
        listed = subprocess.run(["readelf", "-d", str(program)], capture_output=True, text=True, check=True).stdout
        return [line.split("[")[1].split("]")[0] for line in listed.splitlines() if "(NEEDED)" in line]

    def run_ranks(self, flavour, program, ranks=2, errors=False, **variables):
        """What it prints; with `errors` a pair, and what it says."""
        launcher = [FLAVOURS[flavour]]
        if flavour == "openmpi":
            launcher += ["--oversubscribe", "--bind-to", "none", "--allow-run-as-root"]
        result = subprocess.run(["timeout", "40", *launcher, "-n", str(ranks), str(program)], capture_output=True,
                                text=True, check=False, cwd=self.work,
                                env=self.environment(**variables))
        self.assertEqual(result.returncode, 0, result.stdout + result.stderr)
        return (result.stdout, result.stderr) if errors else result.stdout
