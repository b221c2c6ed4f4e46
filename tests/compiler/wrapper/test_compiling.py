# SPDX-License-Identifier: Apache-2.0
"""Steps that stop before a program: what comes out, what the exit status is,
and that a compile goes through stdin and through signals unchanged."""
import os
import shutil
import signal
import subprocess
import unittest

from support import FLAVOURS, WrapperTest, needs, wanted


@wanted("clang-19", "flang-new-19")
class Stages(WrapperTest):
    def silent(self, name, *arguments, **how):
        result = self.call(name, *arguments, **how)
        self.assertEqual(result.stderr, "")
        return result.stdout

    def test_preprocess_assemble_depend(self):
        for flavour in FLAVOURS:
            source = self.sources("lwcc")
            wrapper = f"lwcc.{flavour}"
            self.assertIn("MPI_Allreduce", self.silent(wrapper, "-O2", "-E", source))
            self.silent(wrapper, "-O2", "-S", source)
            self.assertIn("MPI_Init", (self.work / "plain.s").read_text())
            depends = self.silent(wrapper, "-M", source)
            self.assertTrue(depends.startswith("plain.o:") and "mpi.h" in depends)
            self.silent(wrapper, "-O2", "-MD", "-MF", "x.d", "-c", source, "-o", "x.o")
            self.assertIn("mpi.h", (self.work / "x.d").read_text())
            self.silent(wrapper, "-c", self.work / "plain.s", "-o", "y.o")
            self.assertEqual([who for who, options in self.loaded()], ["clang", "clang"])

    def test_an_mpi_that_names_pthread_for_every_step(self):
        """As Open MPI 5 does; clang warns of it where nothing is compiled or linked."""
        self.write("part.s", 'part:\n.section .note.GNU-stack,"",@progbits\n')
        self.write("other.c", "int other(void) { return _REENTRANT; }\n")
        for flavour in FLAVOURS:
            real = shutil.which(f"mpicc.{flavour}")
            for name in ("mpicc", f"mpicc.{flavour}"):
                folder = self.program(name, f'{real} "$@" | sed "s/$/ -pthread/"\n', folder=flavour)
            env = {"PATH": f"{folder}:{os.environ['PATH']}"}
            for arguments in (["-c", "part.s"], ["-c", "other.c"], ["-r", "other.o", "part.o", "-o", "both.o"],
                              ["-E", "other.c"]):
                self.silent(f"lwcc.{flavour}", *arguments, env=env)

    def test_stdin(self):
        for flavour in FLAVOURS:
            self.silent(f"lwcc.{flavour}", "-O2", "-x", "c", "-", "-c", "-o", "in.o", stdin="int in(void) { return 7; }\n")
            self.assertIn(" in\n", subprocess.run(["nm", "in.o"], cwd=self.work, capture_output=True, text=True,
                                                  check=True).stdout)
            self.assertEqual(len(self.loaded()), 1)
        # A program from stdin, with what -x says ending before the libraries.
        self.silent("lwcc.mpich", "-O2", "-x", "c", "-", "-o", "in", stdin="#include <mpi.h>\nint main(void) "
                    "{ return MPI_Init(0, 0) || MPI_Finalize(); }\n")
        self.run_ranks("mpich", "./in", ranks=1)

    def test_statuses(self):
        self.write("bad.c", "int f( {\n")
        self.write("bad.f90", "program p\n oh no\nend\n")
        self.write("half.c", "void nowhere(void);\nint main(void) { nowhere(); }\n")
        for flavour in FLAVOURS:
            for name, arguments in (("lwcc", ["-O2", "-c", "bad.c"]), ("lwfc", ["-c", "bad.f90"]),
                                    ("lwcc", ["half.c"]), ("lwcc", ["gone.c"]), ("lwcc", [])):
                plain = "clang-19" if name == "lwcc" else "flang-new-19"
                expected = subprocess.run([plain, *arguments], cwd=self.work, capture_output=True, check=False,
                                          stdin=subprocess.DEVNULL).returncode
                self.assertNotEqual(expected, 0)
                self.call(f"{name}.{flavour}", *arguments, status=expected)

    def test_other_statuses_and_signals(self):
        says = 'case "$*" in *--version*) echo clang version 19.1; exit 0;; esac\n'
        folder = self.program("exits", says + "exit 42\n")
        self.program("dies", says + "kill -SEGV $$\n")
        for flavour in FLAVOURS:
            self.call(f"lwcc.{flavour}", "-c", "a.c", env={"LAPWING_CC": folder / "exits"}, status=42)
            self.call(f"lwcc.{flavour}", "-c", "a.c", env={"LAPWING_CC": folder / "dies"}, status=-signal.SIGSEGV)

    @needs("mpich")
    def test_it_becomes_the_compiler(self):
        """No process stays between the caller and the compiler, so signals reach it."""
        folder = self.program("stays", 'case "$*" in *--version*) echo clang version 19.1; exit 0;; esac\necho $$\n')
        process = subprocess.Popen([self.bin / "lwcc.mpich", "-c", "a.c"], stdout=subprocess.PIPE, text=True,
                                   env=self.environment(LAPWING_CC=folder / "stays"))
        out, _ = process.communicate(timeout=60)
        self.assertEqual(int(out), process.pid)

    @wanted("ccache")
    def test_ccache_sees_the_plugin_and_its_options(self):
        source = self.write("cached.c", "int cached(void) { return 1; }\n")
        env = {"LAPWING_CC": "ccache clang-19", "CCACHE_DIR": self.folder / "ccache", "CCACHE_NODIRECT": 1}

        def compiles(*arguments):
            self.call("lwcc.mpich", "-O2", "-c", source, *arguments, env=env)
            return len(self.loaded())

        self.assertEqual([compiles(), compiles()], [1, 0])
        self.assertEqual([compiles("-flapwing=report"), compiles("-flapwing=report")], [1, 0])
        with open(self.lib / "LapwingPass.so", "ab") as plugin:
            plugin.write(b"newer")
        self.assertEqual([compiles(), compiles()], [1, 0])

    def test_echoes(self):
        source = self.sources("lwcc")
        result = self.call("lwcc.mpich", "-O2", "--lapwing-verbose", "-c", source)
        self.assertEqual(result.stderr.splitlines(),
                         self.call("lwcc.mpich", "-O2", "--lapwing-show", "-c", source).stdout.splitlines())
        self.assertEqual(len(self.loaded()), 1)
        os.unlink(self.work / "plain.o")
        result = self.call("lwcc.mpich", "-O2", "-###", "-c", source)
        self.assertTrue(result.stderr.startswith("LAPWING_PASS=mode=aggressive clang-19"))
        self.assertIn('"-cc1"', result.stderr)
        self.assertFalse((self.work / "plain.o").exists())


if __name__ == "__main__":
    unittest.main()
