# SPDX-License-Identifier: Apache-2.0
"""Build systems take the wrappers for compilers: CMake with its detection and
find_package(MPI), a configure script, and CMake with the plugin alone."""
import pathlib
import shutil
import subprocess
import unittest

from support import BUILD, C, FLAVOURS, FORTRAN, WITH_FORTRAN, WrapperTest, wanted
from mpis import in_turn  # its folder is known to support

FIRST = next(iter(FLAVOURS))
HERE = pathlib.Path(__file__).resolve().parent
PROJECT = """cmake_minimum_required(VERSION 3.20)
project(detected C CXX Fortran)
find_package(MPI REQUIRED COMPONENTS C Fortran)
add_executable(c_plain plain.c)
add_executable(c_found plain.c)
target_link_libraries(c_found MPI::MPI_C)
add_executable(cxx_plain plain.cpp)
add_executable(fortran_plain plain.f90)
add_executable(mixed mixed.cpp part.f90)
install(TARGETS c_plain mixed)
"""
MIXED = """#include <mpi.h>
extern "C" void part_();
int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  part_();
  MPI_Finalize();
}
"""
PART = """subroutine part
  include 'mpif.h'
  integer :: size, error
  call mpi_comm_size(MPI_COMM_WORLD, size, error)
  print '(A,I0)', 'size ', size
end subroutine
"""
ALONE = """cmake_minimum_required(VERSION 3.20)
project(alone C)
find_package(MPI REQUIRED COMPONENTS C)
find_package(Lapwing 0.1 REQUIRED)
add_library(part STATIC part.c)
target_link_libraries(part MPI::MPI_C)
lapwing_compile(part)
add_executable(whole plain.c)
target_link_libraries(whole part MPI::MPI_C)
add_executable(moded plain.c)
target_link_libraries(moded MPI::MPI_C)
lapwing_compile(moded MODE demand)
if(WRONG)
  lapwing_compile(moded MODE greedy)
endif()
"""
AUTOCONF = """AC_INIT([detected], [1])
AC_PROG_CC
AC_PROG_CXX
AC_PROG_FC
AC_PROG_CPP
AC_FC_SRCEXT([f90])
AC_FC_FREEFORM
AC_FC_MODULE_EXTENSION
AC_LANG([C])
AC_CHECK_HEADERS([mpi.h])
AC_CHECK_FUNC([MPI_Init], [], [AC_MSG_ERROR([no MPI])])
AC_CHECK_FUNC([no_such_function], [AC_MSG_ERROR([a link without it works])])
AC_OUTPUT
"""


def in_turns(index):
    """The MPIs of a case: what a build system asks a compiler says little about the MPI behind it."""
    return [flavour for flavour in FLAVOURS if in_turn(index, flavour)]


def with_fortran(index):
    """Those of them that have a Fortran."""
    if not WITH_FORTRAN:
        raise unittest.SkipTest("the MPI has no Fortran")
    return [flavour for flavour in in_turns(index) if flavour in WITH_FORTRAN]


class ProjectTest(WrapperTest):
    def do(self, *command, cwd=None, status=0, **env):
        result = subprocess.run(list(map(str, command)), capture_output=True, text=True, check=False, timeout=120,
                                cwd=cwd or self.work, env=self.environment(**env))
        self.assertEqual(result.returncode, status, result.stdout + result.stderr)
        return result.stdout + result.stderr

    def wrappers(self, flavour):
        return {variable: self.bin / f"{name}.{flavour}"
                for variable, name in (("CC", "lwcc"), ("CXX", "lwc++"), ("FC", "lwfc"), ("F77", "lwfc"))}


@wanted("clang-19", "flang-new-19", "cmake", "ninja")
class CMake(ProjectTest):
    def test_detection(self):
        for name, text in (("CMakeLists.txt", PROJECT), ("plain.c", C), ("plain.cpp", C), ("plain.f90", FORTRAN),
                           ("mixed.cpp", MIXED), ("part.f90", PART)):
            self.write(name, text)
        for flavour in with_fortran(0):
            said = self.do("cmake", "-G", "Ninja", "-B", flavour, "-DCMAKE_BUILD_TYPE=Release",
                           "-DCMAKE_Fortran_FLAGS=-O2", f"-DCMAKE_INSTALL_PREFIX={self.folder}/{flavour}",
                           **self.wrappers(flavour))
            for words in ("C compiler identification is Clang 19", "CXX compiler identification is Clang 19",
                          "Fortran compiler identification is LLVMFlang 19", "Detecting C compiler ABI info - done",
                          "Detecting Fortran compiler ABI info - done", "Found MPI: TRUE"):
                self.assertIn(words, said)
            self.log.unlink(missing_ok=True)
            said = self.do("ninja", "-C", flavour, "install", "-j2")
            self.assertNotIn("warning", said)
            self.assertNotIn("lwc", said.replace(str(self.bin), ""))
            self.assertEqual(sorted(who for who, options in self.loaded()), ["clang"] * 4 + ["flang"] * 2)
            for program in ("c_plain", "c_found", "cxx_plain", "fortran_plain"):
                self.assertEqual(self.run_ranks(flavour, f"{flavour}/{program}"), "2 ranks, sum 1\n")
            installed = self.folder / flavour / "bin" / "mixed"
            # The engine takes the Fortran calls as well: it is found before every library of the MPI's.
            first = [name for name in self.needed(installed) if "mpi" in name][0]
            self.assertEqual(first, f"liblapwing-{flavour}.so")
            self.assertEqual(self.run_ranks(flavour, installed), "size 2\nsize 2\n")

    def test_plugin_alone(self):
        package = self.lib / "cmake"
        shutil.copytree(BUILD / "lib" / "cmake", package)
        for name, text in (("CMakeLists.txt", ALONE), ("plain.c", C), ("part.c", "int part(void) { return 1; }\n")):
            self.write(name, text)
        for flavour in in_turns(1):
            arguments = ["cmake", "-G", "Ninja", "-B", flavour, "-DCMAKE_BUILD_TYPE=Release",
                         "-DCMAKE_C_COMPILER=clang-19", f"-DMPI_C_COMPILER=mpicc.{flavour}",
                         f"-DLapwing_DIR={package}/Lapwing"]
            self.do(*arguments)
            said = self.do("ninja", "-C", flavour, "-j2")
            self.assertNotIn("warning", said)
            self.assertEqual(sorted(self.loaded()), [("clang", "(unset)"), ("clang", "mode=demand")])
            self.assertEqual(self.needed(self.work / flavour / "whole")[0], f"liblapwing-{flavour}.so")
            self.assertEqual(self.needed(self.work / flavour / "moded")[:2],
                             ["liblapwing-preload.so", f"liblapwing-{flavour}.so"])
            for program in ("whole", "moded"):
                self.assertEqual(self.run_ranks(flavour, f"{flavour}/{program}"), "2 ranks, sum 1\n")
        self.assertIn("MODE greedy is unknown", self.do(*arguments, "-DWRONG=1", status=1))

    def test_plugin_alone_needs_clang(self):
        shutil.copytree(BUILD / "lib" / "cmake", self.lib / "cmake")
        self.write("CMakeLists.txt", ALONE)
        self.write("plain.c", C)
        self.write("part.c", "")
        said = self.do("cmake", "-G", "Ninja", "-B", "gcc", "-DCMAKE_C_COMPILER=gcc", f"-DMPI_C_COMPILER=mpicc.{FIRST}",
                       f"-DLapwing_DIR={self.lib}/cmake/Lapwing", status=1)
        self.assertIn("compiled by clang or flang 19", " ".join(said.split()))

    def test_the_function_under_the_wrappers(self):
        shutil.copytree(BUILD / "lib" / "cmake", self.lib / "cmake")
        for name, text in (("CMakeLists.txt", ALONE), ("plain.c", C), ("part.c", "int part(void) { return 1; }\n")):
            self.write(name, text)
        self.do("cmake", "-G", "Ninja", "-B", "b", "-DCMAKE_BUILD_TYPE=Release",
                f"-DLapwing_DIR={self.lib}/cmake/Lapwing", **self.wrappers(FIRST))
        self.log.unlink(missing_ok=True)
        self.do("ninja", "-C", "b", "-j2")
        self.assertEqual(sorted(options for who, options in self.loaded()),
                         ["mode=aggressive", "mode=aggressive", "mode=demand"])
        self.assertEqual(self.needed(self.work / "b" / "moded")[0], "liblapwing-preload.so")


@wanted("clang-19", "flang-new-19")
class Configure(ProjectTest):
    def test_like_configure(self):
        for flavour in with_fortran(1):
            said = self.do("sh", HERE / "like_configure.sh", **self.wrappers(flavour))
            self.assertIn("configured", said.splitlines())

    @wanted("autoconf", "make")
    def test_autoconf(self):
        self.write("configure.ac", AUTOCONF)
        self.do("autoconf")
        for flavour in with_fortran(0):
            said = self.do("./configure", **self.wrappers(flavour))
            for words in ("whether the C compiler works... yes", "for mpi.h... yes", "Fortran 90 module extension... mod"):
                self.assertIn(words, said)


if __name__ == "__main__":
    unittest.main()
