# SPDX-License-Identifier: Apache-2.0
"""Builds a recipe's program once for each MPI and way of compiling, in copies of its sources."""
import hashlib
import os
import shutil
import stat
import subprocess

from .errors import BenchError
from .programs_edits import Edits

# All ways of compiling use the same clang and flang through the same wrappers, and the same flags. `plain` is compiled
# without the pass and linked without liblapwing.
_WAYS = {
    "plain": (["--lapwing-off"], []),
    "plain-lto": (["--lapwing-off"], ["-flto"]),
    "compiled": ([], []),
    "lto": ([], ["-flto"]),
    "hand": (["--lapwing-off"], []),   # as plain, from edited sources
}
# Every loop begins a line of the instruction cache: where it happens to lie makes up to a tenth of a difference. flang 19
# has no such option.
_CFLAGS, _FFLAGS = ["-O3", "-falign-loops=64"], ["-O3"]
_LIMIT = 900


def way(variant):
    """How the program of a variant is compiled."""
    return {"run": "plain", "control": "plain", "compiled+run": "compiled"}.get(variant, variant)


class Programs:
    """The cache folder of built programs."""

    def __init__(self, build, sources, work):
        self._build, self._sources, self._work = build, sources, os.path.abspath(work)
        self._failed = {}   # a build that failed is not tried again

    def file(self, recipe, name):
        """A file that the program reads: from its sources, or from beside the recipe."""
        for folder in ([os.path.join(self._sources, recipe.source)] if recipe.source else []) + [recipe.folder]:
            if os.path.exists(os.path.join(folder, name)):
                return os.path.join(folder, name)
        raise BenchError(f"{recipe.path} names a file {name}, which is neither with the sources nor beside the recipe.")

    def possible(self):
        return all(os.path.exists(os.path.join(self._build.prefix, "bin", name)) for name in ("lwcc", "lwc++", "lwfc"))

    def folder(self, recipe, mpi, name):
        return os.path.join(self._work, recipe.name, mpi, name)

    def program(self, recipe, mpi, variant):
        """The path of the program, built now if it was not; BenchError says why it cannot be had."""
        if recipe.command:
            path = shutil.which(recipe.command)
            if not path:
                raise BenchError(f"{recipe.command} is not installed.")
            return path
        name = way(variant)
        folder = self.folder(recipe, mpi, f"{name}-quick" if recipe.has_own_quick_build() else name)
        path, stamp = os.path.join(folder, recipe.program), os.path.join(folder, ".built")
        identity = self._identity(recipe, mpi, name)
        if os.path.exists(path) and _text(stamp) == identity:
            return path
        if folder in self._failed:
            raise BenchError(self._failed[folder])
        try:
            self._make(recipe, mpi, name, folder)
        except BenchError as error:
            self._failed[folder] = str(error)
            raise
        if not os.path.exists(path):
            raise BenchError(f"The commands of {recipe.path} made no {path}; see build.log there.")
        with open(stamp, "w", encoding="utf-8") as file:
            file.write(identity)
        return path

    def _identity(self, recipe, mpi, name):
        """The inputs that a built program depends on; the pass counts where it was used."""
        words = [recipe.build_text(), mpi, name, self._build.prefix, *_CFLAGS, *_FFLAGS]
        if name == "hand":
            words.append(_edits(recipe).text)
        tools = ["lib/LapwingPass.so"] if name in ("compiled", "lto") else []
        for tool in tools:
            path = os.path.join(self._build.prefix, tool)
            words.append(str(os.stat(path).st_mtime_ns) if os.path.exists(path) else "")
        return hashlib.sha256("\n".join(words).encode()).hexdigest()

    def _make(self, recipe, mpi, name, folder):
        if not self.possible():
            raise BenchError(f"The wrappers lwcc, lwc++ and lwfc are not under {self._build.prefix}/bin: nothing is compiled.")
        source = os.path.join(self._sources, recipe.source)
        if not os.path.isdir(source):
            raise BenchError(f"There is no folder {source}, where {recipe.path} expects the sources.")
        shutil.rmtree(folder, ignore_errors=True)
        os.makedirs(os.path.dirname(folder), exist_ok=True)
        _copy(source, folder)
        if name == "hand":
            _edits(recipe).apply(folder)
        log = os.path.join(folder, "build.log")
        with open(log, "w", encoding="utf-8") as file:
            try:
                done = subprocess.run(["sh", "-e", "-c", recipe.commands], cwd=folder, stdout=file, stderr=file, timeout=_LIMIT,
                                      stdin=subprocess.DEVNULL, env=self._environment(recipe, mpi, name))
            except subprocess.TimeoutExpired:
                raise BenchError(f"{recipe.name} was not built within {_LIMIT} s; see {log}.") from None
        if done.returncode != 0:
            raise BenchError(f"{recipe.name} ({name}, {mpi}) cannot be built: {_complaint(log)} ({log})")

    def _environment(self, recipe, mpi, name):
        options, flags = _WAYS[name]
        told = {key: value for key, value in os.environ.items() if key not in ("LD_PRELOAD", "MAKEFLAGS")}
        for variable, wrapper in (("MPICC", "lwcc"), ("MPICXX", "lwc++"), ("MPIFC", "lwfc")):
            path = os.path.join(self._build.prefix, "bin", wrapper)
            told[variable] = " ".join([path, "--lapwing-mpi=" + mpi, *options])
        told["RECIPES"] = recipe.folder
        told["CFLAGS"] = told["CXXFLAGS"] = " ".join(_CFLAGS + flags + recipe.cflags.split())
        told["FFLAGS"] = " ".join(_FFLAGS + flags + recipe.fflags.split())
        return told


def _edits(recipe):
    return Edits(os.path.join(recipe.folder, recipe.hand), recipe.name)


def _copy(source, folder):
    """A copy that may be written to, whatever may be done with the original."""
    shutil.copytree(source, folder)
    for place, _, files in os.walk(folder):
        for path in [place] + [os.path.join(place, file) for file in files]:
            os.chmod(path, os.stat(path).st_mode | stat.S_IWUSR)


def _text(path):
    try:
        with open(path, encoding="utf-8") as file:
            return file.read()
    except OSError:
        return None


def _complaint(log):
    """The line of a compiler's that says what is wrong, or the last one."""
    lines = [line.strip() for line in (_text(log) or "").splitlines() if line.strip()]
    return next((line for line in lines if "error" in line.lower()), lines[-1] if lines else "no word about why")
