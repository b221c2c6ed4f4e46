# SPDX-License-Identifier: Apache-2.0
"""Jobs under a real Slurm: results are those of plain runs, and transfers were deferred."""
import json
import os
import pathlib
import re
import subprocess
import unittest

import cluster

SOURCE = pathlib.Path(__file__).resolve().parents[2]
BUILD = pathlib.Path(os.environ["LAPWING_BUILD"])
LAPWING = BUILD / "bin" / "lapwing"
PRELOAD = BUILD / "lib" / "liblapwing-preload.so"
# Which --mpi= makes one job of the ranks, rather than many of one rank each, as Debian has built its MPIs.
PLUGIN = {"mpich": "pmi2", "openmpi": "pmix"}
MPIS = [mpi for mpi in PLUGIN if (BUILD / "libexec" / "lapwing" / mpi / "programs_cases").exists()]
ON = {"LAPWING_DEFER": "on", "LAPWING_THRESHOLD_GUARD": "12K"}
ACROSS = ["-N", "2", "-n", "2"]


def program(mpi):
    return [str(BUILD / "libexec" / "lapwing" / mpi / "programs_cases"), "exchange"]


def exported(**variables):
    return "--export=" + ",".join(["ALL", *(f"{name}={value}" for name, value in variables.items())])


def checksums(text):
    return sorted(re.findall(r"checksum [0-9a-f]+", text))


def for_each_mpi(test):
    """One subtest for each MPI whose ranks this Slurm can make one job."""
    def tests(self):
        for mpi in MPIS:
            with self.subTest(mpi):
                if PLUGIN[mpi] not in self.slurm.plugins():
                    self.skipTest(f"this Slurm has no --mpi={PLUGIN[mpi]}")
                test(self, mpi)
    return tests


@unittest.skipIf(cluster.missing(), f"not installed: {' '.join(cluster.missing())}")
class Slurm(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.slurm = cls.enterClassContext(cluster.Cluster())
        cls.plain = {}

    def run_job(self, words, limit=60, **variables):
        """What a command printed, and the report that rank 0 left, if it did."""
        report = self.slurm.folder / "report.jsonl"
        report.unlink(missing_ok=True)
        env = self.slurm.environment(OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1", **variables)
        try:
            ran = subprocess.run([str(word) for word in words], capture_output=True, text=True, timeout=limit, check=False,
                                 env=env, cwd=self.slurm.folder)
        except subprocess.TimeoutExpired as late:
            self.fail(f"{words} hangs:\n{late.stdout}\n{late.stderr}\n{self.slurm.logs()}")
        self.assertEqual(ran.returncode, 0, f"{words}:\n{ran.stdout}{ran.stderr}{self.slurm.logs()}")
        lines = report.read_text().splitlines() if report.exists() else []
        return ran, [json.loads(line) for line in lines if line.strip()]

    def plainly(self, mpi):
        """The checksums of a job without Lapwing."""
        if mpi not in self.plain:
            ran, _ = self.run_job(["srun", f"--mpi={PLUGIN[mpi]}", *ACROSS, *program(mpi)])
            self.plain[mpi] = checksums(ran.stdout)
            self.assertTrue(self.plain[mpi], ran.stdout)
        return self.plain[mpi]

    def hides(self, mpi, words, **variables):
        report = self.slurm.folder / "report.jsonl"
        ran, lines = self.run_job([word.replace("@report@", str(report)) for word in map(str, words)],
                                  **{name: value.replace("@report@", str(report)) for name, value in variables.items()})
        self.assertEqual(checksums(ran.stdout), self.plainly(mpi), ran.stdout + ran.stderr)
        deferred = sum(line.get("deferred", 0) + line.get("stripped", 0) for line in lines)
        self.assertGreater(deferred, 0, f"nothing was deferred:\n{ran.stdout}{ran.stderr}{lines}")
        return ran

    @for_each_mpi
    def test_the_readmes_line(self, mpi):
        """As it stands in the table; the cluster's default says which --mpi= it is."""
        line = re.search(r"^\| Slurm \| `(.*)` \|$", (SOURCE / "README.md").read_text(), re.M).group(1)
        words = [word.replace("$P", str(PRELOAD)) for word in line.split()]
        self.assertEqual(words.pop(), "./heat")
        self.hides(mpi, [*words, *program(mpi)], SLURM_MPI_TYPE=PLUGIN[mpi], SLURM_NNODES="2", LAPWING_REPORT="@report@",
                   **ON)

    @for_each_mpi
    def test_both_ranks_on_one_node(self, mpi):
        self.hides(mpi, ["srun", f"--mpi={PLUGIN[mpi]}", exported(LD_PRELOAD=PRELOAD, LAPWING_REPORT="@report@", **ON),
                         "-N", "1", "-n", "2", *program(mpi)])

    @for_each_mpi
    def test_lapwing_run_starts_srun(self, mpi):
        options = ["--defer", "on", "--threshold-guard", "12K", "--report", "@report@"]
        self.hides(mpi, [LAPWING, "run", *options, "--", "srun", f"--mpi={PLUGIN[mpi]}", *ACROSS, *program(mpi)])
        self.hides(mpi, [LAPWING, "run", *options, "--launcher", "srun", "-n", "2", *program(mpi)])

    @for_each_mpi
    def test_mpiexec_inside_an_allocation(self, mpi):
        launcher = [f"mpiexec.{mpi}", *(["--bind-to", "none"] if mpi == "openmpi" else [])]
        hand_on = (["-genvall"] if mpi == "mpich" else
                   [word for name in ("LD_PRELOAD", "LAPWING_REPORT", *ON) for word in ("-x", name)])
        self.hides(mpi, ["salloc", "-Q", *ACROSS, "env", f"LD_PRELOAD={PRELOAD}", "LAPWING_REPORT=@report@",
                         *(f"{k}={v}" for k, v in ON.items()), *launcher, *hand_on, "-n", "2", *program(mpi)])
        self.hides(mpi, ["salloc", "-Q", *ACROSS, LAPWING, "run", "--defer", "on", "--threshold-guard", "12K",
                         "--report", "@report@", "-n", "2", *program(mpi)])

    @for_each_mpi
    def test_a_rank_without_the_preload(self, mpi):
        """Each of the two in turn."""
        for absent in (0, 1):
            script = self.slurm.folder / "some.sh"
            script.write_text(f"#!/bin/sh\n[ $SLURM_PROCID = {absent} ] || export LD_PRELOAD={PRELOAD}\nexec \"$@\"\n")
            script.chmod(0o755)
            ran, _ = self.run_job(["srun", f"--mpi={PLUGIN[mpi]}", *ACROSS, script, *program(mpi)], **ON)
            self.assertEqual(checksums(ran.stdout), self.plainly(mpi), ran.stdout + ran.stderr)
            self.assertIn(f"rank {absent} of this job runs without Lapwing", ran.stderr)

    @for_each_mpi
    def test_ranks_that_do_not_find_each_other(self, mpi):
        """--mpi=none: each rank is a job of its own, or MPI refuses, with Lapwing as without."""
        words = ["--mpi=none", *ACROSS, BUILD / "tests" / "cli" / mpi / "probe", "env", "SLURM_NTASKS"]
        plain, ran = (subprocess.run(["srun", *more, *words], capture_output=True, text=True, timeout=60, check=False,
                                     env=self.slurm.environment())
                      for more in ([], [exported(LD_PRELOAD=PRELOAD, **ON)]))
        self.assertEqual((plain.returncode, sorted(plain.stdout.splitlines())),
                         (ran.returncode, sorted(ran.stdout.splitlines())), ran.stderr)

    def test_doctor_names_it(self):
        ran, _ = self.run_job([LAPWING, "doctor", "--json"])
        found = json.loads(ran.stdout)
        self.assertTrue(found["slurm"]["answers"], found["slurm"])
        self.assertIn("pmi2", found["slurm"]["mpi_plugins"])
        for mpi in found["mpis"]:
            self.assertEqual(mpi["slurm"]["plugin_there"],
                             mpi["slurm"]["plugin"] in found["slurm"]["mpi_plugins"], mpi)
            self.assertIn("srun" if mpi["slurm"]["plugin_there"] else "mpiexec", mpi["slurm"]["start"])

    def test_nothing_is_left(self):
        with cluster.Cluster() as other:
            folder = other.folder
        self.assertFalse(folder.exists())
        for entry in pathlib.Path("/proc").iterdir():
            try:
                if entry.name.isdigit():
                    self.assertNotIn(str(folder).encode(), (entry / "cmdline").read_bytes())
            except OSError:
                pass


if __name__ == "__main__":
    unittest.main()
