# SPDX-License-Identifier: Apache-2.0
"""Without a piece of Lapwing there is a plain compile, which works, and one
sentence that says so; what needs no such piece says nothing."""
import unittest

from support import FLAVOURS, WrapperTest, wanted


@wanted("clang-19", "flang-new-19")
class Missing(WrapperTest):
    def plain(self, name, *arguments, says):
        """The command runs without the pass, and one sentence says why."""
        self.log.unlink(missing_ok=True)
        result = self.call(name, *arguments)
        self.assertEqual(result.stderr.count("\n"), 1, result.stderr)
        self.assertIn(says, result.stderr)
        self.assertEqual(self.loaded(), [])

    def silent(self, name, *arguments):
        self.assertEqual(self.call(name, *arguments).stderr, "")

    def test_no_plugin(self):
        (self.lib / "LapwingPass.so").unlink()
        for flavour in FLAVOURS:
            wrapper = f"lwcc.{flavour}"
            source = self.sources("lwcc")
            self.plain(wrapper, "-O2", source, "-o", "plain", says="LapwingPass.so is missing")
            self.run_ranks(flavour, "./plain", ranks=1)
            self.assertEqual(self.needed(self.work / "plain")[0], f"liblapwing-{flavour}.so")
            for flags in (["-c", source], ["-O2", "-E", source, "-o", "x.i"], ["-O2", "-c", "--lapwing-off", source],
                          ["-O2", "plain.o"], ["-O2", "-show"]):
                self.silent(wrapper, *flags)

    def test_no_engine(self):
        for flavour in FLAVOURS:
            (self.lib / f"liblapwing-{flavour}.so").unlink()
            wrapper = f"lwcc.{flavour}"
            source = self.sources("lwcc")
            # The pass would make calls that nobody answers.
            self.plain(wrapper, "-O2", "-c", source, says=f"liblapwing-{flavour}.so is missing")
            self.plain(wrapper, "plain.o", "-o", "plain", says="linked without it")
            self.plain(wrapper, "-O2", source, "-o", "plain", says=f"liblapwing-{flavour}.so is missing")
            self.run_ranks(flavour, "./plain", ranks=1)
            self.silent(wrapper, "--lapwing-off", "-O2", source)

    def test_no_preload(self):
        (self.lib / "liblapwing-preload.so").unlink()
        source = self.sources("lwcc")
        result = self.call("lwcc.mpich", "-O2", "-flapwing=demand", source)
        self.assertIn("has no guards", result.stderr)
        self.silent("lwcc.mpich", "-O2", source)

    def test_no_modules(self):
        if (self.lib / "lapwing").is_symlink():
            (self.lib / "lapwing").unlink()
        for module in ("mpi", "mpi_f08"):
            source = self.write("uses.f90", f"program p\n  Use, intrinsic :: iso_c_binding\n  USE {module} ! or not\nend\n")
            self.refused("lwfc.mpich", "-c", source, says=[f"uses the module {module}", "include 'mpif.h'"])
        # A module of the user's own that has this name.
        self.write("own.f90", "module mpi\n integer :: x\nend module\n")
        self.silent("lwfc.mpich", "-c", "own.f90")
        self.write("uses.f90", "program p\n use mpi\n x = 1\nend\n")
        self.silent("lwfc.mpich", "-c", "-I.", "uses.f90")
        self.write("none.f90", "program p\n! use mpi\n integer :: use_mpi\n use_mpi = 1\nend\n")
        self.silent("lwfc.mpich", "-c", "none.f90")

    def test_a_failing_compile_keeps_its_status(self):
        (self.lib / "LapwingPass.so").unlink()
        self.write("bad.c", "int f( {\n")
        result = self.call("lwcc.mpich", "-O2", "-c", "bad.c", status=1)
        self.assertIn("error:", result.stderr)


if __name__ == "__main__":
    unittest.main()
