# SPDX-License-Identifier: Apache-2.0
"""The applications on threads, or on ranks, give the bits of their serial builds: test_applications.py FOLDER
[LAUNCHER...], the launcher being mpiexec and its options."""
import json
import os
import subprocess
import sys

# Each with the options that fix its decomposition.
CASES = {
    "water": ["--molecules", "65", "--iterations", "3", "--parts", "5"],
    "string": ["--width", "30", "--depth", "40", "--spacing", "4", "--iterations", "3", "--parts", "5"],
    "ocean": ["--size", "40", "--sweeps", "30", "--blocks", "5"],
    "cholesky": ["--grid", "7", "--panel", "6"],
}
PLACED = ("ocean", "cholesky")
INSIDE = ("water", "string")


def run(folder, program, arguments, launcher=(), **variables):
    done = subprocess.run([*launcher, os.path.join(folder, program), "--json", *arguments], capture_output=True, text=True,
                          env=dict(os.environ, **variables), timeout=100, check=False)
    if done.returncode != 0:
        sys.exit(f"{program} {' '.join(arguments)} ended with {done.returncode}: {done.stdout}{done.stderr}")
    return json.loads(done.stdout)


def check_original(folder, name, arguments):
    """The program before it was written with tasks computes the same bits as the stripped one with one part."""
    if name in INSIDE:
        arguments = [*arguments[:-1], "1"]
    original, stripped = (run(folder, f"{name}_serial", [*arguments, *extra]) for extra in (["--original"], []))
    assert original["verified"] and original["checksum"] == stripped["checksum"], f"{name}: {original} and {stripped}"
    assert run(folder, name, ["--workers", "2", "--original", *arguments])["tasks"] == 0, f"{name}: tasks in the original"


def check(folder, name, arguments):
    check_original(folder, name, arguments)
    serial = run(folder, f"{name}_serial", arguments)
    variants = [[]]
    if name in PLACED:
        variants.append(["--place"])
    if name == "ocean":
        variants.append(["--plain"])
    if name in INSIDE:
        variants.append(["--inside"])
    for workers in ("1", "2", "4"):
        for extra in variants:
            for locality in ("on", "off"):
                if workers == "1" and (extra or locality == "off"):
                    continue
                got = run(folder, name, ["--workers", workers, *extra, *arguments], LAPWING_TASKS_LOCALITY=locality)
                what = f"{name} {' '.join(extra)}, {workers} workers, locality {locality}"
                assert got["verified"] and got["checksum"] == serial["checksum"], \
                    f"{what}: {got} instead of {serial}"
                assert got["tasks"] > 0 and got["on_target"] <= got["targeted"], f"{what}: {got}"
                if extra == ["--place"]:
                    assert got["on_target"] == got["targeted"], f"{what}: {got}"
    free = run(folder, name, ["--workers", "2", "--work-free", *arguments])
    with_work = run(folder, name, ["--workers", "2", *arguments])
    assert free["tasks"] == with_work["tasks"] and free["verified"] is None, f"{name}: {free} and {with_work}"
    print(f"{name}: {serial['checksum']}")
    return serial


def check_on_ranks(folder, launcher):
    ranks = int(launcher[-1])
    for name, arguments in CASES.items():
        serial = run(folder, f"{name}_serial", arguments)
        for extra in ([["--place"]] if name in PLACED else [[], ["--inside"]]):
            got = run(folder, name, [*extra, *arguments], launcher, LAPWING_TASKS_WORKERS="1")
            assert got["verified"] and got["checksum"] == serial["checksum"], f"{name} {extra}: {got} is not {serial}"
            assert got["workers"] == ranks and got["messages"] > 0 and got["objects_moved"] > 0, f"{name} {extra}: {got}"
            if extra == ["--place"]:
                assert got["on_target"] == got["targeted"], f"{name} {extra}: {got}"
        print(f"{name}: {got['messages']} messages")


def main():
    folder = sys.argv[1]
    if len(sys.argv) > 2:
        return check_on_ranks(folder, sys.argv[2:])
    checksums = {check(folder, name, arguments)["checksum"] for name, arguments in CASES.items()}
    assert len(checksums) == len(CASES)
    # The checksum sees a difference.
    longer = run(folder, "ocean_serial", ["--size", "40", "--sweeps", "31"])
    assert longer["checksum"] not in checksums
    wrong = subprocess.run([os.path.join(folder, "cholesky"), "--matrix", sys.argv[0]], capture_output=True, text=True,
                           timeout=100, check=False)
    assert wrong.returncode == 1 and "is not a Matrix Market file" in wrong.stderr, wrong
    wrong = subprocess.run([os.path.join(folder, "ocean"), "--blok", "3"], capture_output=True, text=True, timeout=100,
                           check=False)
    assert wrong.returncode == 2 and "--blok" in wrong.stderr, wrong


main()
