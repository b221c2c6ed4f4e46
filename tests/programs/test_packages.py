# SPDX-License-Identifier: Apache-2.0
"""Programs that Debian ships, as they are: valid results, the same as in a plain run."""
import pathlib
import re
import unittest

import running
from mpis import needs

HPCC = """HPLinpack benchmark input file
Innovative Computing Laboratory, University of Tennessee
HPL.out      output file name (if any)
8            device out (6=stdout,7=stderr,file)
1            # of problems sizes (N)
{n}          Ns
1            # of NBs
40           NBs
0            PMAP process mapping (0=Row-,1=Column-major)
1            # of process grids (P x Q)
1            Ps
2            Qs
16.0         threshold
1            # of panel fact
2            PFACTs (0=left, 1=Crout, 2=Right)
1            # of recursive stopping criterium
4            NBMINs (>= 1)
1            # of panels in recursion
2            NDIVs
1            # of recursive panel fact.
1            RFACTs (0=left, 1=Crout, 2=Right)
1            # of broadcast
1            BCASTs (0=1rg,1=1rM,2=2rg,3=2rM,4=Lng,5=LnM)
1            # of lookahead depth
1            DEPTHs (>=0)
2            SWAP (0=bin-exch,1=long,2=mix)
64           swapping threshold
0            L1 in (0=transposed,1=no-transposed) form
0            U  in (0=transposed,1=no-transposed) form
1            Equilibration (0=no,1=yes)
8            memory alignment in double (> 0)
##### This line (no. 32) is ignored (it serves as a separator). ######
0            Number of additional problem sizes for PTRANS
{n}          values of N
0            number of additional blocking sizes for PTRANS
40           values of NB
"""

MELT = """units lj
atom_style atomic
lattice fcc 0.8442
region box block 0 12 0 12 0 12
create_box 1 box
create_atoms 1 box
mass 1 1.0
velocity all create 1.44 87287 loop geom
pair_style lj/cut 2.5
pair_coeff 1 1 1.0 1.0 2.5
neighbor 0.3 bin
neigh_modify delay 0 every 20 check no
fix 1 all nve
thermo 10
run 60
"""

SCALAPACK = pathlib.Path("/usr/lib/x86_64-linux-gnu/scalapack")
HEAD = "'input file'\n'MPI machine'\n'{name}.out' output\n6 device out\n"
# Few large blocks: a driver that sends thousands of tiny messages takes minutes wherever the cores are shared.
DRIVERS = {
    "xdlu": ("LU", "2\n137 300 M\n300 210 N\n1\n24 NB\n1\n3 NRHS\n1\n5 NBRHS\n1\n1 P\n2 Q\n1.0\nT\n"),
    "xdllt": ("LLT", "'U'\n2\n150 260 N\n1\n64 NB\n1\n3 NRHS\n1\n5 NBRHS\n1\n1 P\n2 Q\n3.0\nF\n"),
    "xzqr": ("QR", "2\n'QR' 'LQ'\n1\n201 M\n160 N\n1\n48 MB\n48 NB\n1\n2 P\n1 Q\n5.0\n"),
    "xdinv": ("INV", "1\n'GEN'\n1\n180 N\n1\n48 NB\n1\n1 P\n2 Q\n1.0\n"),
}


class Hpcc(running.ProgramTest):
    @needs("openmpi")
    @running.needs("/usr/bin/hpcc", "hpcc")
    def test_all_seven(self):
        (self.directory / "hpccinf.txt").write_text(HPCC.format(n=600))
        for mode, lapwing in {"off": None, **running.MODES}.items():
            with self.subTest(mode=mode):
                result = self.directory / "hpccoutf.txt"
                result.unlink(missing_ok=True)
                ran = self.mpirun("openmpi", ["/usr/bin/hpcc"], lapwing, limit=300)
                self.succeeds(ran, f"hpcc, {mode}")
                self.check(result.read_text())
                if mode == "on":
                    self.assertGreater(ran.deferred(), 0, "nothing was deferred, so nothing was tested")

    def check(self, text):
        values = dict(re.findall(r"^(\w+)=(.*)$", text, re.M))
        self.assertEqual(values.get("Success"), "1", text[-1500:])
        self.assertRegex(text, r"(?s)HPL.*?PASSED")
        self.assertNotIn("FAILED", re.sub(r"0 tests completed and failed", "", text))
        for name in ("PTRANS_residual", "MPIFFT_maxErr", "SingleFFT_maxErr", "StarFFT_maxErr"):
            if name in values and name.endswith(("residual", "maxErr")):
                self.assertLess(float(values[name]), 1.0, name)
        for name in ("PTRANS_GBs", "HPL_Tflops", "StarDGEMM_Gflops", "StarSTREAM_Triad", "MPIRandomAccess_GUPs",
                     "MPIFFT_Gflops", "MaxPingPongLatency_usec"):
            self.assertGreater(float(values.get(name, "0")), 0, f"{name}: the test did not run")
        for name in ("MPIRandomAccess_ErrorsFraction", "MPIRandomAccess_LCG_ErrorsFraction"):
            self.assertLessEqual(float(values.get(name, "0")), 0.01, name)


class Lammps(running.ProgramTest):
    @needs("openmpi")
    @running.needs("/usr/bin/lmp", "lammps")
    def test_melt(self):
        (self.directory / "in.melt").write_text(MELT)

        def thermo(text):  # the table of steps; times of the clock stand elsewhere
            kept = re.findall(r"^\s*\d+(?:\s+-?[\d.e+-]+){5}\s*$", text, re.M)
            return "\n".join(kept)
        self.same_output("openmpi", ["/usr/bin/lmp", "-in", "in.melt", "-log", "none"], keep=thermo, limit=200)


class NetPipe(running.ProgramTest):
    def pingpong(self, mpi, path):
        # -i checks every byte that came, instead of the clock.
        for mode, lapwing in {"off": None, **running.MODES}.items():
            with self.subTest(mode=mode):
                ran = self.mpirun(mpi, [path, "-i", "-u", "100000", "-n", "30", "-o", "np.out"], lapwing, limit=240)
                self.succeeds(ran, f"{path}, {mode}")
                self.assertNotRegex(ran.both(), "(?i)integrity check.*fail|error")

    @needs("openmpi")
    @running.needs("/usr/bin/NPopenmpi", "netpipe-openmpi")
    def test_openmpi(self):
        self.pingpong("openmpi", "/usr/bin/NPopenmpi")

    @needs("mpich")
    @running.needs("/usr/bin/NPmpich2", "netpipe-mpich2")
    def test_mpich(self):
        self.pingpong("mpich", "/usr/bin/NPmpich2")


class Scalapack(running.ProgramTest):
    @running.for_each_mpi
    def test_drivers(self, mpi):
        folder = SCALAPACK / f"{mpi}-tests"
        if not folder.exists():
            self.skipTest(f"{folder} is missing: the package scalapack-mpi-test is not installed")
        for driver, (name, lines) in DRIVERS.items():
            (self.directory / f"{name}.dat").write_text(HEAD.format(name=name) + lines)

            def results(text):  # without the columns of times
                tests = re.findall(r"^\s*\d+ tests completed.*$", text, re.M)
                return "\n".join(tests + re.findall(r"PASSED|FAILED", text))
            with self.subTest(mpi=mpi, driver=driver):
                self.same_output(mpi, [folder / driver], keep=results, must_defer=driver == "xdlu")


if __name__ == "__main__":
    running.main()
