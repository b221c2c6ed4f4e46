# SPDX-License-Identifier: Apache-2.0
"""What goes wrong around a program, or in it, goes as it would without Lapwing, with a clear sentence."""
import os
import pathlib
import re
import shutil
import subprocess
import unittest

import running

ON = {**running.MODES["on"], "LAPWING_VERBOSE": "1"}


def checksums(text):
    return sorted(re.findall(r"checksum [0-9a-f]+", text))


class BadInput(running.ProgramTest):
    plain = {}  # by MPI, the checksums of the plain run of the exchange, which never vary

    def cases(self, mpi, *words, lapwing=None, limit=120, ranks=2):
        return self.mpirun(mpi, [running.program(mpi, "programs_cases"), *words], lapwing, ranks, limit)

    def right(self, mpi, ran, what):
        self.succeeds(ran, what)
        if mpi not in self.plain:
            self.plain[mpi] = checksums(self.cases(mpi, "exchange").out)
        self.assertTrue(self.plain[mpi])
        self.assertEqual(checksums(ran.out), self.plain[mpi], ran.both())

    @running.for_each_mpi
    def test_a_rank_without_the_preload(self, mpi):
        path = running.program(mpi, "programs_cases")
        assigned = [f"{k}={v}" for k, v in {**ON, "LD_PRELOAD": str(running.PRELOAD)}.items()]
        for first in (True, False):
            with_it = ["-n", "1", "env", *assigned, path, "exchange"]
            without = ["-n", "1", path, "exchange"]
            words = [*with_it, ":", *without] if first else [*without, ":", *with_it]
            ran = running.run([*running.MPIEXEC[mpi], *words], running.environment(), self.directory)
            self.right(mpi, ran, "a job in which one rank lacks the preload")
            self.assertRegex(ran.err, "(?i)lapwing.*", "not a word about it")
            self.assertRegex(ran.err, r"(?i)\branks?\b|process", ran.err)

    @running.for_each_mpi
    def test_truncation(self, mpi):
        plain, ran = (self.cases(mpi, "truncated", lapwing=lapwing) for lapwing in (None, running.MODES["on"]))
        self.succeeds(plain, "the plain run")
        self.succeeds(ran, "with Lapwing")
        self.assertEqual(sorted(plain.out.splitlines()), sorted(ran.out.splitlines()))
        self.assertEqual(ran.out.count(": truncated"), 6)

    @running.for_each_mpi
    def test_killed_in_mid_transfer(self, mpi):
        for case in ("kill-sender", "kill-receiver"):
            ran = self.cases(mpi, case, lapwing=running.MODES["on"], limit=60)
            self.assertIsNotNone(ran.status, f"{case}: the other rank hangs\n{ran.both()}")
            self.assertNotEqual(ran.status, 0, case)

    @running.in_turns(0)
    def test_own_fault_handlers(self, mpi):
        plain = self.cases(mpi, "handlers")
        self.succeeds(plain, "the plain run")
        for guard in ("userfaultfd", "mprotect"):
            with self.subTest(guard=guard):
                ran = self.cases(mpi, "handlers", lapwing={**running.MODES["on"], "LAPWING_GUARD": guard})
                self.succeeds(ran, guard)
                self.assertEqual(plain.out, ran.out)

    @running.for_each_mpi
    def test_a_crash_is_a_crash(self, mpi):
        plain, ran = (self.cases(mpi, "crash", lapwing=lapwing, limit=60) for lapwing in (None, running.MODES["on"]))
        self.assertIsNotNone(ran.status, "a crashed program hangs\n" + ran.both())
        self.assertEqual(plain.status, ran.status)

    @running.in_turns(1)
    def test_report_that_cannot_be_written(self, mpi):
        for place in ("/proc/no-such-directory/report", "/dev/full", "/proc/version"):
            ran = self.cases(mpi, "exchange", lapwing={**ON, "LAPWING_REPORT": place})
            self.right(mpi, ran, place)
            self.assertIn(place, ran.err, "no sentence names the file")

    @running.in_turns(2)
    def test_unknown_variable(self, mpi):
        ran = self.cases(mpi, "exchange", lapwing={**ON, "LAPWING_TRESHOLD_GUARD": "8K"})
        self.right(mpi, ran, "an unknown variable")
        self.assertIn("LAPWING_TRESHOLD_GUARD", ran.err)
        self.assertRegex(ran.err, r"\bLAPWING_THRESHOLD_GUARD\b", "the nearest name is not told")

    @running.in_turns(3)
    def test_values_that_are_none(self, mpi):
        for name, value in {"LAPWING_DEFER": "maybe", "LAPWING_GUARD": "castle", "LAPWING_WINDOW": "12Q",
                            "LAPWING_STAGING": "-5"}.items():
            with self.subTest(name=name):
                ran = self.cases(mpi, "exchange", lapwing={**ON, name: value})
                self.right(mpi, ran, name)
                self.assertIn(name, ran.err)
                self.assertIn(value, ran.err)

    @running.in_turns(4)
    def test_programs_without_mpi(self, mpi):
        ran = running.run(["bash", "-c", "echo $((6 * 7)) | cat"], running.environment(running.MODES["on"]))
        self.assertEqual((ran.status, ran.out, ran.err), (0, "42\n", ""))

    @unittest.skipUnless(os.geteuid() == 0 and shutil.which("setpriv"), "only root can give up its privileges")
    @running.in_turns(5)
    def test_without_privilege(self, mpi):
        home = self.directory
        home.chmod(0o777)
        become = ["setpriv", "--reuid", "65534", "--regid", "65534", "--clear-groups"]
        path = running.program(mpi, "programs_cases")
        seen = subprocess.run([*become, "test", "-x", str(path)], check=False)
        if seen.returncode != 0:
            self.skipTest(f"{path} cannot be read without privileges")
        for guard in ("auto", "userfaultfd", "mprotect"):
            env = running.environment({**ON, "LAPWING_GUARD": guard})
            env["HOME"] = env["TMPDIR"] = str(home)
            ran = running.run([*become, *running.MPIEXEC[mpi], "-n", "2", path, "exchange"], env, home)
            self.right(mpi, ran, f"without privilege, LAPWING_GUARD={guard}")


class Tools(running.ProgramTest):
    @unittest.skipUnless(shutil.which("gdb"), "the package gdb is not installed")
    @running.in_turns(6)
    def test_gdb(self, mpi):
        path = running.program(mpi, "programs_cases")
        debugger = ["gdb", "-batch", "-nx", "-ex", "handle SIGSEGV SIGBUS SIGSYS nostop noprint pass", "-ex", "break sum_of",
                    "-ex", "run", "-ex", "bt 3", "-ex", "delete", "-ex", "continue", "--args", path, "exchange"]
        plain = self.mpirun(mpi, [path, "exchange"])
        for guard in ("userfaultfd", "mprotect"):
            with self.subTest(guard=guard):
                # Preloaded into the program alone, as a user of gdb would do.
                settings = {**running.MODES["on"], "LAPWING_GUARD": guard}
                env = running.environment()
                env.update(settings)
                words = [*debugger[:3], "-ex", f"set environment LD_PRELOAD {running.PRELOAD}", *debugger[3:]]
                command = [*running.MPIEXEC[mpi], "-n", "1", *words, ":", "-n", "1", "env",
                           f"LD_PRELOAD={running.PRELOAD}", path, "exchange"]
                ran = running.run(command, env, self.directory, 120)
                self.assertIsNotNone(ran.status, "hangs under gdb\n" + ran.both()[-3000:])
                self.assertEqual(checksums(ran.out), checksums(plain.out), ran.both()[-3000:])
                self.assertIn("in sum_of", ran.out.replace("#0  sum_of", "#0  in sum_of"))
                self.assertIn("exited normally", ran.out)

    @running.in_turns(7)
    def test_address_sanitizer(self, mpi):
        path = running.program(mpi, "programs_cases_asan")
        if not path.exists():
            self.skipTest("no program was built with AddressSanitizer: the compiler has none")
        linked = subprocess.run(["ldd", str(path)], capture_output=True, text=True, check=True).stdout
        library = re.search(r"=> (\S*libasan\S*)", linked).group(1)
        plain = self.mpirun(mpi, [running.program(mpi, "programs_cases"), "exchange"])
        # hwloc loads drivers of OpenCL, and ASan of GCC 12 ends a program in C where a library throws that is loaded late.
        quiet = {"ASAN_OPTIONS": "detect_leaks=0", "HWLOC_COMPONENTS": "-opencl"}
        for guard in ("userfaultfd", "mprotect"):
            with self.subTest(guard=guard):
                env = running.environment({**running.MODES["on"], **quiet, "LAPWING_GUARD": guard},
                                          f"{library} {running.PRELOAD}")
                # Into the ranks alone: the launcher is no program of ASan's.
                preload = env.pop("LD_PRELOAD")
                words = ["env", f"LD_PRELOAD={preload}", path, "exchange"]
                ran = running.run([*running.MPIEXEC[mpi], "-n", "2", *words], env, self.directory, 200)
                self.succeeds(ran, "built with ASan")
                self.assertEqual(checksums(ran.out), checksums(plain.out))
        command = running.BUILD / "bin" / "lapwing"
        if command.exists():
            env = {**running.environment(), **quiet}
            ran = running.run([command, "run", "-n", "2", path, "exchange"], env, self.directory, 200)
            self.succeeds(ran, "built with ASan, by lapwing run")
            self.assertEqual(checksums(ran.out), checksums(plain.out))


if __name__ == "__main__":
    running.main()
