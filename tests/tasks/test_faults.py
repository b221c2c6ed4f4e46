# SPDX-License-Identifier: Apache-2.0
"""Each seeded fault must be found by the random programs: test_faults.py PROGRAM HEADER."""
import os
import re
import subprocess
import sys


def main(program, header):
    with open(header, encoding="utf-8") as source:
        body = re.search(r"enum class Fault : int \{(.*?)\}", source.read(), re.S).group(1)
    # Those of ranks stand behind; test_ranks.py has them.
    names = [name for name, on in re.findall(r"^\s*(\w+),\s*(?://\s*(on ranks)?)?", body, re.M)
             if name != "none" and not on]
    missed = []
    for number, name in enumerate(names, 1):
        env = dict(os.environ, LAPWING_FAULT=str(number))
        try:
            run = subprocess.run([program, "200"], env=env, capture_output=True, timeout=6, check=False)
            how = "not found" if run.returncode == 0 else "wrong" if run.returncode == 1 else f"ended by {-run.returncode}"
        except subprocess.TimeoutExpired:
            how = "no end within 6 s"
        print(f"{number} {name}: {how}", flush=True)
        if how == "not found":
            missed.append(name)
    if missed:
        print("not found: " + ", ".join(missed))
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
