# SPDX-License-Identifier: Apache-2.0
"""Programs with tasks under mpiexec: test_ranks.py RANKS PROGRAM STRANGER MPIEXEC...

What each case of ranks_cases.cpp must do and say, with both schedulers; and two
ranks with different binaries.
"""
import os
import subprocess
import sys
import tempfile

LIMIT = 40


def run(command, **variables):
    env = dict(os.environ, LAPWING_TASKS_WORKERS="1", **variables)
    done = subprocess.run(command, env=env, capture_output=True, text=True, timeout=LIMIT, check=False)
    return done.returncode, done.stdout + done.stderr


def main(ranks, program, stranger, *mpiexec):
    wrong = []
    os.environ["STRANGER"] = stranger

    def expect(what, code, text, good, *words):
        missing = [word for word in words if word not in text]
        if (code == 0) != good or missing or "wrong:" in text:
            wrong.append(what)
            print(f"--- {what}: ended with {code}, missing {missing}\n{text[-3000:]}", flush=True)

    start = [*mpiexec, "-n", ranks]
    for schedule in "ahead", "central":
        def case(name, good, *words):
            code, text = run([*start, program, name], LAPWING_TASKS_SCHEDULE=schedule)
            expect(f"{name} ({schedule})", code, text, good, *words)
        case("plain", True)
        case("language", True)
        case("throws", True, "no more", "thrower(7)", "on rank " + str(int(ranks) - 1))
        case("nested", True, "'inner(3)'", "deep inside", "on rank 0: ")
        case("destroyed", True, "caught", "late", "'x'", "destroyed before")
        case("stranger", True, "told: the function of task 'stranger(7)'", "is not known to all ranks", "ranks_stranger.so",
             *(f"on rank {rank}: the function of task 'stranger(7)'" for rank in range(1, int(ranks))))
        case("containers", True)
        case("stays", True, "lapwing: 'one'", "cannot travel", "Closed", "run on rank 0", "ranks_cases.cpp")
        told = run([*start, program, "stays"], LAPWING_TASKS_SCHEDULE=schedule)[1]
        expect(f"stays ({schedule}), once", 0 if told.count("cannot travel") == 1 else 1, told, True)
        case("undeclared", True, "curious", "'y'", "did not declare")
    expect("nested, not lent", *run([*start, program, "nested"], LAPWING_TASKS_LEND="off"), True)
    expect("early", *run([*start, program, "early"], LAPWING_TASKS_STRIP="65536"), True, "early uses: some")
    expect("not early", *run([*start, program, "early"], LAPWING_TASKS_STRIPS="off"), True, "early uses: none")
    expect("dies", *run([*start, program, "dies"]), False)
    expect("too_large", *run([*start, program, "too_large"]), False, "'the big one'", "rank " + str(int(ranks) - 1))
    with tempfile.TemporaryDirectory() as folder:
        other = os.path.join(folder, "another_build")
        with open(program, "rb") as source:
            content = bytearray(source.read())
        content[content.index(b"\x04\0\0\0\x14\0\0\0\x03\0\0\0GNU\0") + 16] ^= 1
        with open(other, "wb") as target:
            target.write(content)
        os.chmod(other, 0o755)
        mixed = [*mpiexec, "-n", "1", program, "plain", ":", "-n", "1", other, "plain"]
        expect("two binaries", *run(mixed), False, "must run the same binary", "another_build")
    code, text = run([*start, program, "plain"], LAPWING_TASKS_SCHEDULE="sideways")
    expect("an unknown schedule", code, text, False, "should be ahead or central")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
