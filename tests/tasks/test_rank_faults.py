# SPDX-License-Identifier: Apache-2.0
"""Faults that are planted into what ranks say to each other must be seen: test_rank_faults.py RANKS FAULTY MPIEXEC...

FAULTY is the program of random tasks with the library that has the faults of src/tasks/planted.hpp.
"""
import os
import re
import subprocess
import sys

HEADER = os.path.join(os.path.dirname(__file__), "..", "..", "src", "tasks", "planted.hpp")
# Fault, number of the random program in which it shows, scheduler, words of the message.
CASES = [("lost_version", "103", "ahead", ("the program cannot go on", "on rank 0", "waits for")),
         ("lost_loan", "122", None, ("other values",))]
# A thread that is held up is no defect: the program `reuse` is right all the same.
HELD_UP = "late_end"


def main(ranks, faulty, *mpiexec):
    with open(HEADER, encoding="utf-8") as source:
        names = re.findall(r"^\s*(\w+),", source.read().partition("enum class Fault")[2], re.M)
    # The library of ranks lies here for a program that is linked without it.
    library = os.path.join(os.path.dirname(faulty), "..", "..", "lib")
    wrong = 0
    for fault, number, schedule, words in CASES:
        env = dict(os.environ, LAPWING_TASKS_WORKERS="1", LAPWING_FAULT=str(names.index(fault)),
                   LD_LIBRARY_PATH=library + ":" + os.environ.get("LD_LIBRARY_PATH", ""))
        if schedule:
            env["LAPWING_TASKS_SCHEDULE"] = schedule
        done = subprocess.run([*mpiexec, "-n", ranks, faulty, "1", number], env=env, capture_output=True, text=True,
                              timeout=40, check=False)
        text = done.stdout + done.stderr
        missing = [word for word in words if word not in text]
        if done.returncode == 0 or missing:
            wrong += 1
            print(f"--- {fault}: ended with {done.returncode}, missing {missing}\n{text[-3000:]}", flush=True)
    env = dict(os.environ, LAPWING_FAULT=str(names.index(HELD_UP)),
               LD_LIBRARY_PATH=library + ":" + os.environ.get("LD_LIBRARY_PATH", ""))
    done = subprocess.run([*mpiexec, "-n", ranks, faulty, "reuse"], env=env, capture_output=True, text=True,
                          timeout=40, check=False)
    if done.returncode != 0:
        wrong += 1
        print(f"--- {HELD_UP}: ended with {done.returncode}\n{done.stdout}{done.stderr}", flush=True)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
