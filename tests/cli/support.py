# SPDX-License-Identifier: Apache-2.0
"""What the tests of the command share: where it is, and how to start it."""
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
from mpis import MPIS, needs  # noqa: E402, F401

BUILD = pathlib.Path(os.environ["CLI_BUILD"])
SOURCE = pathlib.Path(os.environ["CLI_SOURCE"])
LAPWING = BUILD / "bin" / "lapwing"
PRELOAD = BUILD / "lib" / "liblapwing-preload.so"
PROGRAMS = BUILD / "tests" / "cli"
FLAVOURS = {mpi: f"mpiexec.{mpi}" for mpi in MPIS}


def probe(flavour):
    """A program of that MPI's; without that MPI the test is skipped."""
    if flavour not in MPIS:
        raise unittest.SkipTest(f"this tree is not built for {flavour}")
    return str(PROGRAMS / flavour / "probe")


def clean_environment(**changes):
    """This environment without colours, preloads and Lapwing's variables."""
    env = {name: value for name, value in os.environ.items()
           if not name.startswith("LAPWING") and name not in ("LD_PRELOAD", "NO_COLOR", "XDG_CONFIG_HOME")}
    env["XDG_CONFIG_HOME"] = "/nonexistent"   # no profile of this user
    env.update({name: value for name, value in changes.items() if value is not None})
    for name, value in changes.items():
        if value is None:
            env.pop(name, None)
    return env


class CommandTest(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="lapwing-cli-"))
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)

    def lapwing(self, *arguments, status=None, env=None, stdin=None, timeout=120, cwd=None):
        result = subprocess.run([str(LAPWING), *map(str, arguments)], capture_output=True, text=True,
                                check=False,
                                timeout=timeout, input=stdin,
                                stdin=subprocess.DEVNULL if stdin is None else None,
                                env=clean_environment(**(env or {})), cwd=cwd or self.folder)
        if status is not None:
            self.assertEqual(result.returncode, status, result.stdout + result.stderr)
        return result

    def installation(self, flavour):
        """The folder of libraries of an MPI in a place of its own, without a launcher; for LD_LIBRARY_PATH."""
        name = {"mpich": "libmpich.so.12", "openmpi": "libmpi.so.40"}[flavour]
        listed = subprocess.run(["ldd", probe(flavour)], capture_output=True, text=True, check=True).stdout
        folder = self.folder / f"{flavour}-alone" / "lib"
        folder.mkdir(parents=True)
        os.symlink(next(line.split()[2] for line in listed.splitlines() if line.split()[0] == name), folder / name)
        return folder

    def script(self, name, text):
        """An executable in a folder of its own; returns that folder, for PATH."""
        folder = self.folder / "bin"
        folder.mkdir(exist_ok=True)
        path = folder / name
        path.write_text(text)
        path.chmod(0o755)
        return folder
