# SPDX-License-Identifier: Apache-2.0
"""Reads chapters/*.txt, the description of MPI's calls: their arguments, in the standard's order and names, and facts.

    Recv: ?buf count datatype source tag comm ?status | p2p kind=recv,standard known

A line gives routines that have the same arguments and facts; a line that begins with `|`
continues the one before. In Fortran, `ierror` comes last by itself, but for [plain] routines
and callbacks. An argument is written

    [intent]name[:type]     intent > out, = inout, ? none (written by C, without INTENT in Fortran), nothing for in

and its type, if it is not said, follows from its name (types.txt):

    int log addr off cnt double   default integer and logical, the kinds of MPI's integers
    str                           character(len=*)
    Comm Datatype ...             a handle
    status statuses               one status, an array of them
    buf                           a choice buffer; one that is not contiguous is copied
    place                         a choice buffer whose own address counts: never a copy
    ptr detached                  an address that MPI gives; a buffer that it gives back
    cptr                          an address by value (callbacks only)
    fn=NAME                       a procedure with the interface of that callback
    ...[]  ...[3,]                an array, the last dimension assumed

The facts are words. The first is the class, which says what an entry point does with the
transfers that Lapwing has deferred:

    p2p       a call of the engine's own, written by hand in src/entry/p2p and src/entry/fortran
    check     the memory follows from the arguments: what overlaps it is retired, then the call goes on
    retire    it does not (arrays of counts or types, windows, files, strings): everything is retired first
    sync      a synchronisation: everything is retired first, whatever the call reads
    pass      touches no memory of the program's; not wrapped

When in doubt, `retire` is always right and only costs overlap. The other facts:

    each=ARG,...       a buffer that has so many elements for each process of the communicator
    at_root=ARG,...    a buffer that only the root has
    group              all processes of a communicator, window or file make the call together
    partners           the calling process and its partners do, or it alone, at a window
    group=OP:WAY       the same, as form WAY (immediate, persistent, begin, end) of the operation OP
    same=ARG,ARG*N     integers, or arrays of N integers, that must be equal on all of them
    makes=ARG          a handle that the program has to free: a datatype, a group or an operation
    frees=ARG          it does so here
    lends=ARG          handles that are MPI's, or of which it is not known who frees them; also those of
                       communicators that process sets do not follow
    accesses_stay      deferred gets and puts stay under way: no other process can notice the call, or it looks after them itself; also of all kind=query
    own                the form in C is written by hand in src/entry
    kind=KIND          what the compiler sees in it (src/compiler/mpi/calls.hpp); `,standard` for sends that
                       are neither buffered, ready nor synchronous; `,split` for collectives that it can split.
                       Other calls may do anything, for the compiler
    known              process sets know what it writes: its outputs, which differ between processes, but for
                       equal=ARG          the same on all
                       equal_on_comm=ARG  the same on all processes of the communicator
                       from_inputs=ARG    a function of the inputs
                       size_of_comm=ARG   that of the communicator
                       own_rank=ARG       the rank of the process in the communicator or group; it differs
                       duplicate=ARG      a duplicate of the communicator
"""

import os
import re

FOLDER = os.path.dirname(os.path.abspath(__file__))
HANDLES = ("Comm", "Datatype", "Errhandler", "File", "Group", "Info", "Message", "Op", "Request", "Session", "Win")
SIMPLE = ("int", "log", "addr", "off", "cnt", "double", "str", "status", "statuses", "buf", "place", "ptr",
          "detached", "cptr")
KINDS = ("routine", "collective", "plain", "deprecated", "callback", "function", "large")
CLASSES = ("p2p", "check", "retire", "sync", "pass")
WRITES = ("equal", "equal_on_comm", "from_inputs", "size_of_comm", "own_rank", "duplicate")
FACTS = ("each", "at_root", "group", "partners", "same", "makes", "frees", "lends", "kind", "known", "own", "accesses_stay", *WRITES)
INTENTS = {"": "in", ">": "out", "=": "inout", "?": ""}


class SignatureError(Exception):
    pass


class Argument:
    def __init__(self, name, type, intent):
        self.name, self.intent = name, intent
        base, bracket, dims = type.partition("[")
        self.type = base
        self.dims = dims.rstrip("]") + "*" if bracket else ""
        self.callback = base[3:] if base.startswith("fn=") else ""
        if not (base in HANDLES or base in SIMPLE or self.callback):
            raise SignatureError(f"no type '{base}' for '{name}'; there are {', '.join(HANDLES + SIMPLE)} and fn=NAME")


class Signature:
    """One routine or callback. `result` is the type of a function; `facts` maps a fact to its words."""

    def __init__(self, name, kind, arguments, result="", entry_class="", facts=None, form=""):
        self.name, self.kind, self.arguments, self.result = name, kind, arguments, result
        self.entry_class, self.facts, self.form = entry_class, facts or {}, form
        for key in ("each", "at_root", "makes", "frees", "lends", *WRITES):
            for name in self.facts.get(key, []):
                self.at(name)

    def at(self, name):
        """The position of the argument of that name, from 0."""
        for index, argument in enumerate(self.arguments):
            if argument.name == name:
                return index
        raise SignatureError(f"{self.name} has no argument '{name}'")

    @property
    def has_ierror(self):
        return self.kind in ("routine", "collective", "deprecated", "large")

    def strings(self):
        return [a for a in self.arguments if a.type == "str"]


def parse_types(lines):
    types = {}
    for _, line in lines:
        kind, *names = line.split()
        types.update((name, kind) for name in names)
    return types


def read_lines(path):
    held = None
    with open(path, encoding="ascii") as file:
        for number, line in enumerate(file, 1):
            line = line.split("#")[0].strip()
            if line.startswith("|") and held:
                held = held[0], f"{held[1]} {line}"
            elif line:
                if held:
                    yield held
                held = number, line
    if held:
        yield held


def parse_argument(text, types):
    match = re.fullmatch(r"([>=?]?)(\w+)(?::([\w=]+(?:\[[\w,]*\])?))?", text)
    if not match:
        raise SignatureError(f"'{text}' is no argument; write [>=?]name[:type]")
    return Argument(match[2], match[3] or types.get(match[2], "int"), INTENTS[match[1]])


def parse_facts(text):
    entry_class, *words = text.split() or [""]
    if entry_class not in CLASSES:
        raise SignatureError(f"'{entry_class}' is no class; the facts of a call begin with one of {', '.join(CLASSES)}")
    facts = {}
    for word in words:
        key, _, value = word.partition("=")
        if key not in FACTS:
            raise SignatureError(f"'{word}' is no fact; there are {', '.join(FACTS)}")
        facts[key] = value.split(",") if value else []
    return entry_class, facts


def non_blocking(signature):
    """The I and the _init form of a collective."""
    request, info = Argument("request", "Request", "out"), Argument("info", "Info", "in")
    name, facts = signature.name, {k: v for k, v in signature.facts.items() if k in ("each", "at_root", "group", "same")}
    yield Signature("I" + name[0].lower() + name[1:], "collective", [*signature.arguments, request],
                    entry_class=signature.entry_class, facts=facts, form="immediate")
    # The buffers of a persistent request are used later, when it is started.
    later = "sync" if signature.entry_class == "sync" else "retire"
    yield Signature(name + "_init", "collective", [*signature.arguments, info, request], entry_class=later, facts=facts,
                    form="persistent")


def parse(lines, types):
    kind = None
    for number, line in lines:
        try:
            if line.startswith("["):
                kind = line[1:-1]
                if kind not in KINDS or not line.endswith("]"):
                    raise SignatureError(f"no section '{line}'; there are {', '.join(KINDS)}")
                continue
            if kind is None or ":" not in line:
                raise SignatureError("write 'Name...: arguments' below a [section]")
            line, bar, facts = line.partition("|")
            entry_class, facts = parse_facts(facts) if bar else ("", {})
            names, _, words = line.partition(":")
            if kind == "function":
                for name in names.split():
                    yield Signature(name, kind, [], words.strip())
                continue
            words, _, result = words.partition("->")
            for name in names.split():
                signature = Signature(name, kind, [parse_argument(w, types) for w in words.split()], result.strip(),
                                      entry_class, facts)
                yield signature
                if kind == "collective":
                    yield from non_blocking(signature)
        except SignatureError as error:
            raise SignatureError(f"line {number}: {error}") from None


def read(folder=FOLDER):
    """{lower-case name: Signature} of all files; two of one name are an error."""
    types = parse_types(read_lines(os.path.join(folder, "types.txt")))
    result = {}
    for file in sorted(os.listdir(os.path.join(folder, "chapters"))):
        try:
            for signature in parse(read_lines(os.path.join(folder, "chapters", file)), types):
                if signature.name.lower() in result:
                    raise SignatureError(f"{signature.name} has two signatures")
                result[signature.name.lower()] = signature
        except SignatureError as error:
            raise SignatureError(f"{os.path.join(folder, 'chapters', file)}: {error}") from None
    return result


def read_handles(folder=FOLDER):
    """{name of a constant: type of handle}"""
    return {f"MPI_{n}": t for n, t in parse_types(read_lines(os.path.join(folder, "handles.txt"))).items()}
