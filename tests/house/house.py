#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks that the house stands: rooms use only what is below them, and the
rules of CONTRIBUTING.md that a machine can see hold in every file.

Usage: house.py [--root DIR] CHECK...     checks: see CHECKS, or "all"
Ends with 0 if all hold, 1 with one line per finding, 77 if a check could not
be made (no clang-format of the right version).
"""
import argparse
import pathlib
import re
import subprocess
import sys

import sentences
import text

# Each room and those that it may use, nearest first. Public headers
# (include/lapwing) may be used by all.
BELOW_TRANSFER = ["guard", "machine", "mpi", "progress", "options"]
BELOW_ENTRY = ["sets", "arrays", "tasks", "transfer", *BELOW_TRANSFER]
ROOMS = {
    "calls": [],
    "options": [],
    "progress": [],
    "mpi": ["progress", "options"],
    "guard": ["mpi", "progress", "options"],
    "machine": ["mpi", "progress", "options"],
    "transfer": BELOW_TRANSFER,
    "sets": ["transfer", *BELOW_TRANSFER],
    "arrays": ["transfer", *BELOW_TRANSFER],
    "tasks": ["transfer", *BELOW_TRANSFER],
    "entry": BELOW_ENTRY,
    "report": ["entry", *BELOW_ENTRY],
    "cli": ["report", "entry", *BELOW_ENTRY],
    "compiler": ["options"],
    "preload": ["progress", "options"],
}
# Rooms that must build and run where no MPI is installed for them.
WITHOUT_MPI = ["options", "progress", "guard", "machine", "tasks", "report", "cli", "compiler",
               "preload"]
FLAVOURS = ["mpich", "openmpi", "abi"]

C_FAMILY = {".cpp", ".hpp", ".h", ".c"}
LENGTH_COUNTED = C_FAMILY | {".py", ".f90", ".F90", ".f"}
SPDX_NAMES = {"CMakeLists.txt", "Makefile", ".clang-format", ".clang-tidy", ".editorconfig"}
SPDX_SUFFIXES = LENGTH_COUNTED | {".S", ".def", ".sh", ".cmake", ".in", ".inc", ".table"}
SPDX = "SPDX-License-Identifier: Apache-2.0"
LENGTH_MOST = 400
CLANG_FORMAT_MAJOR = "14"
CANNOT_CHECK = 77

INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]', re.MULTILINE)
FLAVOUR_CONDITION = re.compile(r"^\s*#\s*(?:if|ifdef|ifndef|elif)\b.*\b(MPICH(?:_\w+)?|OPEN_MPI|OMPI_\w+)\b")
MPI_CALL = re.compile(r"(?<![\w.>])((?:::\s*)?MPI_[A-Z]\w*)\s*\(")
# "int MPI_Send(" declares and "MPI_Comm(x)" converts; neither calls.
DECLARES = re.compile(r"(?:\b(?:int|double|void|MPI_\w+)|[*&])\s*$")
MPI_TYPES = {"Aint", "Comm", "Count", "Datatype", "Errhandler", "File", "Fint", "Group", "Info", "Message",
             "Offset", "Op", "Request", "Session", "Status", "Win"}
NAME_OF_CALL = re.compile(r'"(?:P?MPI_|p?mpi_)?([A-Za-z_0-9]+?)_*"')
# Files that name calls, and why.
NAMES_OF_CALLS = {
    # Errors and remarks that name the call which the file itself makes or stands for.
    "src/entry/p2p/complete.cpp", "src/entry/p2p/probe.cpp", "src/entry/p2p/receive.cpp",
    "src/entry/compiled/calls.cpp", "src/entry/compiled/collectives.cpp", "src/entry/fortran/compiled.cpp",
    "src/entry/sets/process_sets.cpp", "src/entry/sets/watched.cpp", "src/entry/timed.cpp", "src/sets/report/report_text.cpp", "src/sets/report/call_findings.cpp", "src/sets/run/run.hpp",
    "src/compiler/declared/declared_pass.cpp", "src/compiler/waits/rewrite.cpp",
    # Symbols that are looked for in the files of a program: some calls change what all others may do.
    "src/entry/init.cpp", "src/entry/sets/start.cpp", "src/mpi/error_handlers.cpp", "src/entry/compiled/collective_forms.cpp", "src/entry/collectives/deferred.cpp", "src/entry/one_sided/accesses.cpp",
    "src/compiler/effects/module_properties.cpp", "src/compiler/sets/memory_use.cpp",
    "src/compiler/waits/freed_requests.cpp", "src/sets/check/in_flight.cpp",
    # A single call with a meaning of its own.
    "src/compiler/effects/mpi_effects.cpp", "src/compiler/sets/collective_calls.cpp",
    "src/compiler/sets/mismatch.cpp", "src/compiler/waits/candidates.cpp",
    # libc's abort.
    "src/compiler/sets/language_libraries.cpp",
}
LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")


class House:
    def __init__(self, root):
        self.root = root
        self.findings = []
        self.unchecked = []

    def files(self):
        """The tracked files; all files where there is no git."""
        listed = subprocess.run(["git", "-C", str(self.root), "ls-files", "-z"], capture_output=True, check=False)
        if listed.returncode == 0 and (self.root / ".git").exists():
            names = sorted(set(listed.stdout.decode().split("\0")) - {""})
            return [self.root / n for n in names if (self.root / n).is_file()]
        return sorted(p for p in self.root.rglob("*") if p.is_file()
                      and p.relative_to(self.root).parts[0] not in ("build", ".git"))

    def name(self, path):
        return path.relative_to(self.root).as_posix()

    def say(self, path, line, sentence):
        self.findings.append(f"{self.name(path)}:{line}: {sentence}")

    # --- rooms -----------------------------------------------------------
    def owner(self, path):
        """(kind, room) of a file: ("src", room), ("include", None), ("bench", None), ..."""
        parts = path.relative_to(self.root).parts
        if parts[0] == "src" and len(parts) > 2:
            return "src", parts[1]
        return parts[0], None

    def resolve(self, path, include):
        """The file of this tree that an #include names, or None for a system header."""
        if include == "mpi.h":
            return None  # an MPI's own, whatever stands before it (src/mpi/openmpi/mpi.h)
        src = self.root / "src"
        places = [path.parent, src, self.root / "include", *[src / "mpi" / f for f in FLAVOURS]]
        if self.owner(path)[0] != "src":
            places += [self.root / "bench", self.root / "tests", self.root / "examples"]
        for place in places:
            candidate = (place / include).resolve()
            if candidate.is_file() and candidate.is_relative_to(self.root):
                return candidate
        return None

    def rooms(self):
        for path in self.files():
            kind, room = self.owner(path)
            if path.suffix not in C_FAMILY | {".S"} or kind in ("tests", "tools", "bindings"):
                continue
            if kind == "src" and room not in ROOMS:
                self.say(path, 1, f"room '{room}' is not in the house: add it to ROOMS in tests/house/house.py "
                                  "and to CONTRIBUTING.md")
                continue
            source = text.without_comments(path.read_text(errors="replace"))
            for match in INCLUDE.finditer(source):
                line = source.count("\n", 0, match.start(2)) + 1
                self.check_include(path, line, kind, room, match.group(2))

    def check_include(self, path, line, kind, room, include):
        # The command launches an MPI program under mpiexec, and the program lives beside the command. The wire of
        # tasks is a library of its own, which their room loads where there is an MPI.
        launched = "/program/" in path.as_posix() or any(f"/tasks/{part}/" in path.as_posix() for part in ("wire", "outside"))
        if include == "mpi.h" and room in WITHOUT_MPI and not launched:
            self.say(path, line, f"room '{room}' must know no MPI, but includes <mpi.h>")
        target = self.resolve(path, include)
        if target is None:
            first = include.split("/")[0]
            if kind == "src" and first in ROOMS and "/" in include and first not in (room, *ROOMS[room]):
                self.say(path, line, f"room '{room}' includes {include}: '{first}' is beside or above it")
            return
        target_kind, target_room = self.owner(target)
        if target_kind == "include":
            return
        if kind == "include":
            self.say(path, line, f"a public header includes {self.name(target)}, which is not public")
        elif kind == "src" and target_kind != "src":
            self.say(path, line, f"room '{room}' includes {self.name(target)}, which is outside src/")
        elif kind == "src" and target_room != room and target_room not in ROOMS[room]:
            self.say(path, line, f"room '{room}' includes {self.name(target)}: '{target_room}' is beside or above it")
        elif kind in ("bench", "examples") and target_kind == "src":
            self.say(path, line, f"{kind}/ stands on the public headers, but includes {self.name(target)}")

    # --- rules of one file -------------------------------------------------
    def spdx(self):
        for path in self.files():
            with open(path, "rb") as stream:
                head = stream.read(600)
            wanted = path.name in SPDX_NAMES or path.suffix in SPDX_SUFFIXES or head.startswith(b"#!")
            if wanted and SPDX.encode() not in b"\n".join(head.split(b"\n")[:6]):
                self.say(path, 1, f"no line '{SPDX}' at the top")

    def length(self):
        for path in self.files():
            if path.suffix not in LENGTH_COUNTED:
                continue
            lines = path.read_bytes().count(b"\n")
            if lines > LENGTH_MOST:
                self.say(path, lines, f"{lines} lines; one idea per file, at most {LENGTH_MOST} lines")

    def flavours(self):
        for path in self.files():
            name = self.name(path)
            if path.suffix not in C_FAMILY or not name.startswith(("src/", "include/", "examples/")) \
                    or name.startswith("src/mpi/"):
                continue
            for number, line in enumerate(text.without_comments(path.read_text(errors="replace")).split("\n"), 1):
                found = FLAVOUR_CONDITION.search(line)
                if found:
                    self.say(path, number, f"asks for {found.group(1)} at compile time; "
                                           "code for one MPI lives in src/mpi only")

    def pmpi(self):
        for path in self.files():
            # Fortran's entry points are the one place that calls our own C ones.
            if path.suffix not in C_FAMILY or self.owner(path)[0] != "src" \
                    or self.name(path).startswith("src/entry/fortran"):
                continue
            source = text.without_strings(text.without_comments(path.read_text(errors="replace")))
            for match in MPI_CALL.finditer(source):
                function = match.group(1).lstrip(": ")
                before = source[max(0, match.start() - 80):match.start()]
                if function[4:] in MPI_TYPES or DECLARES.search(before) or self.in_macro_table(source, match):
                    continue
                line = source.count("\n", 0, match.start()) + 1
                self.say(path, line, f"calls {function}; Lapwing itself calls only P{function}")

    @staticmethod
    def in_macro_table(source, match):
        """MPI names on a preprocessor line are tables and declarations, not calls."""
        start = source.rfind("\n", 0, match.start()) + 1
        return source[start:match.start()].lstrip().startswith("#")

    def calls(self):
        """MPI's calls are described in src/calls and nowhere else: names of calls in the text of a program are a
        second list, unless NAMES_OF_CALLS says why they stand there."""
        known = {name.lower() for name in self.described_calls()}
        for path in self.files():
            name = self.name(path)
            if path.suffix not in C_FAMILY or not name.startswith(("src/compiler/", "src/sets/", "src/entry/")) \
                    or name in NAMES_OF_CALLS:
                continue
            source = text.without_comments(path.read_text(errors="replace"))
            for match in NAME_OF_CALL.finditer(source):
                if match.group(1).lower() in known:
                    line = source.count("\n", 0, match.start()) + 1
                    self.say(path, line, f"names {match.group(0)}: a fact about a call belongs to src/calls/chapters")

    def described_calls(self):
        for path in sorted((self.root / "src" / "calls" / "chapters").glob("*.txt")):
            for line in path.read_text().split("\n"):
                names, colon, _ = line.partition(":")
                if colon and not line.startswith(("#", " ", "[")):
                    yield from names.split()

    def links(self):
        for path in self.files():
            if path.suffix != ".md":
                continue
            for number, line in enumerate(path.read_text().split("\n"), 1):
                for target in LINK.findall(line):
                    if re.match(r"[a-z]+:|#", target):
                        continue
                    if not (path.parent / target.split("#")[0]).exists():
                        self.say(path, number, f"links to {target}, which is not there")

    def sentences(self):
        for path in sentences.files(self.root, sentences.DONE):
            for line, beginning in sentences.findings(path):
                self.say(path, line, f"begins a sentence with '{beginning}': name the actor (CONTRIBUTING.md)")

    def format(self):
        try:
            version = subprocess.run(["clang-format", "--version"], capture_output=True, text=True, check=True)
        except (OSError, subprocess.CalledProcessError):
            self.unchecked.append("format: there is no clang-format")
            return
        if not re.search(rf"version {CLANG_FORMAT_MAJOR}\.", version.stdout):
            self.unchecked.append(f"format: wants clang-format {CLANG_FORMAT_MAJOR}, not {version.stdout.strip()}")
            return
        sources = [str(p) for p in self.files() if p.suffix in C_FAMILY]
        for start in range(0, len(sources), 50):
            run = subprocess.run(["clang-format", "--dry-run", "--Werror", "--ferror-limit=1",
                                  *sources[start:start + 50]],
                                 cwd=self.root, capture_output=True, text=True, check=False)
            for line in run.stderr.splitlines():
                found = re.match(r"(.*?):(\d+):\d+: error:", line)
                if found:
                    self.say(pathlib.Path(found.group(1)), found.group(2), "is not formatted; run 'make format'")
            if run.returncode and not self.findings:
                self.findings.append(f"clang-format failed: {run.stderr.strip()}")


CHECKS = ["rooms", "spdx", "length", "flavours", "pmpi", "links", "sentences", "calls", "format"]


def main():
    parser = argparse.ArgumentParser(description="Checks that the house stands.")
    parser.add_argument("--root", type=pathlib.Path, default=pathlib.Path(__file__).parents[2])
    parser.add_argument("checks", nargs="+", choices=[*CHECKS, "all"])
    arguments = parser.parse_args()
    house = House(arguments.root.resolve())
    chosen = CHECKS if "all" in arguments.checks else arguments.checks
    for check in chosen:
        getattr(house, check)()
    for finding in house.findings:
        print(finding)
    for reason in house.unchecked:
        print(f"not checked: {reason}")
    if house.findings:
        print(f"{len(house.findings)} findings")
        return 1
    return CANNOT_CHECK if house.unchecked and len(chosen) == len(house.unchecked) else 0


if __name__ == "__main__":
    sys.exit(main())
