# SPDX-License-Identifier: Apache-2.0
"""Compiles a program, runs it under mpiexec with and without Lapwing, and
compares what it prints.

    same_output.py --compile "COMPILER FLAGS... SOURCE" --program FILE
        --preload LIBRARY -- MPIEXEC...
"""

import argparse
import os
import shlex
import subprocess
import sys

CASES = (
    ("off", {"LAPWING": "off"}),
    ("auto", {}),
    ("on", {"LAPWING_DEFER": "on"}),
    ("on, mprotect", {"LAPWING_DEFER": "on", "LAPWING_GUARD": "mprotect"}),
)


def run(mpiexec, program, environment, limit="60"):
    # timeout(1) ends the ranks too, not mpiexec alone; env keeps it plain.
    variables = [f"{name}={value}" for name, value in environment.items()]
    command = ["timeout", "-k", "5", limit, "env", *variables, *mpiexec, "-n", "2", program]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    return done.returncode, "\n".join(sorted(done.stdout.splitlines())), done.stderr


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--compile", required=True)
    parser.add_argument("--program", required=True)
    parser.add_argument("--preload", required=True)
    parser.add_argument("mpiexec", nargs="+")
    arguments = parser.parse_args()
    os.makedirs(os.path.dirname(arguments.program), exist_ok=True)
    subprocess.run(shlex.split(arguments.compile) + ["-o", arguments.program], check=True,
                   cwd=os.path.dirname(arguments.program))
    code, plain, errors = run(arguments.mpiexec, arguments.program, {})
    if code != 0 or len(plain.splitlines()) < 10:
        sys.exit(f"the plain run failed ({code}):\n{plain}\n{errors}")
    failed = False
    for name, environment in CASES:
        code, output, errors = run(arguments.mpiexec, arguments.program,
                                   {**environment, "LD_PRELOAD": arguments.preload})
        same = code == 0 and output == plain and "cannot be loaded" not in errors
        print(f"{name}: {'equal' if same else 'DIFFERENT'}")
        if not same:
            failed = True
            print(f"  exit code {code}{' (ran too long)' if code == 124 else ''}\n--- plain\n{plain}\n--- with Lapwing\n{output}\n--- stderr\n{errors}")
    sys.exit(failed)


if __name__ == "__main__":
    main()
