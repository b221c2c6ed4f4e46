# SPDX-License-Identifier: Apache-2.0
"""Calls through pointers part processes, and messages on request; what can never go on in run mode is reported, with
status 86.

    test_pointers.py BUILD FLAVOUR -- MPIEXEC...
"""
import concurrent.futures
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
from mpis import in_turn, without_noise  # noqa: E402

BUILD, FLAVOUR, MPIEXEC = pathlib.Path(sys.argv[1]), sys.argv[2], sys.argv[4:]
HERE = pathlib.Path(__file__).resolve().parent
FOLDER = tempfile.TemporaryDirectory(prefix="lapwing-pointers-")
FOUND = 86


def tool(*words):
    subprocess.run([str(w) for w in words], check=True, capture_output=True, text=True)


def run(program, ranks, *words, **environment):
    command = ["timeout", "-k", "5", "60", *MPIEXEC, "-n", str(ranks), program, *map(str, words)]
    return subprocess.run(command, capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL,
                          env={**os.environ, **environment})


class Pointers(unittest.TestCase):
    def test_targets_that_differ_part_processes(self):
        for level in ("-O0", "-O2"):
            program = pathlib.Path(FOLDER.name) / f"pointers{level}"
            tool(BUILD / "bin" / f"lwc++.{FLAVOUR}", "--sets=run", "-g", level, HERE / "pointers.cpp", "-o", program)
            for ranks in (2, 5):
                done = run(program, ranks)
                self.assertEqual((done.returncode, done.stdout), (0, "right\n"), done.stderr)
        # Without sets the first virtual call differs, and check mode says so and where they parted.
        done = run(program, 2, LAPWING_SETS="check")
        self.assertEqual(done.returncode, FOUND, done.stderr)
        self.assertRegex(done.stderr, r"They parted at pointers\.cpp:\d+: .*rank 0 called .*Adds::step.*"
                                      r"rank 1 called .*Maximises::step")

    def test_messages_part_processes_on_request(self):
        for level in ("-O0", "-O2"):
            for sets in ("run", "run,p2p"):
                program = pathlib.Path(FOLDER.name) / f"messages{level}{sets}"
                tool(BUILD / "bin" / f"lwcc.{FLAVOUR}", f"--sets={sets}", "-g", level, "-I", HERE.parents[1] / "include",
                     HERE / "messages.c", "-o", program)
                for ranks in (1, 2, 3, 8):
                    done = run(program, ranks)
                    self.assertEqual((done.returncode, without_noise(done.stderr)), (0, ""), done.stdout)
                    text, _, splits = done.stdout.partition(", ")
                    self.assertEqual(text, f"sum {ranks * (ranks + 1) // 2}")
                    least, most = (int(word) for word in splits.split() if word.isdigit())
                    steps = (ranks - 1).bit_length()
                    if sets == "run":
                        self.assertEqual((least, most), (0, 0))
                    else:
                        # All vote once a step, and those that do not send about what they do then.
                        self.assertTrue(steps <= least <= most <= 3 * steps, done.stdout)

    def test_what_waits_for_ever_is_reported(self):
        program, library = pathlib.Path(FOLDER.name) / "stuck", pathlib.Path(FOLDER.name) / "library.o"
        tool(f"mpicc.{FLAVOUR}", "-g", "-c", HERE / "stuck_library.c", "-o", library)
        tool(BUILD / "bin" / f"lwcc.{FLAVOUR}", "--sets=run", "-g", HERE / "stuck.c", library, "-o", program)
        for case, words in ((0, (r"do not make the same call", r"rank 0: MPI_Barrier at stuck_library\.c:8 on MPI_COMM_WORLD",
                                 r"ranks 1-2: MPI_Allreduce at stuck_library\.c:7")),
                            (1, (r"have come to the end", r"ranks 1-2: MPI_Barrier at stuck_library\.c:9",
                                 r"rank 0: MPI_Comm_free at stuck\.c:\d+|rank 0: MPI_Finalize")),
                            (2, (r"never go on|for ever", r"rank 0: MPI_Barrier at stuck\.c:\d+ waits for votes",
                                 r"ranks 1-2: MPI_Barrier at stuck_library\.c:9"))):
            done = run(program, 3, case)
            self.assertEqual(done.returncode, FOUND, f"case {case}: {done.stdout}{done.stderr}")
            for word in words:
                self.assertRegex(done.stderr, word, f"case {case}")
            self.assertEqual(done.stderr.count("lapwing:"), 1, done.stderr)
        done = run(program, 3, 3)
        self.assertEqual((done.returncode, done.stderr), (0, ""))

    def test_waits_of_other_kinds_are_reported(self):
        program = pathlib.Path(FOLDER.name) / "others"
        # Without splits: all calls are those of the whole communicator, as in a library.
        tool(f"mpicc.{FLAVOUR}", "-g", "-c", HERE / "stuck_others.c", "-o", f"{program}.o")
        tool(BUILD / "bin" / f"lwcc.{FLAVOUR}", "--sets=run", f"{program}.o", "-o", program)
        cases = (("request", r"MPI_Ibarrier at stuck_others\.c:\d+ on MPI_COMM_WORLD"),
                 ("test", r"MPI_Ibarrier at stuck_others\.c:\d+ on MPI_COMM_WORLD"),
                 ("scan", r"MPI_(Scan|Barrier) at stuck_others\.c:\d+ on MPI_COMM_WORLD"),
                 ("create", r"MPI_Comm_create at stuck_others\.c:\d+ on MPI_COMM_WORLD"),
                 ("window", r"MPI_Win_create at stuck_others\.c:\d+ on MPI_COMM_WORLD"),
                 ("fence", r"MPI_Win_fence at stuck_others\.c:\d+ on a window of "),
                 ("file", r"MPI_File_open at stuck_others\.c:\d+ on MPI_COMM_WORLD"),
                 ("receive", r"MPI_Recv from rank 2 with tag 3 at stuck_others\.c:\d+"),
                 ("any", r"MPI_Recv from any rank with tag 3 at stuck_others\.c:\d+"),
                 ("probe", r"MPI_Probe from rank 2 with any tag at stuck_others\.c:\d+"),
                 ("matched", r"MPI_Mprobe from rank 2 with tag 3 at stuck_others\.c:\d+"),
                 ("exchange", r"MPI_Sendrecv from rank 2 with tag 3 at stuck_others\.c:\d+"),
                 ("posted", r"MPI_Irecv from rank 2 with tag 3 at stuck_others\.c:\d+"),
                 ("posted any", r"MPI_Irecv from any rank with any tag at stuck_others\.c:\d+"),
                 ("waitany", r"MPI_Irecv from rank 2 with tag 3 at stuck_others\.c:\d+"),
                 ("waitsome", r"MPI_Irecv from rank 2 with tag 3 at stuck_others\.c:\d+"),
                 ("persistent", r"MPI_Recv_init from rank \d with tag 3 at stuck_others\.c:\d+"),
                 ("ssend", r"MPI_Ssend to rank 2 with tag 3 at stuck_others\.c:\d+"),
                 ("issend", r"MPI_Issend to rank 2 with tag 3 at stuck_others\.c:\d+"),
                 ("issend any", r"MPI_Issend to rank 2 with tag 3 at stuck_others\.c:\d+"),
                 ("ssend started", r"MPI_Ssend_init to rank 2 with tag 70000 at stuck_others\.c:\d+"))
        cases = [case for index, case in enumerate(cases) if in_turn(index, FLAVOUR)]
        # Most of the time each job only waits until it is clear that it waits for ever, and the right ones sleep.
        jobs = [("right", ranks) for ranks in (2, 3)] + [("circle", ranks) for ranks in (2, 3)]
        jobs += [(case, 3) for case, _ in cases]
        with concurrent.futures.ThreadPoolExecutor(4) as pool:
            ends = dict(zip(jobs, pool.map(lambda job: run(program, job[1], job[0], LAPWING_SETS="run"), jobs)))
        for case, call in cases:
            done = ends[case, 3]
            self.assertEqual(done.returncode, FOUND, f"{case}: {done.stdout}{done.stderr}")
            self.assertRegex(done.stderr, r"have come to the end", case)
            self.assertRegex(done.stderr, r"ranks? 0(-1)?: " + call, case)
            self.assertRegex(done.stderr, r"rank 2: MPI_Finalize", case)
        for ranks in (2, 3):
            done = ends["circle", ranks]
            self.assertEqual(done.returncode, FOUND, f"circle: {done.stdout}{done.stderr}")
            self.assertRegex(done.stderr, r"wait for each other and can never go on")
            self.assertRegex(done.stderr, r"rank 0: MPI_Ssend to rank 1 with tag 0 at stuck_others\.c:\d+")
            done = ends["right", ranks]
            self.assertEqual((done.returncode, done.stdout, without_noise(done.stderr)), (0, "right\n", ""))


if __name__ == "__main__":
    try:
        unittest.main(argv=[sys.argv[0], "-q"])
    finally:
        FOLDER.cleanup()
