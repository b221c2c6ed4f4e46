# SPDX-License-Identifier: Apache-2.0
"""-flapwing=verify finds each mistake that is planted in the pass and changes a result, and nothing where there is none."""
import concurrent.futures
import pathlib
import re
import signal
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent / "support"), str(HERE.parents[1] / "support")]

from compiled import ProgramTest, main, way
from mpis import in_turn

STATUS = 87
# The mistake that is planted, and the call whose wait it moves too far.
FAULTS = {"writes": "MPI_Send", "reads": "MPI_Recv", "overwrites": "MPI_Recv", "blocks": "MPI_Recv", "calls": "MPI_Recv",
          "aliases": "MPI_Recv", "sizes": "MPI_Recv", "exchanged": "MPI_Recv", "place": "MPI_Recv", "climb": "MPI_Send"}


class Verify(ProgramTest):
    folder = HERE

    def ways(self, source, *ways):
        return self.each_way(self.mpi, [source], *(way("-O2", *words, fault=fault) for words, fault in ways))

    def lines_with(self, source, name):
        """The lines of an access, by its name in a comment."""
        text = (HERE / source).read_text().splitlines()
        return {number for number, line in enumerate(text, 1) if re.search(rf"(/\*|//|!)[\w ]*\b{name}\b", line)}

    def sentence(self, ran):
        # Open MPI 4.1's mpiexec may crash as it ends, when a rank has aborted: the sentence has been said by then.
        if ran.returncode != -signal.SIGSEGV or "PMIx_server_finalize" not in ran.stderr:
            self.assertEqual(ran.returncode, STATUS, ran.stdout + ran.stderr)
        said = re.findall(r"^lapwing: rank (\d): (.*)$", ran.stderr, re.M)
        self.assertEqual(len(said), 1, ran.stderr)
        return said[0]

    def found(self, source, fault, call, *words):
        plain, verified, wrong, wrong_verified = self.ways(
            source, way(*words, "--lapwing-off"), way(*words, "-flapwing=verify"), way(*words, fault=fault),
            way(*words, "-flapwing=verify", fault=fault))
        # Each mostly sleeps, until a message comes late.
        with concurrent.futures.ThreadPoolExecutor(3) as pool:
            reported = pool.submit(self.start, self.mpi, wrong_verified)
            expected, same = pool.map(lambda program: self.output(self.mpi, program), (plain, verified))
        self.assertEqual(same, expected)
        if self.mpi == "mpich":
            # Only while the message is late: a busy machine may let it come in time now and then.
            results = (self.output(self.mpi, wrong) for _ in range(5))
            self.assertTrue(any(result != expected for result in results), "this mistake changes nothing")
        rank, said = self.sentence(reported.result())
        self.assertEqual(rank, "0" if call == "MPI_Send" else "1")
        verb = "writes to what" if call == "MPI_Send" else "touches what"
        told = re.match(rf"(\S+):(\d+) {verb} {call} at \S+:\d+ (sends|receives), before its wait at \S+:\d+", said)
        self.assertTrue(told, said)
        self.assertIn(int(told[2]), self.lines_with(source, fault), said)

    def every(self):
        for index, (fault, call) in enumerate(FAULTS.items()):
            if not in_turn(index, self.mpi):
                continue
            with self.subTest(fault=fault, mpi=self.mpi):
                self.found("cases.c", fault, call, f"-DCASE_{fault}")
        for index, part in enumerate((self.requests_and_few_bytes, self.status_and_twins, self.fortran, self.first_calls,
                                      self.threads_and_plus)):
            if in_turn(index, self.mpi):
                with self.subTest(part.__doc__, mpi=self.mpi):
                    part()

    def requests_and_few_bytes(self):
        """A wait of the program's, and a few bytes."""
        requests, few = self.ways("cases.c", way("-DCASE_requests", "-flapwing=verify", fault="reads"),
                                  way("-DCASE_few", "-flapwing=verify", fault="writes"))
        rank, said = self.sentence(self.start(self.mpi, requests))
        self.assertTrue(rank == "1" and "touches what MPI_Irecv at cases.c:" in said, said)
        _, said = self.sentence(self.start(self.mpi, few))
        self.assertIn("what MPI_Send at cases.c:", said)
        self.assertIn("was written to before its wait at cases.c:", said)
        self.assertIn("byte 200 of 400", said)

    def status_and_twins(self):
        """The status, and two requests with one handle."""
        verify = ["-DCASE_status", "-flapwing=verify"]
        right, wrong, twins = self.ways("cases.c", way(*verify), way(*verify, fault="status"),
                                        way("-DCASE_twins", "-flapwing=verify"))
        self.assertEqual(self.output(self.mpi, right).split()[0], "5")
        self.assertNotEqual(self.output(self.mpi, wrong).split()[0], "5")
        self.assertEqual(self.output(self.mpi, twins), "50 50\n")

    def fortran(self):
        """Fortran."""
        self.found("reads.f90", "reads", "MPI_Recv")

    def first_calls(self):
        """The first call of each MPI routine."""
        plain, verified, shown = self.ways("first_calls.f90", way("--lapwing-off"), way("-flapwing=verify"),
                                           way("-g", "-Rpass=lapwing"))
        self.assertEqual(self.output(self.mpi, verified), self.output(self.mpi, plain))
        self.assertIn("MPI_Wait at first_calls.f90", shown.said)

    def threads_and_plus(self):
        """Threads and C++."""
        self.found("reads.cpp", "reads", "MPI_Recv", "-pthread")

    def test_mpich(self):
        self.mpi = "mpich"
        self.every()

    def test_openmpi(self):
        self.mpi = "openmpi"
        self.every()


if __name__ == "__main__":
    main()
