# SPDX-License-Identifier: Apache-2.0
"""Open MPI 4 has windows between hosts that refuse a helper thread: Lapwing stands aside in programs that refer to windows,
unless the user has left those out.

    test_windows.py BUILD MPICC MPIEXEC...
"""
import os
import pathlib
import subprocess
import sys
import tempfile

SOURCE = pathlib.Path(__file__).resolve().parent / "windows.c"


def main(build, mpicc, *mpiexec):
    with tempfile.TemporaryDirectory() as folder:
        program = os.path.join(folder, "windows")
        subprocess.run([mpicc, SOURCE, "-o", program], check=True)

        def says(osc):
            """What is said of windows in a job over TCP, with this choice of them."""
            told = {"LD_PRELOAD": os.path.join(build, "lib", "liblapwing-preload.so"), "LAPWING_DEFER": "on",
                    "OMPI_MCA_pml": "ob1", "OMPI_MCA_btl": "self,tcp", **({"OMPI_MCA_osc": osc} if osc else {})}
            words = [word for key, value in told.items() for word in ("-x", f"{key}={value}")]
            done = subprocess.run([*mpiexec, "-n", "2", *words, program], capture_output=True, text=True, timeout=60,
                                  check=False)
            if done.returncode != 0:
                sys.exit(f"{told}: status {done.returncode}\n{done.stdout}{done.stderr}")
            return done.stderr

        assert "OMPI_MCA_osc=^pt2pt" in says(None)
        for osc, left_out in ("^rdma", False), ("^pt2pt", True), ("^rdma,pt2pt", True):
            said = says(osc)
            assert ("one-sided" in said) != left_out, (osc, said)


if __name__ == "__main__":
    main(*sys.argv[1:])
