# SPDX-License-Identifier: Apache-2.0
"""What the tests of netlab share: the tool, the programs, and a way to see everything that a run has left."""
import functools
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time
import unittest
import uuid

TOOLS = pathlib.Path(__file__).resolve().parents[2] / "tools"
NETLAB = TOOLS / "netlab" / "netlab"
CANNOT_RUN = 77
OWN_FAILURE = 125
LIMIT_S = 100

sys.path.insert(0, str(TOOLS))
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
from mpis import MPIS  # noqa: E402

FLAVOURS = MPIS


def without(*flavours):
    """Skips the test where one of these MPIs is not there."""
    for flavour in flavours:
        if flavour in ("mpich", "openmpi") and flavour not in MPIS:
            raise unittest.SkipTest(f"this tree is not built for {flavour}")


def program(flavour):
    without(flavour)
    return os.path.join(os.environ["NETLAB_TEST_PROGRAMS"], flavour, "pingpong")


def for_each_mpi(test):
    @functools.wraps(test)
    def each(self):
        for flavour in FLAVOURS:
            with self.subTest(mpi=flavour):
                test(self, flavour)
    return each


class NetlabTest(unittest.TestCase):
    """Each test has its own folder for records, and a mark by which its processes are known."""

    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="netlab-test-")
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)
        self.mark = "NETLAB_TEST_MARK=" + uuid.uuid4().hex
        clean = {key: value for key, value in os.environ.items()
                 if not key.startswith(("UCX_", "OMPI_", "LAPWING", "NETLAB_LAB", "LD_PRELOAD"))}
        self.environment = dict(clean, TMPDIR=self.folder, NETLAB_TEST_MARK=self.mark.split("=")[1])

    def start(self, *words, env=None, **options):
        without(*words)
        return subprocess.Popen([sys.executable, str(NETLAB), *map(str, words)],
                                env=dict(self.environment, **(env or {})), text=True,
                                **{"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, **options})

    def netlab(self, *words, env=None, text_in="", cwd=None):
        """Runs the tool to its end: status, stdout, stderr."""
        with self.start(*words, env=env, stdin=subprocess.PIPE, cwd=cwd) as process:
            try:
                out, err = process.communicate(text_in, timeout=LIMIT_S)
            except subprocess.TimeoutExpired:
                process.kill()
                out, err = process.communicate()
                self.fail(f"netlab {' '.join(map(str, words))} did not end\n{out}\n{err}")
        return process.returncode, out, err

    def good(self, *words, **options):
        """Runs the tool, which must succeed: stdout."""
        status, out, err = self.netlab(*words, **options)
        self.assertEqual(status, 0, f"netlab {' '.join(map(str, words))}\n{out}\n{err}")
        return out

    def processes(self):
        """Command lines, by process id, of all that this test has started and that still lives."""
        found = {}
        for entry in os.listdir("/proc"):
            if not entry.isdigit() or int(entry) == os.getpid():
                continue
            try:
                environment = pathlib.Path(f"/proc/{entry}/environ").read_bytes()
                if self.mark.encode() in environment.split(b"\0"):
                    words = pathlib.Path(f"/proc/{entry}/cmdline").read_bytes()
                    found[int(entry)] = words.replace(b"\0", b" ").decode(errors="replace")
            except OSError:
                continue
        return found

    def records(self):
        """All that lies in the folder for records."""
        return sorted(str(path.relative_to(self.folder)) for path in pathlib.Path(self.folder).glob("netlab-*/*"))

    def wait_until(self, holds, what, limit_s=40):
        end = time.monotonic() + limit_s
        while not holds():
            if time.monotonic() > end:
                self.fail(f"not within {limit_s} s: {what}\nprocesses: {self.processes()}\nrecords: {self.records()}")
            time.sleep(0.02)

    def assert_nothing_left(self, limit_s=10):
        """No process, hence no namespace, and no record."""
        self.wait_until(lambda: not self.processes() and not self.records(), "nothing left", limit_s)


def main():
    """Runs the tests of the calling file; CANNOT_RUN with the reason where no lab can be made here."""
    checked = subprocess.run([sys.executable, str(NETLAB), "check"], capture_output=True, text=True, check=False)
    if checked.returncode != 0:
        print("netlab cannot be tested here:\n" + checked.stdout + checked.stderr)
        sys.exit(CANNOT_RUN)
    unittest.main(verbosity=2)
