# SPDX-License-Identifier: Apache-2.0
"""Runs a program plainly and with Lapwing preloaded, always within a time limit."""
import dataclasses
import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests" / "support"))
from mpis import MPIS, in_turn  # noqa: E402

BUILD = pathlib.Path(os.environ.get("LAPWING_BUILD", ROOT / "build" / "release"))
PRELOAD = BUILD / "lib" / "liblapwing-preload.so"
MPIEXEC = {"mpich": ["mpiexec.mpich"],
           "openmpi": ["mpiexec.openmpi", "--oversubscribe", "--allow-run-as-root", "--bind-to", "none"]}
# Numerical libraries get one thread: two ranks already have the cores.
QUIET = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1", "OMPI_MCA_btl_base_warn_component_unused": "0",
         "OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}
MODES = {"on": {"LAPWING_DEFER": "on", "LAPWING_THRESHOLD_GUARD": "12K"}, "auto": {"LAPWING_DEFER": "auto"}}


@dataclasses.dataclass
class Ran:
    status: int  # None: it had to be killed
    out: str
    err: str
    report: list

    def deferred(self):
        return sum(line.get("deferred", 0) + line.get("stripped", 0) for line in self.report)

    def both(self):
        return self.out + self.err


def program(mpi, name):
    return BUILD / "libexec" / "lapwing" / mpi / name


def environment(lapwing=None, preload=None):
    clean = {k: v for k, v in os.environ.items()
             if k != "LD_PRELOAD" and (not k.startswith("LAPWING_") or k == "LAPWING_BUILD")}
    clean.pop("LAPWING_BUILD", None)
    clean.update(QUIET)
    clean.pop("OMPI_MCA_mpi_yield_when_idle", None)  # starves two ranks wherever something else runs
    if lapwing is not None:
        clean.update(lapwing)
        clean["LD_PRELOAD"] = preload or str(PRELOAD)
    return clean


def ended(process):
    return os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None


def end(process):
    """Ends a session: first as a user would, so that mpiexec takes its ranks with it."""
    if not ended(process):
        process.terminate()
        for _ in range(250):
            if ended(process):
                break
            time.sleep(0.02)
    for pid in session_of(process.pid):
        try:
            os.kill(pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
    process.wait()


def session_of(leader):
    """All processes of the session that this process started; Open MPI gives ranks groups of their own."""
    found = []
    for entry in pathlib.Path("/proc").iterdir():
        try:
            if entry.name.isdigit() and os.getsid(int(entry.name)) == leader:
                found.append(int(entry.name))
        except OSError:
            pass
    return found


def run(command, env, cwd=None, limit=120):
    """Runs a command in a session of its own, which ends with it."""
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        process = subprocess.Popen([str(word) for word in command], env=env, cwd=cwd, stdin=subprocess.DEVNULL, stdout=out,
                                   stderr=err, start_new_session=True)
        until = time.monotonic() + limit
        try:
            # Not reaped before its session is gone: until then its number can be nobody else's.
            while time.monotonic() < until and not ended(process):
                time.sleep(0.02)
            in_time = ended(process)
        finally:  # also when this process is asked to end
            end(process)
        status = process.returncode if in_time else None
        out.seek(0)
        err.seek(0)
        return Ran(status, out.read().decode(errors="replace"), err.read().decode(errors="replace"), [])


class ProgramTest(unittest.TestCase):
    """Each test has a directory of its own."""

    def setUp(self):
        self.directory = pathlib.Path(tempfile.mkdtemp(prefix="lapwing-programs-"))
        self.addCleanup(shutil.rmtree, self.directory, ignore_errors=True)

    def mpirun(self, mpi, words, lapwing=None, ranks=2, limit=120, cwd=None, preload=None):
        report = self.directory / "report.jsonl"
        report.unlink(missing_ok=True)
        chosen = None if lapwing is None else {"LAPWING_REPORT": str(report), **lapwing}
        env = environment(chosen, preload)
        if ranks > 2:
            env["OMPI_MCA_mpi_yield_when_idle"] = "1"
        ran = run([*MPIEXEC[mpi], "-n", ranks, *words], env, cwd or self.directory, limit)
        if report.exists():
            ran.report = [json.loads(line) for line in report.read_text().splitlines() if line.strip()]
        return ran

    def succeeds(self, ran, what):
        self.assertIsNotNone(ran.status, f"{what} did not end:\n{ran.both()[-3000:]}")
        self.assertEqual(ran.status, 0, f"{what} failed:\n{ran.both()[-3000:]}")

    def same_output(self, mpi, words, ranks=2, limit=120, keep=None, must_defer=True):
        """Runs plainly and with Lapwing in each mode; what `keep` leaves of the output must be equal."""
        keep = keep or (lambda text: text)
        plain = self.mpirun(mpi, words, None, ranks, limit)
        self.succeeds(plain, f"{mpi}: the plain run")
        self.assertTrue(keep(plain.out).strip(), f"{mpi}: the plain run says nothing that can be compared:\n{plain.both()}")
        for mode, lapwing in MODES.items():
            with self.subTest(mpi=mpi, mode=mode):
                ran = self.mpirun(mpi, words, lapwing, ranks, limit * 2)
                self.succeeds(ran, f"{mpi}, LAPWING_DEFER={mode}")
                self.assertEqual(keep(plain.out), keep(ran.out))
                if must_defer and mode == "on":
                    self.assertTrue(ran.report, "no report was written: Lapwing was not there")
                    self.assertGreater(ran.deferred(), 0, "nothing was deferred, so nothing was tested")


def for_each_mpi(test):
    def every(self):
        for mpi in MPIS:
            with self.subTest(mpi=mpi):
                test(self, mpi)
    return every


def in_turns(index):
    """For a test that says little about the MPI: these go to the MPIs in turn, see mpis.in_turn."""
    def decorate(test):
        def every(self):
            for mpi in MPIS:
                if in_turn(index, mpi):
                    with self.subTest(mpi=mpi):
                        test(self, mpi)
        return every
    return decorate


def needs(path, package):
    return unittest.skipUnless(pathlib.Path(path).exists(), f"{path} is missing: the package {package} is not installed")


def main():
    if not PRELOAD.exists():
        sys.exit(f"{PRELOAD} is missing; build it, or name the build tree in LAPWING_BUILD")
    signal.signal(signal.SIGTERM, lambda *_: sys.exit("asked to end"))
    unittest.main(verbosity=2)
