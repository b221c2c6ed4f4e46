# SPDX-License-Identifier: Apache-2.0
"""The examples of the checker run as they are, and `lapwing check` names what is wrong with each, with its line, warns
of it or ends the job, as it was told.

    test_check.py BUILD FLAVOUR PYTHON -- MPIEXEC...        PYTHON may be empty
"""
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
from mpis import in_turn  # noqa: E402

BUILD, FLAVOUR, PYTHON, MPIEXEC = pathlib.Path(sys.argv[1]), sys.argv[2], sys.argv[3], sys.argv[5:]
EXAMPLES = pathlib.Path(__file__).resolve().parents[2] / "examples" / "check"
FOLDER = pathlib.Path(tempfile.mkdtemp(prefix="lapwing-check-examples-"))
COMPILERS = {"c": f"mpicc.{FLAVOUR}", "f90": f"mpifort.{FLAVOUR}"}
FOUND = 86


def languages():
    return [language for language, compiler in COMPILERS.items() if shutil.which(compiler)] + (["py"] if PYTHON else [])


def command(name, language):
    source = EXAMPLES / f"{name}.{language}"
    if language == "py":
        return [PYTHON, "-B", source]
    program = FOLDER / f"{name}_{language}"
    if not program.exists():
        subprocess.run([COMPILERS[language], "-g", source, "-o", program], check=True, stdout=subprocess.DEVNULL)
    return [program]


def run(name, language, *words, options=None, ranks=2):
    """Under the checker where options are given, plainly else."""
    before = [] if options is None else [BUILD / "bin" / "lapwing", "check", *options, "--"]
    done = subprocess.run(["timeout", "-k", "5", "60", *before, *MPIEXEC, "-n", str(ranks), *command(name, language), *words],
                          capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL)
    return done.returncode, done.stdout, done.stderr


def line_of(name, language, text):
    """Where the source has it; mpi4py's calls have places in its library."""
    if language == "py":
        return r"MPI\.\S+"
    lines = (EXAMPLES / f"{name}.{language}").read_text().splitlines()
    return rf"{name}\.{language}:{1 + next(i for i, line in enumerate(lines) if text in line)}\b"


class Examples(unittest.TestCase):
    def found(self, done, *patterns, status=FOUND):
        self.assertEqual(done[0], status, done)
        for pattern in patterns:
            self.assertRegex(done[2], pattern)

    def each(self, visit):
        """C and Fortran under the MPIs in turn, Python under its own."""
        for index, language in enumerate(languages()):
            if language == "py" or in_turn(index, FLAVOUR):
                with self.subTest(language=language):
                    visit(language)

    def test_too_few_processes(self):
        def visit(language):
            for name in ("head_to_head", "buffers"):
                status, said, error = run(name, language, ranks=1)
                self.assertNotEqual(status, 0)
                self.assertEqual(said, "")
                self.assertIn(f"usage: mpiexec -n 2 {name}", error)
        self.each(visit)

    def test_leaks(self):
        def visit(language):
            made = (rf"MPI_Comm_split made 3 communicators at {line_of('leaks', language, 'omm_split')}",
                    rf"MPI_Type_vector made a datatype at {line_of('leaks', language, 'MPI_Type_vector')}")
            self.assertEqual(run("leaks", language)[:2], (0, "leaks: sum 0\n"))
            done = run("leaks", language, options=())
            self.found(done, *made, status=0)
            self.assertEqual(done[1], "leaks: sum 0\n")
            self.found(run("leaks", language, options=("--leaks=error",)), *made)
            if language != "py":  # with its threads only collective calls and handles are followed
                self.found(run("leaks", language, "request", options=("--leaks=off",)), "a request that it has not completed",
                           rf"MPI_Irecv from any rank, tag 7.* at {line_of('leaks', language, 'MPI_Irecv')}")
        self.each(visit)

    def test_head_to_head(self):
        def visit(language):
            sends = ("would wait for each other if MPI did not buffer",
                     rf"rank 0: MPI_Send .* at {line_of('head_to_head', language, 'MPI_Send(')}",
                     rf"rank 1: MPI_Send .* at {line_of('head_to_head', language, 'MPI_Send(')}")
            plain = "head_to_head: 100 numbers from rank 1, the first is 1\n"
            done = run("head_to_head", language, options=())
            self.found(done, *sends, status=0)
            self.assertEqual(done[1], plain)
            self.found(run("head_to_head", language, ranks=3, options=("--sends=error",)), *sends)
            done = run("head_to_head", language, options=("--sends=off",))
            self.assertEqual(done[:2], (0, plain))
            self.assertNotIn("lapwing:", done[2])
        self.each(visit)

    def test_buffers(self):
        def visit(language):
            place = r"_multiarray\S+" if language == "py" else line_of("buffers", language, "= 0; /*" if language == "c" else "= 0  !")
            self.found(run("buffers", language, "write", options=("--buffers",)),
                       rf"rank 1 writes to memory that an operation in flight sends, at {place}")
            self.assertEqual(run("buffers", language, options=("--buffers",))[:2], (0, "buffers: in the middle is 10000\n"))
            if language != "py":  # not watched: limitations.md
                self.found(run("buffers", language, "read", options=("--buffers",)),
                           rf"rank 0 uses memory that an operation in flight receives, at {line_of('buffers', language, 'seen = received')}")
        self.each(visit)


if __name__ == "__main__":
    try:
        unittest.main(argv=[sys.argv[0], "-q"])
    finally:
        shutil.rmtree(FOLDER, ignore_errors=True)
