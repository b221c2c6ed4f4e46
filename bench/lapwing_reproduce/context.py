# SPDX-License-Identifier: Apache-2.0
"""The means of a measurement: the build, the inputs, `lapwing bench`, and a folder for what it need not make twice."""
import json
import os
import subprocess
import sys

from lapwing_bench.build import Build


class Missing(Exception):
    """An input or a program is not there: the sentence says which."""


class Context:
    def __init__(self, build, quick, work, matrix=None, programs=None, mpi=None):
        self.build, self.quick, self.work = build, quick, work
        self.matrix, self.programs, self.mpi = matrix, programs, mpi

    @classmethod
    def of(cls, options, script):
        return cls(Build.find(options.prefix, script), options.quick, os.path.join(os.path.abspath(options.folder), "work"),
                   options.matrix, options.programs, options.mpi)

    def lacks(self, needs):
        """A sentence about the first input that is needed and was not given; or None."""
        words = {"matrix": "--matrix: BCSSTK15 as a Matrix Market file", "programs": "--programs: the folder with NPB's sources"}
        for need in needs:
            path = getattr(self, need)
            if not path:
                return f"It needs {words[need]}."
            if not os.path.exists(path):
                return f"There is no {path}."
        return None

    def program(self, *path):
        where = os.path.join(self.build.prefix, "libexec", "lapwing", *path)
        if not os.path.exists(where):
            raise Missing(f"There is no {where}: build the whole project.")
        return where

    def bench(self, name, *words):
        """The records of `lapwing bench NAME`, and its command line."""
        driver = self.program("bench-driver")
        argv = [sys.executable, driver, name, "--json", "--prefix", self.build.prefix, *words]
        done = subprocess.run(argv, capture_output=True, text=True, check=False)
        records = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]
        if not records:
            raise Missing(f"lapwing bench {name} {' '.join(words)} measured nothing: {done.stderr.strip()[-400:]}")
        return records, "lapwing bench " + " ".join([name, *words])
