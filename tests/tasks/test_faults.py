# SPDX-License-Identifier: Apache-2.0
"""Each seeded fault must be found by the random programs: test_faults.py PROGRAM HEADER."""
import os
import re
import subprocess
import sys


def found(program, number, programs, limit):
    env = dict(os.environ, LAPWING_FAULT=str(number))
    try:
        run = subprocess.run([program, str(programs)], env=env, capture_output=True, timeout=limit, check=False)
    except subprocess.TimeoutExpired:
        return f"no end within {limit} s"
    return "not found" if run.returncode == 0 else "wrong" if run.returncode == 1 else f"ended by {-run.returncode}"


def main(program, header):
    with open(header, encoding="utf-8") as source:
        body = re.search(r"enum class Fault : int \{(.*?)\}", source.read(), re.S).group(1)
    # Those of ranks stand behind; test_rank_faults.py has them.
    names = [name for name, on in re.findall(r"^\s*(\w+),\s*(?://\s*(on ranks)?)?", body, re.M)
             if name != "none" and not on]
    missed = []
    for number, name in enumerate(names, 1):
        # Some show only where threads happen to meet: more programs, then.
        for programs, limit in ((50, 3), (200, 6), (1000, 20), (3000, 60)):
            how = found(program, number, programs, limit)
            print(f"{number} {name}: {how} ({programs} programs)", flush=True)
            if how != "not found":
                break
        else:
            missed.append(name)
    if missed:
        print("not found: " + ", ".join(missed))
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
