# SPDX-License-Identifier: Apache-2.0
"""Which MPI and which compiler: by option, variable, name and installation;
what overrides are followed, and what is said of the others."""
import os
import shutil
import unittest

from support import FLAVOURS, WITH_FORTRAN, WrapperTest, needs, wanted

LIBRARY = {"mpich": "-lmpich", "openmpi": "-lmpi"}


@wanted("clang-19")
class WhichMpi(WrapperTest):
    def flavour(self, name, *arguments, env=None):
        words = self.shown(name, "x.o", *arguments, env=env)[1]
        engines = [word[len("-llapwing-"):] for word in words if word.startswith("-llapwing-")]
        self.assertEqual(len(engines), 1, words)
        self.assertIn(LIBRARY[engines[0]], words)
        return engines[0]

    def test_in_order(self):
        for one, other in (("mpich", "openmpi"), ("openmpi", "mpich")):
            self.assertEqual(self.flavour(f"lwcc.{one}"), one)
            self.assertEqual(self.flavour("lwcc", env={"LAPWING_MPI": one}), one)
            self.assertEqual(self.flavour(f"lwcc.{other}", env={"LAPWING_MPI": one}), one)
            self.assertEqual(self.flavour(f"lwcc.{other}", f"--lapwing-mpi={one}", env={"LAPWING_MPI": other}), one)

    def path_with(self, flavours, text=None, name="mpicc"):
        """A PATH with clang and the wrappers of these MPIs under their full names, and perhaps an mpicc."""
        for flavour in flavours:
            if flavour not in FLAVOURS:
                self.skipTest(f"this tree is not built for {flavour}")
        folder = self.folder / "path"
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir()
        for program in ["clang-19", *(f"mpicc.{flavour}" for flavour in flavours)]:
            (folder / program).symlink_to(shutil.which(program))
        tools = ["bash", "sh", "sed", "expr", "awk"]
        for program in tools:
            (folder / program).symlink_to(shutil.which(program))
        if text:
            (folder / name).write_text("#!/bin/sh\n" + text)
            (folder / name).chmod(0o755)
        return {"PATH": str(folder)}

    def test_mpicc_on_path_links_to_one(self):
        for flavour in FLAVOURS:
            env = self.path_with(FLAVOURS)
            (self.folder / "path" / "mpicc").symlink_to(f"mpicc.{flavour}")
            self.assertEqual(self.flavour("lwcc", env=env), flavour)

    def test_mpicc_on_path_is_asked(self):
        for flavour in FLAVOURS:
            env = self.path_with(FLAVOURS, f'exec mpicc.{flavour} "$@"\n')
            self.assertEqual(self.flavour("lwcc", env=env), flavour)

    def test_mpicc_on_path_is_neither(self):
        env = self.path_with(FLAVOURS, "echo gcc -I/opt/other -lother\n")
        self.refused("lwcc", "x.o", env=env, says=["neither MPICH's nor Open MPI's", "--lapwing-mpi="])

    def test_only_one_installed(self):
        for flavour in FLAVOURS:
            self.assertEqual(self.flavour("lwcc", env=self.path_with([flavour])), flavour)

    @needs("mpich", "openmpi")
    def test_both_installed_and_no_mpicc(self):
        self.refused("lwcc", "x.o", env=self.path_with(FLAVOURS), says=["both installed", "LAPWING_MPI"])

    def test_none_installed(self):
        self.refused("lwcc", "x.o", env=self.path_with([]), says=["no MPI is found", "libmpich-dev"])
        self.refused("lwcc.mpich", "x.o", env=self.path_with(["openmpi"]), says=["mpicc.mpich", "not on PATH"])

    def test_mpicc_that_is_this_wrapper_is_passed_over(self):
        env = self.path_with(["mpich"])
        (self.folder / "path" / "mpicc").symlink_to(self.bin / "lwcc")
        self.assertEqual(self.flavour("lwcc", env=env), "mpich")

    @needs("mpich")
    def test_mpicc_that_calls_this_wrapper_ends(self):
        env = self.path_with(FLAVOURS, f'exec {self.bin / "lwcc"} "$@"\n')
        self.refused("lwcc", "x.o", env=env, says=["neither MPICH's nor Open MPI's", "--lapwing-mpi="])
        self.assertEqual(self.flavour("lwcc", env={**env, "LAPWING_MPI": "mpich"}), "mpich")

    def test_options_without_their_value(self):
        for option, value in (("--lapwing-mpi", "mpich"), ("--lapwing-profile", "file"), ("--sets", "run")):
            self.refused("lwcc", option, value, "x.o", says=[option, "behind a '='"])

    def test_wrong_names(self):
        self.refused("lwcc", "--lapwing-mpi=mpch", "x.o", says=["--lapwing-mpi=mpch", "did you mean mpich?"])
        self.refused("lwcc", "x.o", env={"LAPWING_MPI": "intel"}, says=["LAPWING_MPI is 'intel'", "mpich or openmpi"])
        (self.bin / "mycc").symlink_to("lwcc")
        self.refused("mycc", "x.o", says=["lwcc, lwc++ or lwfc", "'mycc'"])


@wanted("clang-19", "flang-new-19")
class WhichCompiler(WrapperTest):
    def test_by_default(self):
        for name, compiler in (("lwcc", "clang-19"), ("lwc++", "clang++-19"), ("lwfc", "flang-new-19")):
            for flavour in WITH_FORTRAN if name == "lwfc" else FLAVOURS:
                self.assertEqual(self.shown(f"{name}.{flavour}", "x.o")[1][0], compiler)

    def test_lapwing_cc_is_followed(self):
        clang = os.path.realpath(shutil.which("clang-19"))
        self.assertEqual(self.shown("lwcc.mpich", "x.o", env={"LAPWING_CC": clang})[1][0], clang)
        env = {"LAPWING_CC": "env A=b clang-19"}
        self.assertEqual(self.shown("lwcc.mpich", "x.o", env=env)[1][:3], ["env", "A=b", "clang-19"])
        flang = os.path.realpath(shutil.which("flang-new-19"))
        self.assertEqual(self.shown("lwfc.openmpi", "x.o", env={"LAPWING_FC": flang})[1][0], flang)

    def test_lapwing_cc_that_is_no_clang_19(self):
        self.refused("lwcc.mpich", "x.o", env={"LAPWING_CC": "gcc"}, says=["LAPWING_CC is 'gcc'", "clang 19"])
        self.refused("lwcc.mpich", "x.o", env={"LAPWING_CC": "nowhere"}, says="LAPWING_CC is 'nowhere'")
        self.refused("lwfc.mpich", "x.o", env={"LAPWING_FC": "clang-19"}, says="not flang 19")

    def test_overrides_of_the_mpis_are_reported(self):
        for name, variable in (("lwcc.mpich", "MPICH_CC"), ("lwcc.openmpi", "OMPI_CC"),
                               ("lwc++.mpich", "MPICH_CXX"), ("lwc++.openmpi", "OMPI_CXX"),
                               ("lwfc.mpich", "MPICH_FC"), ("lwfc.openmpi", "OMPI_FC")):
            plain = self.shown(name, "x.o")[1]
            result = self.call(name, "--lapwing-show", "x.o", env={variable: "icc -fast"})
            self.assertEqual(result.stdout.split(), plain)
            self.assertEqual(result.stderr.count("\n"), 1)
            self.assertIn(f"{variable} names icc -fast, which is not followed", result.stderr)

    def test_overrides_that_can_be_followed(self):
        clang = os.path.realpath(shutil.which("clang-19"))
        self.assertEqual(self.shown("lwcc.openmpi", "x.o", env={"OMPI_CC": clang})[1][0], clang)
        self.assertEqual(self.shown("lwcc.mpich", "x.o", env={"MPICH_CC": clang})[1][0], clang)
        # The other MPI's variable is no business of this one's.
        self.assertEqual(self.shown("lwcc.mpich", "x.o", env={"OMPI_CC": "icc"})[1][0], "clang-19")
        # mpicc told to run the wrapper.
        env = {"OMPI_CC": self.bin / "lwcc"}
        self.assertEqual(self.shown("lwcc.openmpi", "x.o", env=env)[1][0], "clang-19")

    def test_override_by_option(self):
        result = self.call("lwcc.mpich", "--lapwing-show", "-cc=icc", "x.o")
        self.assertIn("names icc, which is not followed", result.stderr)
        self.assertNotIn("-cc=icc", result.stdout)

    def test_flags_in_variables(self):
        env = {"OMPI_CFLAGS": "-O2 -fno-strict-aliasing", "OMPI_LIBS": "-lmpi -lextra"}
        options, words = self.shown("lwcc.openmpi", "x.c", env=env)
        self.assertEqual(options, "mode=aggressive")
        for word in ("-O2", "-fno-strict-aliasing", "-lextra"):
            self.assertIn(word, words)

    @needs("mpich")
    def test_no_compiler(self):
        folder = self.folder / "path"
        folder.mkdir()
        for program in ("mpicc.mpich", "bash", "expr"):
            (folder / program).symlink_to(shutil.which(program))
        self.refused("lwcc.mpich", "x.c", env={"PATH": folder}, status=127, says=["no clang 19 on PATH", "LAPWING_CC"])

    @needs("mpich", "openmpi")
    def test_the_mpi_is_asked_once(self):
        """Half of the wrapper's own time is that one question."""
        count = self.folder / "count"
        folder = self.program("mpicc", f'echo asked >>{count}\nexec mpicc.mpich "$@"\n')
        env = {"PATH": f"{folder}:{os.environ['PATH']}"}
        (folder / "mpicc.mpich").symlink_to(shutil.which("mpicc.mpich"))
        self.shown("lwcc.mpich", "-O2", "x.c", "y.o", env={**env, "LAPWING_MPI": "openmpi"})
        count.unlink(missing_ok=True)
        (folder / "mpicc").rename(folder / "mpicc.mpich.real")
        (folder / "mpicc").symlink_to("mpicc.mpich.real")
        self.shown("lwcc.mpich", "-O2", "x.c", "y.o", env=env)
        self.assertEqual(count.read_text().split(), ["asked"])


if __name__ == "__main__":
    unittest.main()
