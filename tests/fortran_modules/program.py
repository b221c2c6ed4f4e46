# SPDX-License-Identifier: Apache-2.0
"""Compiles one test program with flang against the modules, and runs it under mpiexec.

    program.py --compile "COMPILER FLAGS..." --sources FILE... --link FLAG... --program FILE
        [--ranks N --limit SECONDS --variable NAME=VALUE...] -- MPIEXEC...

Without --ranks it is compiled and linked only. It must end well and say "passed" on every rank.
"""

import argparse
import os
import shlex
import subprocess
import sys


def compile_program(arguments, folder):
    command = [*shlex.split(arguments.compile), *arguments.sources, *shlex.split(arguments.link), "-o",
               arguments.program, "-module-dir", folder]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    if done.returncode != 0 or "warning" in done.stderr:
        sys.exit(f"{shlex.join(command)}\n{done.stdout}{done.stderr}")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--compile", required=True)
    parser.add_argument("--sources", nargs="+", required=True)
    parser.add_argument("--link", default="")
    parser.add_argument("--program", required=True)
    parser.add_argument("--ranks", type=int, default=0)
    parser.add_argument("--limit", default="60")
    parser.add_argument("--variable", action="append", default=[], metavar="NAME=VALUE", help="for the ranks")
    parser.add_argument("mpiexec", nargs="*")
    arguments = parser.parse_args()
    folder = os.path.dirname(arguments.program)
    os.makedirs(folder, exist_ok=True)
    compile_program(arguments, folder)
    if not arguments.ranks:
        return
    command = ["timeout", "-k", "5", arguments.limit, *arguments.mpiexec, "-n", str(arguments.ranks),
               *(["env", *arguments.variable] if arguments.variable else []), arguments.program]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, stdin=subprocess.DEVNULL, check=False)
    passed = done.stdout.count("passed")
    if done.returncode != 0 or passed != arguments.ranks or "FAILED" in done.stdout:
        sys.exit(f"{shlex.join(command)}: exit code {done.returncode}, {passed} ranks passed\n"
                 f"{done.stdout}{done.stderr}")


if __name__ == "__main__":
    main()
