# SPDX-License-Identifier: Apache-2.0
"""MPICH over UCX sends messages below 256 KiB at once under Lapwing, unless the user has chosen a protocol or the
program may receive with gaps: MPICH 4.0 would take such messages for truncated.

    test_eager.py BUILD MPICC MPIEXEC...
"""
import os
import pathlib
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent


def main(build, mpicc, *mpiexec):
    if any(pathlib.Path("/sys/class/infiniband").glob("*")):
        print("This machine has an RDMA device: MPICH keeps its protocol.")
        return 0
    with tempfile.TemporaryDirectory() as folder:
        program, gaps = os.path.join(folder, "program"), os.path.join(folder, "gaps")
        subprocess.run([mpicc, HERE / "eager.c", "-o", program], check=True)
        subprocess.run([mpicc, "-std=c99", HERE / "gaps.c", "-o", gaps], check=True)

        def printed(under_lapwing=True, program=program, **variables):
            told = {"UCX_TLS": "tcp,self", "LAPWING_JOB": "uniform", **variables}
            if under_lapwing:
                told["LD_PRELOAD"] = os.path.join(build, "lib", "liblapwing-preload.so")
            words = [word for key, value in told.items() for word in ("-genv", key, value)]
            done = subprocess.run([*mpiexec, "-n", "2", *words, program], capture_output=True, text=True, timeout=60,
                                  cwd=folder, check=False)
            if done.returncode != 0:
                sys.exit(f"{told}: status {done.returncode}\n{done.stdout}{done.stderr}")
            return done.stdout.strip()

        own = printed(under_lapwing=False, LAPWING="off")
        assert own == "rendezvous, gone", own
        assert printed() == "eager, gone", "nothing chosen"
        assert printed(LAPWING_TRANSPORT="keep") == own
        assert printed(UCX_RNDV_THRESH="1000") == "rendezvous, in the environment", "the user's own"
        with open(os.path.join(folder, "ucx.conf"), "w", encoding="utf-8") as file:
            file.write("# of a file\nUCX_RNDV_THRESH=1000\n")
        assert printed() == own, "of a file"
        os.remove(os.path.join(folder, "ucx.conf"))
        for transport in ("tcp,self", "posix,self"):
            assert printed(program=gaps, UCX_TLS=transport) == "", transport
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
