# SPDX-License-Identifier: Apache-2.0
"""Says what each symbol that an MPI exports is and needs, by chapters/*.txt and without_arguments.txt.

Used by generate.py, which writes the stubs, by bindings/fortran and by the tests in tests/entry.
"""

import fnmatch
import functools
import glob
import os
import re
import subprocess
import textwrap

import group_calls
import signatures

NAMES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "names")
TABLE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "without_arguments.txt")
CLASSES = ("p2p", "check", "retire", "sync", "pass", "internal")


class TableError(Exception):
    pass


class Item:
    """One buffer, or a scalar of at most 64 bytes, that a call touches. Arguments count from 0, as in C."""

    def __init__(self, writes, buffer, count=-1, type=-1, per_process=False, root_only=False):
        self.writes, self.buffer, self.scalar = writes, buffer, count < 0
        self.count, self.type = max(count, 0), max(type, 0)
        self.per_process, self.root_only = per_process, root_only


def items_of(signature):
    """The memory of a call of class `check`: its buffers, and then its results."""
    buffers, scalars = [], []
    for index, argument in enumerate(signature.arguments):
        if argument.type == "buf":
            data = group_calls.data_at(signature.arguments, index)
            buffers.append(Item(argument.intent != "in", index, data.count, data.type,
                                argument.name in signature.facts.get("each", []),
                                argument.name in signature.facts.get("at_root", [])))
        elif argument.type != "place" and (argument.intent != "in" or argument.type == "status"):
            scalars.append(Item(argument.intent != "in", index))
    return buffers + scalars


SENDS = {"send", "ssend", "isend", "issend", "send_init"}  # kinds of calls that do nothing else


class Entry:
    """One MPI function, in all its spellings."""

    def __init__(self, name, kind, items=()):
        self.name, self.kind, self.items = name, kind, list(items)
        self.comm = self.root = -1
        self.own = False  # the form in C is written by hand
        self.accesses_stay = False  # no other process can notice the call
        self.receives = False  # it receives, looks for, starts or completes what may be a receive
        self.group = None  # of group_calls.py, if processes make the call together
        self.handle = None  # (type, argument, what happens to it, arguments in C), if it makes, frees or lends one

    @staticmethod
    def of(signature):
        entry = Entry(signature.name, signature.entry_class)
        entry.own = "own" in signature.facts
        entry.accesses_stay = "accesses_stay" in signature.facts or signature.facts.get("kind") == ["query"]
        about_receives = any(a.name in ("request", "array_of_requests", "message", "status", "source")
                             for a in signature.arguments)
        entry.receives = (entry.kind == "p2p" and about_receives
                          and not SENDS.intersection(signature.facts.get("kind", [])))
        for fact in ("makes", "frees", "lends"):
            if fact in signature.facts:
                at = signature.at(signature.facts[fact][0])
                entry.handle = signature.arguments[at].type, at, fact, len(signature.arguments)
        if entry.kind == "check":
            entry.items = items_of(signature)
            if any(i.root_only for i in entry.items):
                entry.root = signature.at("root")
            if any(i.root_only or i.per_process for i in entry.items):
                entry.comm = signature.at("comm")
        return entry


class Table:
    def __init__(self, path=TABLE, known=None):
        self.entries = {}   # by lower-case name
        self.patterns = []
        for signature in (signatures.read() if known is None else known).values():
            if signature.kind == "function":
                self.add(Entry(signature.name, "pass"))
            elif signature.entry_class:
                self.add(Entry.of(signature))
        kind, items = None, []
        with open(path, encoding="ascii") as file:
            for number, line in enumerate(file, 1):
                line = line.split("#")[0].strip()
                try:
                    if line.startswith("["):
                        kind, items = self.section(line)
                        continue
                    for name in line.split():
                        self.add_name(name, kind, items)
                except TableError as error:
                    raise TableError(f"{path}:{number}: {error}") from None
        for name, call in group_calls.load(known).items():
            self.entries[name].group = call
        for name, entry in self.entries.items():
            if name.endswith("_cptr"):
                entry.group = self.entries[name.removesuffix("_cptr")].group

    @staticmethod
    def section(line):
        if not line.endswith("]"):
            raise TableError("a section must end with ']'")
        kind, *words = line[1:-1].split()
        if kind not in CLASSES:
            raise TableError(f"no class '{kind}'; there are {', '.join(CLASSES)}")
        if bool(words) != (kind == "check"):
            raise TableError("'check' needs a specification, and only 'check' takes one")
        items = []
        for word in words:
            match = re.fullmatch(r"([<>])(\d+)", word)
            if not match:
                raise TableError(f"'{word}' is no scalar; write <B where argument B is read, >B where it is written")
            items.append(Item(match[1] == ">", int(match[2])))
        return kind, items

    def add_name(self, name, kind, items):
        if kind is None:
            raise TableError("names stand before the first section")
        if kind == "internal":
            self.patterns.append(name)
        else:
            self.add(Entry(name, kind, items))

    def add(self, entry):
        if entry.name.lower() in self.entries:
            raise TableError(f"{entry.name} stands here and in section '{self.entries[entry.name.lower()].kind}'")
        self.entries[entry.name.lower()] = entry


class Symbol:
    """An exported function, taken apart."""

    # form: c, large (C with MPI_Count), f77 (mpif.h and use mpi), f08, f08ts, inner (ompi_x_f)
    def __init__(self, name, entry, form, profiling):
        self.name, self.entry, self.form, self.profiling = name, entry, form, profiling


SPELLINGS = (
    (r"(p?)mpi(?:x?r|x)?_(.+?)(?:_c)?_f08ts(?:_large)?_", "f08ts"),
    (r"(p?)mpi(?:x?r|x)?_(.+?)(?:_c)?_f08(?:_large)?_", "f08"),
    (r"(p?)ompix?_(.+)_f08", "f08"),
    (r"(p?)ompix?_(.+)_f", "inner"),
    (r"(P?)MPIX?_([A-Za-z]\w*)_f(?:08)?", "f77"),
    (r"(p?)mpix?_([a-z]\w*?)_{0,2}", "f77"),
    (r"(P?)MPIX?_([A-Z][A-Z0-9_]*?)_{0,2}", "f77"),
)


def classify(name, table):
    """A Symbol; None for an internal one; raises TableError for an unknown one."""
    match = re.fullmatch(r"(P?)MPIX?_([A-Z]\w*)", name)
    if match:
        for stem, form in ((match[2], "c"), (re.sub("_c$", "", match[2]), "large")):
            entry = table.entries.get(stem.lower())
            if entry and entry.name == stem:
                return Symbol(name, entry, form, bool(match[1]))
    for pattern, form in SPELLINGS:
        match = re.fullmatch(pattern, name)
        entry = match and table.entries.get(match[2].lower())
        if entry:
            profiling = bool(match[1])
            return Symbol(name, entry, form, profiling)
        # A name that looks like an entry point must be one: no mere pattern may hide it.
        if match and form == "inner" and name not in table.patterns:
            break
    else:
        if any(fnmatch.fnmatchcase(name, p) for p in table.patterns):
            return None
    raise TableError(f"{name} is not classified: describe it in src/calls/chapters, as src/calls/signatures.py says, or "
                     "name it in src/calls/without_arguments.txt")


@functools.cache
def exported(path, nm="nm"):
    """(functions, undefined) of a shared library, as sets of names that the caller leaves as they are."""
    functions, undefined = set(), set()
    output = subprocess.run([nm, "-D", path], check=True, capture_output=True, text=True).stdout
    for line in output.splitlines():
        kind, name = line.split()[-2:]
        name = name.split("@")[0]
        if kind in "TWi":
            functions.add(name)
        elif kind in "Uw":
            undefined.add(name)
    return functions, undefined


# The libraries of each family: patterns of the names of their files, without ".so", and
# what they hold.
LIBRARIES = {
    "mpich": {"libmpich|libmpi|libmpi_*": "c", "libmpichfort|libmpifort|libmpifort_*": "fortran"},
    "openmpi": {"libmpi": "c", "libmpi_mpifh": "fortran", "libmpi_usempif08": "f08"},
    "abi": {"libmpi_abi": "c", "libmpifort_abi": "fortran"},
}


VERSIONS = {"mpich": "12", "openmpi": "40", "abi": "*"}


def find_libraries(family, libmpi):
    """{library: path} of the family's libraries next to `libmpi`."""
    folders = dict.fromkeys((os.path.dirname(os.path.realpath(libmpi)), os.path.dirname(libmpi)))
    found = {}
    for stem in LIBRARIES[family]:
        for pattern in stem.split("|"):
            for folder in folders:
                for path in sorted(glob.glob(os.path.join(folder, f"{pattern}.so.{VERSIONS[family]}"))):
                    found.setdefault(stem, path)
    return found


def load_names(family, folder=NAMES):
    """{library: (entry points, symbols that it calls)}, as the members of a family export them."""
    result, names = {}, set()
    path = os.path.join(folder, f"{family}.txt")
    if not os.path.exists(path):
        return result
    with open(path, encoding="ascii") as file:
        for line in file:
            line = line.split("#")[0].strip()
            if line.startswith("["):
                stem, *calls = line[1:-1].split()
                names = result.setdefault(stem, (set(), set()))[1 if calls else 0]
                continue
            for name in line.split():
                names.update(spellings(name[:-1]) if name.endswith("*") else (name,))
    return result


def spellings(name):
    """A Fortran entry point as compilers call it."""
    return name, name + "_", name + "__", name.upper()


def save_names(family, names, folder=NAMES):
    """Names that exist in all spellings are written once, with a star."""
    lines = ["# SPDX-License-Identifier: Apache-2.0", "# Written by src/calls/collect.py."]
    for stem, sets in names.items():
        for functions, head in zip(sets, (f"[{stem}]", f"[{stem} calls]")):
            words = []
            for name in sorted(functions):
                starred = [n for n in (name, name.rstrip("_"), name.lower()) if functions.issuperset(spellings(n))]
                words.append(starred[0] + "*" if starred and "_f" not in name[-4:] else name)
            if not words:
                continue
            lines.append(head)
            lines += textwrap.wrap(" ".join(dict.fromkeys(words)), 118, break_long_words=False)
    with open(os.path.join(folder, f"{family}.txt"), "w", encoding="ascii") as file:
        file.write("\n".join(lines) + "\n")


class Hook:
    """One symbol that Lapwing exports.

    kind: cpp    defined in src/entry
          glue   defined in fortran_*.cpp; `target` is the function it stands for
          stub   retires what the table says, then goes on to `target`
          site   notes its caller, then goes on to `target`
    target: a symbol of `library`; library "" means the C library, at load time
    """

    def __init__(self, symbol, kind, target="", library=""):
        self.name, self.entry, self.form = symbol.name, symbol.entry, symbol.form
        self.kind, self.target, self.library = kind, target, library


def hooks(family, table, names=None):
    """Every symbol that must be hooked, one level only: a Fortran wrapper that
    calls the C function, or another hooked wrapper, gets none of its own, but
    for calls of which something may be found (messages, group calls, and those
    that make or free a handle) one that remembers which line of the program
    called. MPI's Fortran library must stay needed: mpi_init_ has none."""
    result = {}
    symbols = names or load_names(family)
    inner = symbols.get("libmpi_usempif08", (set(), set()))[1]

    def add(hook):
        result.setdefault(hook.name, hook)

    for stem in LIBRARIES[family]:
        for name in sorted(symbols.get(stem, (set(),))[0]):
            try:
                symbol = classify(name, table)
            except TableError:
                continue  # the tests say so; a build goes on
            if symbol is None or symbol.profiling:
                continue
            entry, form = symbol.entry, symbol.form
            by_hand = entry.kind == "p2p" or (entry.own and form == "c")
            if entry.kind == "pass" and not by_hand:
                continue
            tells_caller = by_hand or entry.group is not None or entry.handle is not None
            if form in ("c", "large"):
                if LIBRARIES[family][stem] == "c":
                    add(Hook(symbol, "cpp") if by_hand else Hook(symbol, "stub", "P" + name))
            elif family in ("mpich", "abi"):
                # mpif.h, use mpi and every f08ts wrapper call MPI_X; the other
                # wrappers of mpi_f08 call PMPI_X.
                if form == "f08":
                    add(Hook(symbol, "glue", entry.name.lower()) if by_hand
                        else Hook(symbol, "stub", name, stem))
                elif tells_caller:
                    add(Hook(symbol, "site", name, stem))
            elif form in ("f77", "inner") and stem == "libmpi_mpifh":
                prefix = "ompix_" if re.match("(?i)mpix|ompix", name) else "ompi_"
                target = f"{prefix}{entry.name.lower()}_f"
                if target not in symbols[stem][0]:
                    target = name
                add(Hook(symbol, "glue", entry.name.lower()) if by_hand else Hook(symbol, "stub", target, stem))
            elif form == "f08" and stem == "libmpi_usempif08":
                prefix = "ompix_" if name.startswith("mpix") else "ompi_"
                target = f"{prefix}{entry.name.lower()}_f"
                if target not in inner:
                    add(Hook(symbol, "glue", entry.name.lower()) if by_hand else Hook(symbol, "stub", name, stem))
                elif tells_caller:
                    add(Hook(symbol, "site", name, stem))
    return [result[name] for name in sorted(result)]
