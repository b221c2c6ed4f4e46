# SPDX-License-Identifier: Apache-2.0
"""The README's table of launchers: each line is run as it stands, where its launcher is there."""
import os
import re
import shlex
import shutil
import subprocess
import unittest

from support import FLAVOURS, PRELOAD, SOURCE, CommandTest, clean_environment, probe

TITLES = {"MPICH": "mpich", "Open MPI": "openmpi"}


def lines():
    text = (SOURCE / "README.md").read_text()
    table = text.split("| launcher | line |\n|---|---|\n")[1].split("\n\n")[0]
    return dict(re.findall(r"^\| (.*?) \| `(.*?)`", table, re.M))


class Table(CommandTest):
    def test_it_names_each_mpi_and_slurm(self):
        self.assertEqual(set(lines()), {*TITLES, "Slurm", "any"})   # tests/slurm runs Slurm's line

    def test_the_preload_reaches_every_rank(self):
        for title, flavour in TITLES.items():
            if flavour not in FLAVOURS:
                continue
            with self.subTest(title):
                launcher = shutil.which(FLAVOURS[flavour])
                if launcher is None:
                    self.skipTest(f"{FLAVOURS[flavour]} is not here")
                words = shlex.split(lines()[title].replace("$P", str(PRELOAD)))
                self.assertEqual((words[0], words[-1]), ("mpiexec", "./heat"))
                ran = subprocess.run([launcher, *words[1:-1], probe(flavour), "env", "LD_PRELOAD"], capture_output=True,
                                     text=True, check=False, timeout=60, env=clean_environment())
                self.assertEqual(ran.returncode, 0, ran.stderr)
                self.assertEqual(ran.stdout.count(f"LD_PRELOAD={PRELOAD}\n"), 2, ran.stdout)

    def test_any_launcher(self):
        export = lines()["any"].replace("$P", str(PRELOAD))
        ran = subprocess.run(["sh", "-c", f"{export}; exec mpiexec.mpich -n 2 {probe('mpich')} env LD_PRELOAD"],
                             capture_output=True, text=True, check=False, timeout=60, env=dict(os.environ))
        self.assertEqual(ran.stdout.count(f"LD_PRELOAD={PRELOAD}\n"), 2, ran.stdout + ran.stderr)


if __name__ == "__main__":
    unittest.main()
