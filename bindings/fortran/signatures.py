# SPDX-License-Identifier: Apache-2.0
"""Reads signatures/*.txt: the arguments of every routine, in the standard's order and names.

    Recv: ?buf count datatype source tag comm ?status

A line gives routines that have the same arguments. `ierror` comes last by
itself, but for [plain] routines and callbacks. An argument is written

    [intent]name[:type]     intent > out, = inout, ? none, nothing for in

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
"""

import os
import re

FOLDER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "signatures")
HANDLES = ("Comm", "Datatype", "Errhandler", "File", "Group", "Info", "Message", "Op", "Request", "Session", "Win")
SIMPLE = ("int", "log", "addr", "off", "cnt", "double", "str", "status", "statuses", "buf", "place", "ptr",
          "detached", "cptr")
KINDS = ("routine", "collective", "plain", "deprecated", "callback", "function", "large")
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
    """One routine or callback; `result` is the type of a function."""

    def __init__(self, name, kind, arguments, result=""):
        self.name, self.kind, self.arguments, self.result = name, kind, arguments, result

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
    with open(path, encoding="ascii") as file:
        for number, line in enumerate(file, 1):
            line = line.split("#")[0].strip()
            if line:
                yield number, line


def parse_argument(text, types):
    match = re.fullmatch(r"([>=?]?)(\w+)(?::([\w=]+(?:\[[\w,]*\])?))?", text)
    if not match:
        raise SignatureError(f"'{text}' is no argument; write [>=?]name[:type]")
    return Argument(match[2], match[3] or types.get(match[2], "int"), INTENTS[match[1]])


def non_blocking(signature):
    """The I and the _init form of a collective."""
    request, info = Argument("request", "Request", "out"), Argument("info", "Info", "in")
    name = signature.name
    yield Signature("I" + name[0].lower() + name[1:], "collective", [*signature.arguments, request])
    yield Signature(name + "_init", "collective", [*signature.arguments, info, request])


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
            names, _, words = line.partition(":")
            if kind == "function":
                for name in names.split():
                    yield Signature(name, kind, [], words.strip())
                continue
            words, _, result = words.partition("->")
            for name in names.split():
                signature = Signature(name, kind, [parse_argument(w, types) for w in words.split()], result.strip())
                yield signature
                if kind == "collective":
                    yield from non_blocking(signature)
        except SignatureError as error:
            raise SignatureError(f"line {number}: {error}") from None


def read(folder=FOLDER):
    """{lower-case name: Signature} of all files; two of one name are an error."""
    types = parse_types(read_lines(os.path.join(folder, "types.txt")))
    result = {}
    for file in sorted(os.listdir(folder)):
        if not file.endswith(".txt") or file in ("types.txt", "handles.txt"):
            continue
        try:
            for signature in parse(read_lines(os.path.join(folder, file)), types):
                if signature.name.lower() in result:
                    raise SignatureError(f"{signature.name} has two signatures")
                result[signature.name.lower()] = signature
        except SignatureError as error:
            raise SignatureError(f"{os.path.join(folder, file)}: {error}") from None
    return result


def read_handles(folder=FOLDER):
    """{name of a constant: type of handle}"""
    return {f"MPI_{n}": t for n, t in parse_types(read_lines(os.path.join(folder, "handles.txt"))).items()}
