# SPDX-License-Identifier: Apache-2.0
"""Open MPI 4 has windows between hosts that refuse a helper thread: Lapwing stands aside in programs that refer to windows,
unless the user or the administrator has left those out. Open MPI 5 has them no longer.

    test_windows.py BUILD MPICC MPIEXEC...
"""
import os
import pathlib
import re
import subprocess
import sys
import tempfile

SOURCE = pathlib.Path(__file__).resolve().parent / "windows.c"


def main(build, mpicc, *mpiexec):
    version = subprocess.run([*mpiexec, "--version"], capture_output=True, text=True, timeout=60, check=True).stdout
    refuses = int(re.search(r"\d+", version)[0]) < 5
    with tempfile.TemporaryDirectory() as folder:
        program = os.path.join(folder, "windows")
        subprocess.run([mpicc, SOURCE, "-o", program], check=True)
        users_file = pathlib.Path(folder, ".openmpi", "mca-params.conf")
        users_file.parent.mkdir()

        def stands_aside(line, osc=None):
            """In a job over TCP, with this line in the user's file and this in the environment."""
            users_file.write_text(line + "\n")
            told = {"LD_PRELOAD": os.path.join(build, "lib", "liblapwing-preload.so"), "LAPWING_DEFER": "on",
                    "OMPI_MCA_pml": "ob1", "OMPI_MCA_btl": "self,tcp", **({"OMPI_MCA_osc": osc} if osc else {})}
            words = [word for key, value in told.items() for word in ("-x", f"{key}={value}")]
            done = subprocess.run([*mpiexec, "-n", "2", *words, program], capture_output=True, text=True, timeout=60,
                                  env=dict(os.environ, HOME=folder), check=False)
            if done.returncode != 0:
                sys.exit(f"{line}, {told}: status {done.returncode}\n{done.stdout}{done.stderr}")
            assert ("one-sided" in done.stderr) == ("OMPI_MCA_osc=^pt2pt" in done.stderr), done.stderr
            return "one-sided" in done.stderr

        for line, osc, admitted in (("osc = ^rdma", None, True), (" osc=^ucx, pt2pt ", None, False),
                                    ("osc = rdma", "^rdma", True), ("oscar = ^pt2pt\nosc = ^sm", None, True),
                                    ("osc = pt2pt", "^rdma,pt2pt", False), ("# osc = pt2pt", "^pt2pt", False)):
            assert stands_aside(line, osc) == (admitted and refuses), (line, osc)
        if refuses:  # a component that Open MPI 5 does not have ends it
            assert stands_aside("osc = sm,pt2pt")


if __name__ == "__main__":
    main(*sys.argv[1:])
