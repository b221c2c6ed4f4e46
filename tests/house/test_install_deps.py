# SPDX-License-Identifier: Apache-2.0
"""tools/install-deps: where an MPI is, no other one is asked for, nor a program whose package brings one."""
import os
import pathlib
import subprocess
import tempfile
import unittest

INSTALL_DEPS = pathlib.Path(__file__).resolve().parents[2] / "tools" / "install-deps"
MPICH, OPENMPI = {"mpich", "libmpich-dev"}, {"openmpi-bin", "libopenmpi-dev"}
OF_MPICH, OF_OPENMPI = {"netpipe-mpich2"}, {"hpcc", "lammps", "netpipe-openmpi", "python3-mpi4py"}
OF_BOTH = {"scalapack-mpi-test"}
EVERYTHING = MPICH | OPENMPI | OF_MPICH | OF_OPENMPI | OF_BOTH


class InstallDeps(unittest.TestCase):
    def missing(self, job, installed=(), mpicc=False, homes=""):
        """The packages of MPIs and their programs that it would install on a Debian that has only these."""
        with tempfile.TemporaryDirectory(prefix="lapwing-deps-") as folder:
            commands = {"apt-get": "exit 1", "dpkg-query": "for last; do :; done\n"
                        f"case \" {' '.join(installed)} \" in *\" $last \"*) printf installed ;; *) exit 1 ;; esac"}
            if mpicc:
                commands["mpicc"] = "exit 0"
            for name, text in commands.items():
                path = pathlib.Path(folder) / name
                path.write_text(f"#!/bin/sh\n{text}\n")
                path.chmod(0o755)
            for name in ("bash", "env"):
                os.symlink(f"/bin/{name}" if os.path.exists(f"/bin/{name}") else f"/usr/bin/{name}", f"{folder}/{name}")
            done = subprocess.run([str(INSTALL_DEPS), job, "--dry-run"], capture_output=True, text=True, check=False, timeout=50,
                                  env={"PATH": folder, "MPI_HOMES": homes})
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("cmake", done.stdout.split())
        return set(done.stdout.split()) & EVERYTHING

    def test_an_empty_machine_gets_both(self):
        self.assertEqual(self.missing("build"), MPICH | OPENMPI)
        self.assertEqual(self.missing("test"), EVERYTHING)

    def test_an_mpi_of_the_users(self):
        for job in ("build", "demo", "test", "slurm"):
            with self.subTest(job):
                self.assertEqual(self.missing(job, mpicc=True), set())
                self.assertEqual(self.missing(job, homes="/opt/openmpi"), set())

    def test_one_of_debians(self):
        self.assertEqual(self.missing("test", MPICH, mpicc=True), OF_MPICH)
        self.assertEqual(self.missing("test", OPENMPI, mpicc=True), OF_OPENMPI)

    def test_both_of_debians(self):
        self.assertEqual(self.missing("test", MPICH | OPENMPI, mpicc=True), OF_MPICH | OF_OPENMPI | OF_BOTH)


if __name__ == "__main__":
    unittest.main()
