#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""misuse.py PROGRAM MPIEXEC...: what bad use of process sets gets: a sentence that names the place, and an end."""
import os
import subprocess
import sys

# A library with the name of an accelerator's driver.
DRIVER = os.path.join(os.path.dirname(sys.argv[1]), "..", "unit", "libcuda.so.fake")

# Case: what stderr must say; None: nothing, and the program succeeds.
CASES = {
    "merge-without-split": ["lapwing_merge at", "misuse.c:21", "no split of this communicator is open"],
    "split-without-merge": ["MPI_Finalize", "misuse.c:23", "still open"],
    "bad-branch": ["misuse.c:25", "branch 2 of 2"],
    "null": ["misuse.c:27", "MPI_COMM_NULL"],
    "freed-inside": ["freed", "misuse.c:29"],
    "used-after-merge": ["misuse.c:37", "no longer the current one"],
    "absent-root": ["MPI_Bcast", "misuse.c:41", "rank 0 of MPI_COMM_WORLD, is not in that set", "set of ranks 1, 2 of"],
    "window": ["MPI_Win_create", "misuse.c:48"],
    "stale-communicator": ["MPI_Barrier at", "misuse.c:118", "the set of ranks 1, 2 of MPI_COMM_WORLD", "no longer current"],
    "stale-send": ["MPI_Send at", "misuse.c:101", "the set of ranks 1, 2 of MPI_COMM_WORLD", "no longer current"],
    "stale-receive": ["MPI_Irecv at", "misuse.c:103", "no longer current"],
    "stale-probe": ["MPI_Iprobe at", "misuse.c:105", "no longer current"],
    "freed-set": ["MPI_Comm_free at", "misuse.c:115", "Lapwing's"],
    "device": ["rank 2: MPI_Reduce_scatter", "misuse.c:124", "a device's memory"],
    "name-twice": ["misuse.c:131", "lapwing://a is another set already"],
    "no-name": ["misuse.c:133", "'two words' is no name"],
    "died": [],
    "right": None,
}

# A process ends where the launcher lets the others go on: variables, ranks, what stderr must say.
ENDED = [
    ("ended", {}, "2", ["rank 0 of MPI_COMM_WORLD has ended without MPI_Finalize, before it voted", "misuse.c:71"]),
    ("ended", {}, "4", ["rank 0 of MPI_COMM_WORLD has ended without MPI_Finalize, before it voted", "misuse.c:71"]),
    ("ended", {"LAPWING_SPLIT": "static"}, "3", ["before it voted", "misuse.c:71"]),
    ("ended-late", {}, "3", ["rank 0 of MPI_COMM_WORLD has ended without MPI_Finalize"]),
    ("ended-call", {"LAPWING_SETS": "check"}, "3", ["MPI_Barrier at misuse.c:84", "rank 0: has ended without MPI_Finalize"]),
    ("ended-receive", {"LAPWING_SETS": "check"}, "3", ["MPI_Recv", "misuse.c:87", "rank 0: has ended without MPI_Finalize"]),
]


def run(command, timeout=60, **variables):
    try:
        return subprocess.run(command, capture_output=True, text=True, timeout=timeout, check=False,
                              env={**os.environ, **variables})
    except subprocess.TimeoutExpired:
        return None


def main(program, *mpiexec):
    wrong = 0
    for case, wanted in CASES.items():
        done = run([*mpiexec, "-n", "3", program, case, DRIVER])
        if done is None:
            print(f"{case}: did not end")
            wrong += 1
            continue
        missing = [w for w in wanted or [] if w not in done.stderr]
        if (done.returncode == 0) != (wanted is None) or missing or (wanted is None and "lapwing" in done.stderr):
            print(f"{case}: status {done.returncode}, missing {missing}\n{done.stderr}")
            wrong += 1
    done = run([*mpiexec, "-n", "3", program, "returned-error"])
    if done is None or done.returncode != 0 or "is not in that set" not in done.stderr:
        print(f"returned-error: {done and (done.returncode, done.stderr)}")
        wrong += 1
    # Open MPI 5's launcher ends the others, whatever it is told: Open MPI's do not see the end.
    going_on = [] if "openmpi" in mpiexec[0] else ["-disable-auto-cleanup"]
    unseen = ["sh", "-c", '"$0" "$@" || exec sleep 50'] if "openmpi" in mpiexec[0] else []
    for case, variables, ranks, wanted in ENDED:
        done = run([*mpiexec, *going_on, "-n", ranks, *unseen, program, case], **variables)
        missing = [w for w in wanted if done is None or w not in done.stderr]
        if done is None or missing or (done.returncode == 0 and "openmpi" not in mpiexec[0]):
            print(f"{case} {variables}, {ranks} ranks: {done and done.returncode}, missing {missing}\n{done and done.stderr}")
            wrong += 1
    # On another host no lock tells, and MPICH's launcher leaves the others waiting there.
    if "mpich" in mpiexec[0]:
        lab = [os.path.join(os.path.dirname(__file__), "..", "..", "tools", "netlab", "netlab"), "run", "--rate", "none"]
        done = run([*lab, "-n", "2", "--mpi", "mpich", "--", program, "ended"], timeout=90, LAPWING_SETS="run")
        wanted = ["rank 0 of MPI_COMM_WORLD cannot be reached any more, and has not voted", "misuse.c:71"]
        missing = [w for w in wanted if done is None or w not in done.stderr]
        if done is None or (done.returncode != 125 and missing):   # 125: there can be no lab here
            print(f"ended, two hosts: {done and done.returncode}, missing {missing}\n{done and done.stderr}")
            wrong += 1
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
