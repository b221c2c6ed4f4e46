# SPDX-License-Identifier: Apache-2.0
"""Programs that the wrappers build are built in silence, run, and are linked
with what they need: three languages, both MPIs, in one step and in several."""
import os
import unittest

from support import FLAVOURS, WITH_FORTRAN, WrapperTest, wanted
from mpis import in_turn  # its folder is known to support

OTHER = "int other(void) { return 3; }\n"


@wanted("clang-19", "flang-new-19")
class Programs(WrapperTest):
    def silent(self, name, *arguments):
        result = self.call(name, *arguments)
        self.assertEqual((result.stdout, result.stderr), ("", ""))

    def each(self, in_turns=False):
        """Each wrapper with each MPI, or with the MPIs in turn."""
        for flavour in FLAVOURS:
            for index, language in enumerate(("lwcc", "lwc++", "lwfc")):
                if in_turns and not in_turn(index, flavour) or language == "lwfc" and flavour not in WITH_FORTRAN:
                    continue
                with self.subTest(language=language, flavour=flavour):
                    yield f"{language}.{flavour}", flavour, self.sources(language)

    def works(self, flavour, program="prog"):
        self.assertEqual(self.run_ranks(flavour, f"./{program}"), "2 ranks, sum 1\n")

    def test_in_one_step(self):
        for wrapper, flavour, source in self.each():
            self.silent(wrapper, "-O2", "-Wall" if "lwfc" not in wrapper else "-g", source, "-o", "prog")
            who = "flang" if "lwfc" in wrapper else "clang"
            self.assertEqual(self.loaded(), [(who, "mode=aggressive")])
            self.assertEqual(self.needed(self.work / "prog")[0], f"liblapwing-{flavour}.so")
            self.works(flavour)

    def test_separately(self):
        for wrapper, flavour, source in self.each(in_turns=True):
            self.silent(wrapper, "-O2", "-c", source, "-o", "prog.o")
            self.assertEqual(len(self.loaded()), 1)
            self.silent(wrapper, "-O2", "-g", "prog.o", "-o", "prog")
            self.assertEqual(self.loaded(), [])
            self.works(flavour)

    @unittest.skipUnless(os.path.exists("/usr/lib/llvm-19/lib/libomp.so"), "libomp-19-dev is not installed")
    def test_with_threads(self):
        for wrapper, flavour, source in self.each(in_turns=True):
            self.silent(wrapper, "-O2", "-fopenmp", source, "-o", "prog")
            self.assertIn("libomp.so.5", self.needed(self.work / "prog"))
            self.works(flavour)

    def test_off(self):
        for wrapper, flavour, source in self.each(in_turns=True):
            self.silent(wrapper, "--lapwing-off", "-O2", source, "-o", "prog")
            self.assertEqual(self.loaded(), [])
            self.assertEqual([name for name in self.needed(self.work / "prog") if "lapwing" in name], [])
        self.works(flavour)

    def test_their_variables_at_run_time(self):
        """What chooses an MPI or a compiler may stay in the environment of the program."""
        for flavour in FLAVOURS:
            self.silent(f"lwcc.{flavour}", "-O2", self.sources("lwcc"), "-lm", "-o", "prog")
            out, said = self.run_ranks(flavour, "./prog", errors=True, LAPWING_MPI=flavour, LAPWING_CC="clang-19",
                                       LAPWING_PASS="mode=report", LAPWING_TASKS_WORKERS="1", LAPWING_HELPR="off")
            self.assertEqual(out, "2 ranks, sum 1\n")
            named = {word for word in said.split() if word.startswith("LAPWING_")}
            self.assertEqual(named, {"LAPWING_HELPR", "LAPWING_HELPER."})

    @wanted("ld.lld-19")
    def test_lto(self):
        for wrapper, flavour, source in self.each(in_turns=True):
            self.silent(wrapper, "-O2", "-flto", source, "-o", "prog")
            self.assertEqual(self.loaded(), [("ld.lld", "mode=aggressive")])
            self.works(flavour)
            self.silent(wrapper, "-O2", "-flto", "-c", source, "-o", "prog.o")
            self.assertEqual(self.loaded(), [])
            self.silent(wrapper, "-flto", "-flapwing=conservative", "prog.o", "-o", "again")
            self.assertEqual(self.loaded(), [("ld.lld", "mode=conservative")])
        self.works(flavour, "again")

    def test_several_sources(self):
        self.write("other.c", OTHER)
        self.write("third.c", "int other(void);\nint third(void) { return other(); }\n")
        for flavour in FLAVOURS:
            self.silent(f"lwcc.{flavour}", "-O2", self.sources("lwcc"), "other.c", "third.c", "-lm", "-o", "prog")
            self.assertEqual(len(self.loaded()), 3)
        self.works(flavour)

    def test_demand(self):
        for flavour in FLAVOURS:
            self.silent(f"lwcc.{flavour}", "-O2", "-flapwing=demand", self.sources("lwcc"), "-lm", "-o", "prog")
            needed = self.needed(self.work / "prog")
            self.assertEqual(needed[0], "liblapwing-preload.so")
            self.assertIn(f"liblapwing-{flavour}.so", needed)
            self.works(flavour)

    def test_shared_library(self):
        self.write("other.c", OTHER)
        self.silent("lwcc.mpich", "-O2", "-fPIC", "-shared", "other.c", "-o", "libother.so")
        self.write("main.c", "int other(void);\nint main(void) { return other() - 3; }\n")
        self.silent("lwcc.mpich", "main.c", "libother.so", "-Wl,-rpath,.", "-o", "prog")
        self.run_ranks("mpich", "./prog", ranks=1)

    def test_relocatable(self):
        self.write("other.c", OTHER)
        self.silent("lwcc.openmpi", "-O2", "-c", "other.c")
        self.silent("lwcc.openmpi", "-r", "other.o", "-o", "both.o")

    def test_modules(self):
        """Where the modules for flang are built, use mpi and use mpi_f08 work, and Lapwing's own modules."""
        built = [flavour for flavour in FLAVOURS if (self.lib / "lapwing" / flavour / "mod" / "mpi.mod").exists()]
        if not built:
            self.skipTest("the modules for flang are not built")
        text = self.sources("lwfc").read_text()
        for flavour in built:
            for module in ("mpi", "mpi_f08"):
                self.write("uses.f90", text.replace("  include 'mpif.h'\n", "").replace(
                    "  implicit none\n", f"  use {module}\n  use lapwing\n  use lapwing_memory\n  implicit none\n"))
                self.silent(f"lwfc.{flavour}", "-O2", "uses.f90", "-o", "prog")
                self.works(flavour)

    def test_lapwings_headers(self):
        """They are found, but behind the user's own of that name."""
        self.write("uses.c", "#include <lapwing/memory.h>\n"
                   "int main(int argc, char** argv) { return MPI_Init(&argc, &argv) || MPI_Finalize(); }\n")
        (self.work / "own" / "lapwing").mkdir(parents=True)
        self.write("own/lapwing/memory.h", "#error the user's own\n")
        for index, words in enumerate((["-Iown"], ["-isystem", "own"], ["-idirafter", "own"])):
            for flavour in FLAVOURS:
                if in_turn(index, flavour):
                    refused = self.call(f"lwcc.{flavour}", *words, "-E", "uses.c", status=1)
                    self.assertIn("the user's own", refused.stderr, words)
        for wrapper, flavour in zip(("lwcc", "lwc++"), FLAVOURS):
            self.silent(f"{wrapper}.{flavour}", "-x", "c" if wrapper == "lwcc" else "c++", "uses.c", "-o", "prog")
            self.run_ranks(flavour, "./prog", ranks=1)
        # Where they are of no use clang would warn of them.
        self.write("part.s", 'part:\n.section .note.GNU-stack,"",@progbits\n')
        self.silent("lwcc.mpich", "-c", "part.s", "-o", "part.o")
        self.silent("lwcc.mpich", "-r", "part.o", "-o", "both.o")

    def test_modules_behind_the_folder_of_gfortrans(self):
        """As pkg-config and CMake's FindMPI name it."""
        folder = {"mpich": "/usr/include/x86_64-linux-gnu/mpich",
                  "openmpi": "/usr/lib/x86_64-linux-gnu/fortran/gfortran-mod-15/openmpi"}
        text = self.sources("lwfc").read_text().replace("  include 'mpif.h'\n", "")
        tried = 0
        for flavour in FLAVOURS:
            ours = self.lib / "lapwing" / flavour / "mod" / "mpi.mod"
            if not ours.exists() or not os.path.exists(folder[flavour] + "/mpi.mod"):
                continue
            for words in (["-I" + folder[flavour]], ["-I", folder[flavour]]):
                self.write("uses.f90", text.replace("  implicit none\n", "  use mpi\n  implicit none\n"))
                self.silent(f"lwfc.{flavour}", "-O2", *words, "uses.f90", "-o", "prog")
                self.works(flavour)
                tried += 1
        if not tried:
            self.skipTest("neither MPI has both modules")

    def test_as_needed(self):
        """The linker sees no use of the library by which Open MPI's Fortran calls are answered."""
        for wrapper, flavour, source in self.each(in_turns=True):
            self.silent(wrapper, "-O2", "-Wl,--as-needed", source, "-o", "prog")
            self.works(flavour)


if __name__ == "__main__":
    unittest.main()
