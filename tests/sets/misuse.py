#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""misuse.py PROGRAM MPIEXEC...: what bad use of process sets gets: a sentence that names the place, and an end."""
import subprocess
import sys

# Case: what stderr must say; None: nothing, and the program succeeds.
CASES = {
    "merge-without-split": ["lapwing_merge at", "misuse.c:18", "no split of this communicator is open"],
    "split-without-merge": ["MPI_Finalize", "misuse.c:20", "still open"],
    "bad-branch": ["misuse.c:22", "branch 2 of 2"],
    "null": ["misuse.c:24", "MPI_COMM_NULL"],
    "freed-inside": ["freed", "misuse.c:26"],
    "used-after-merge": ["misuse.c:34", "no longer the current one"],
    "absent-root": ["MPI_Bcast", "misuse.c:38", "rank 0 of MPI_COMM_WORLD, is not in that set", "set 1"],
    "window": ["MPI_Win_create", "misuse.c:45"],
    "died": [],
    "right": None,
}


def run(command, timeout=60):
    try:
        return subprocess.run(command, capture_output=True, text=True, timeout=timeout, check=False)
    except subprocess.TimeoutExpired:
        return None


def main(program, *mpiexec):
    wrong = 0
    for case, wanted in CASES.items():
        done = run([*mpiexec, "-n", "3", program, case])
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
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
