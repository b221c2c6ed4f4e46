# SPDX-License-Identifier: Apache-2.0
"""Which programs are built how, with the pass and without."""
import dataclasses
import hashlib
import os
import pathlib
import random
import shlex
import shutil
import subprocess
import sys
import threading

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[2]
sys.path.insert(0, str(ROOT / "tests" / "support"))
from mpis import MPIS  # noqa: E402

COMPILERS = {"c": "clang-19", "c++": "clang++-19", "fortran": "flang-new-19"}
WRAPPERS = {"c": "lwcc", "c++": "lwc++", "fortran": "lwfc"}
GNU = {"mpich": "mpicc.mpich", "openmpi": "mpicc.openmpi"}
LIBRARIES = {("mpich", "c"): ["-lmpich"], ("openmpi", "c"): ["-lmpi"],
             ("mpich", "fortran"): ["-lmpichfort", "-lmpich"], ("openmpi", "fortran"): ["-lmpi_mpifh", "-lmpi"]}
# Some packages of MPI have no Fortran.
FORTRAN = all(shutil.which(f"mpifort.{mpi}") for mpi in MPIS)
LANGUAGES = ["c", "c", "fortran", "fortran", "c++"] if FORTRAN else ["c", "c", "c++"]
MODES = ["conservative", "aggressive", "aggressive", "demand"]
LIMIT = 120  # seconds of a compile


class CannotBuild(Exception):
    """The compiler refused, or died."""


@dataclasses.dataclass(frozen=True)
class Case:
    """How one program is built and run."""

    language: str
    seed: int
    mpi: str
    ranks: int = 2
    opt: str = "-O2"
    lto: bool = False
    mode: str = "aggressive"
    strict: bool = True
    preload: bool = False
    small_eager: bool = False
    interface: str = "mpif"  # of Fortran: mpif.h or the module mpi
    interior: bool = False  # loops are divided as well

    def line(self):
        return " ".join(f"{f.name}={getattr(self, f.name)}" for f in dataclasses.fields(self))

    @staticmethod
    def parse(line):
        pairs = dict(word.split("=", 1) for word in line.split() if "=" in word)
        kinds = {f.name: f.type for f in dataclasses.fields(Case)}
        turn = {int: int, str: str, bool: lambda v: v == "True", "int": int, "str": str, "bool": lambda v: v == "True"}
        return Case(**{name: turn[kinds[name]](value) for name, value in pairs.items() if name in kinds})

    @staticmethod
    def draw(seed, options):
        """A random way, of those that were asked for."""
        rng = random.Random(f"case {seed}")

        def of(asked, choices):
            return asked if asked and asked != "any" else rng.choice(choices)
        return Case(language=of(options.language, LANGUAGES), seed=seed,
                    mpi=of(options.mpi, list(MPIS)), ranks=int(of(options.ranks, ["2", "2", "2", "2", "2", "3", "4"])),
                    opt=of(options.opt, ["-O1", "-O2", "-O2", "-O3"]),
                    lto={"on": True, "off": False}.get(options.lto, rng.random() < 0.3), mode=of(options.mode, MODES),
                    strict={"on": True, "off": False}.get(options.strict, rng.random() < 0.6),
                    preload={"on": True, "off": False}.get(options.preload, rng.random() < 0.25),
                    small_eager=rng.random() < 0.4, interface=of(options.interface, ["mpif", "mpi"]),
                    interior={"on": True, "off": False}.get(options.interior, rng.random() < 0.4))


def with_module(text):
    """The same program by the module mpi instead of mpif.h."""
    return text.replace("  implicit none\n  include 'mpif.h'\n", "  use mpi\n  implicit none\n")


class Builder:
    def __init__(self, options, scratch):
        self.options = options
        self.build = pathlib.Path(options.build)
        self.cache = pathlib.Path(scratch)
        self.flags = {}
        on = (self.build / "bin" / "lwcc").exists()
        plain = "preload" if options.control and options.preload == "on" else "control"
        self.how = plain if options.control else "wrapper" if on else "control"

    def run(self, command, cwd, environment=None):
        try:
            done = subprocess.run(command, cwd=cwd, capture_output=True, text=True, timeout=LIMIT,
                                  env={**os.environ, **(environment or {})}, check=False, errors="replace")
        except subprocess.TimeoutExpired:
            raise CannotBuild(f"no end after {LIMIT} s: {shlex.join(command)}") from None
        except OSError as error:
            raise CannotBuild(f"{command[0]}: {error}") from None
        if done.returncode:
            lines = done.stderr.splitlines()
            wrong = [" / ".join(lines[i:i + 4]) for i, line in enumerate(lines) if "error:" in line and "Semantic" not in line]
            raise CannotBuild(f"{shlex.join(command)}\n" + ("\n".join(wrong[:5]) or done.stderr[-3000:]))
        return done.stdout

    def mpi_flags(self, mpi, language):
        """What the MPI's own wrapper adds, for another compiler."""
        key = mpi, language
        if key not in self.flags:
            words = self.run([GNU[mpi], "-show"], "/").split()
            places = [w for w in words if w.startswith(("-I", "-L"))]
            if language == "fortran" and mpi == "openmpi":
                places += [f"-I{w[2:]}" for w in words if w.startswith("-L")]
            rest = LIBRARIES[mpi, "fortran" if language == "fortran" else "c"]
            self.flags[key] = places, rest
        return self.flags[key]

    def support(self):
        """The file that every program is linked with, never compiled with the pass."""
        return self._once("support.c", "o", lambda out: ["gcc", "-O1", "-c", str(HERE / "support" / "support.c"), "-o", out])

    def strict(self, mpi, plain):
        extra = ["-DSTRICT_PLAIN"] if plain else []
        return self._once("strict.c", f"{mpi}{'-plain' if plain else ''}.so", lambda out: [
            GNU[mpi], "-O1", "-shared", "-fPIC", *extra, str(HERE / "support" / "strict.c"), "-o", out, "-ldl", "-pthread"])

    def _once(self, source, ending, command):
        text = b"".join(file.read_bytes() for file in sorted((HERE / "support").glob(f"{source[:-2]}*")))
        made = self.cache / f"{source}-{hashlib.sha1(text).hexdigest()[:12]}.{ending}"
        if not made.exists():
            part = made.with_suffix(f".{os.getpid()}-{threading.get_ident()}.part")
            self.run(command(str(part)), "/")
            part.rename(made)
        return str(made)

    def compile(self, case, files, where, name, on):
        """Builds the program in `where`; gives what its build printed."""
        where = pathlib.Path(where)
        module = case.language == "fortran" and case.interface == "mpi"
        for file, text in files.items():
            (where / file).write_text(with_module(text) if module else text)
        includes, libraries = self.mpi_flags(case.mpi, case.language)
        environment = {}
        lto = ["-flto=full", "-fuse-ld=lld"] if case.lto else []
        command = [COMPILERS[case.language], *includes]
        if module and (not on or self.how != "wrapper"):
            # flang reads the module files of our build only.
            command, libraries = [str(self.build / "bin" / "lwfc"), f"--lapwing-mpi={case.mpi}", "--lapwing-off"], []
        elif on and self.how == "wrapper":
            command = [str(self.build / "bin" / WRAPPERS[case.language]), f"--lapwing-mpi={case.mpi}", f"-flapwing={case.mode}"]
            libraries = []
        if on:
            environment = {"LAPWING_PASS": "interior=on" if case.interior else "interior=off", "LAPWING_TESTING": "1"}
        quiet = ["-w", "-fopenmp"] if case.language != "fortran" else []
        self.run([*command, case.opt, *lto, *quiet, f"-I{HERE / 'support'}", *[f for f in files if not f.endswith(".h")],
                  self.support(), "-o", name, *libraries, "-lm"], where, environment)
