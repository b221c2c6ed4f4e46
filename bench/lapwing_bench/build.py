# SPDX-License-Identifier: Apache-2.0
"""Where the programs and the preload library are."""
import os
import sys

from .errors import BenchError


class Build:
    """An installation or a build tree: lib/ and libexec/lapwing/ under one folder."""

    def __init__(self, prefix):
        self.prefix = prefix
        self._said = False

    @classmethod
    def find(cls, asked, script):
        if asked:
            return cls(os.path.abspath(asked))
        here = os.path.dirname(script)
        for candidate in (os.path.join(here, "..", ".."), os.path.join(here, "..", "build", "release")):
            candidate = os.path.abspath(candidate)
            if os.path.isdir(os.path.join(candidate, "libexec", "lapwing")):
                return cls(candidate)
        raise BenchError("The benchmark programs were not found beside the driver; name the build or "
                         "installation with --prefix.")

    def is_for(self, mpi):
        return os.path.isdir(os.path.join(self.prefix, "libexec", "lapwing", mpi))

    def program(self, mpi, name):
        path = os.path.join(self.prefix, "libexec", "lapwing", mpi, name)
        if not os.path.exists(path):
            raise BenchError(f"There is no {path}: build the target {name}_{mpi}, or choose another --mpi.")
        return path

    def has_preload(self, mpi):
        library = os.path.join(self.prefix, "lib")
        present = all(os.path.exists(os.path.join(library, name))
                      for name in ("liblapwing-preload.so", f"liblapwing-{mpi}.so"))
        if not present:
            self.note_absent()
        return present

    def preload(self, mpi):
        """The environment that puts a rank under Lapwing; empty where that is not built."""
        if not self.has_preload(mpi):
            return {}
        return {"LD_PRELOAD": os.path.join(self.prefix, "lib", "liblapwing-preload.so"), "LAPWING_JOB": "uniform"}

    def note_absent(self):
        if not self._said:
            print(f"bench: Lapwing's libraries under {self.prefix}/lib are missing or stand aside: only the plain and "
                  "the hand-written variant are measured.", file=sys.stderr)
        self._said = True
